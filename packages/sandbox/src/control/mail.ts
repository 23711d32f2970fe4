import type { Route } from '../http/json-server.ts'
import { escaped, type Page } from '../http/page.ts'
import type { Mail, Mailbox } from '../mail/mailbox.ts'

/** The routes of the mailbox. */
export function mailRoutes(mailbox: Mailbox): Route[] {
  return [
    {
      method: 'GET',
      path: '/mail',
      effect: 'The received mails, newest first; ?to= selects a recipient.',
      handle: ({ query }) => mailbox.mails(query.get('to') ?? undefined),
      page: mails => mailboxPage(mails as Mail[]),
    },
  ]
}

function mailboxPage(mails: readonly Mail[]): Page {
  const articles = mails.map(
    ({ to, subject, text, code }) => `<article>
<h2>${escaped(subject)}</h2>
<p>To ${escaped(to)}</p>
${code === undefined ? '' : `<p>Code: <strong>${escaped(code)}</strong></p>`}
<pre>${escaped(text)}</pre>
</article>`,
  )
  const hint = '<p>The mails that the service has sent, newest first. Reload the page for new ones.</p>'
  return { title: 'Mailbox of the sandbox', body: hint + (articles.join('\n') || '<p>No mail yet.</p>') }
}
