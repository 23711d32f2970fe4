import { html } from '@zatgate/server/web/html'
import type { Route } from '../http/json-server.ts'
import type { Page } from '../http/page.ts'
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
    ({ to, subject, text, code }) => html`<article>
<h2>${subject}</h2>
<p>To ${to}</p>
${code !== undefined && html`<p>Code: <strong>${code}</strong></p>`}
<pre>${text}</pre>
</article>
`,
  )
  const hint = html`<p>The mails that the service has sent, newest first. Reload the page for new ones.</p>`
  return {
    title: 'Mailbox of the sandbox',
    body: html`${hint}${articles.length > 0 ? articles : html`<p>No mail yet.</p>`}`,
  }
}
