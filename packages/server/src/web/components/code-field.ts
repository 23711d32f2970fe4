import { type Child, type Html, html } from '../html.ts'
import { plain, say } from '../text/dashboard.ts'
import { field } from './form.ts'

/** The input for an emailed one-time code. The only one of a form, unless it is named. */
export function codeField(named?: { readonly name: string; readonly label: Child; readonly autofocus: boolean }): Html {
  const { name, label, autofocus } = named ?? { name: 'code', label: plain('code'), autofocus: true }
  return field({
    name,
    label,
    autofocus,
    maxlength: 64,
    attributes: html` inputmode="numeric" autocomplete="one-time-code" class="code-input"`,
  })
}

/** In the sandbox, a link to the page that shows sent emails. */
export function mailboxHint(mailboxUrl: string | null): Html | false {
  return (
    mailboxUrl !== null &&
    html`<p class="hint">${say('sandbox_mailbox', { link: html`<a href="${mailboxUrl}" target="_blank" rel="noopener">${say('mailbox_link')}</a>` })}</p>`
  )
}
