import { MAX_EMAIL_CHARS } from '../../../domain/account/account.ts'
import { codeField, mailboxHint } from '../../components/code-field.ts'
import { actionButton, EMAIL_ATTRIBUTES, field } from '../../components/form.ts'
import { dashboardPage, type PageUser, signedOutPage } from '../../components/layout.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

const MENU_PATH = '/account'

interface AccountView {
  /** The text that was entered as the new email. */
  readonly newEmail?: string
  readonly flash?: string
  readonly error?: string
}

/** The email of the account, and its deletion. */
export function accountPage(user: PageUser, { newEmail = '', flash, error }: AccountView): Html {
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: plain('account'),
    flash,
    error,
    body:
      user.deletionDueAt === null
        ? html`${emailForm(user, newEmail)}${deletionForm(user)}`
        : keepForm(user.deletionDueAt),
  })
}

function emailForm({ email }: PageUser, newEmail: string): Html {
  return html`<form class="card" method="post" action="/account/email">
    <h2>${say('email')}</h2>
    <p>${say('email_used', { email })}</p>
    ${field({ name: 'email', label: plain('email_new'), value: newEmail, maxlength: MAX_EMAIL_CHARS, hint: plain('email_new_hint'), attributes: EMAIL_ATTRIBUTES })}
    <button>${say('email_change')}</button>
  </form>`
}

function deletionForm({ email }: PageUser): Html {
  return html`<form class="card" method="post" action="/account/delete">
    <h2>${say('deletion_request')}</h2>
    <p>${say('deletion_export', { link: '/export' })}</p>
    <ul class="plain-list">
      <li>${say('deletion_keys')}</li>
      <li>${say('deletion_invoices')}</li>
      <li>${say('deletion_data')}</li>
      <li>${say('deletion_keepable')}</li>
    </ul>
    ${field({ name: 'confirm_email', label: plain('deletion_email'), maxlength: MAX_EMAIL_CHARS, hint: say('deletion_email_hint', { email }), attributes: html` autocomplete="off" inputmode="email" autocapitalize="none"` })}
    <button class="danger">${say('deletion_request')}</button>
  </form>`
}

function keepForm(deletionDueAt: number): Html {
  return html`<section class="card attention" aria-labelledby="deletion"><h2 id="deletion">${say('deletion_pending')}</h2>
    <p>${say('deletion_pending_text', { time: timeElement(deletionDueAt), link: '/export' })}</p>
    <p>${say('deletion_new_keys')}</p>
    ${actionButton('/account/keep', plain('deletion_keep'), { kind: 'primary' })}
  </section>`
}

/** Asks for the codes that were mailed to the present and the new address. */
export function newEmailPage(
  user: PageUser,
  view: { readonly email: string; readonly error?: string; readonly mailboxUrl: string | null },
): Html {
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: plain('email_confirm'),
    error: view.error,
    body: html`<div class="card narrow">
      <p>${say('email_codes')}</p>
      <form method="post" action="/account/email/code">
        ${codeField({ name: 'present_code', label: say('email_code_sent', { email: user.email }), autofocus: true })}
        ${codeField({ name: 'new_code', label: say('email_code_sent', { email: view.email }), autofocus: false })}
        <button class="primary">${say('email_change')}</button> <a class="button" href="${MENU_PATH}">${say('cancel')}</a>
      </form>
      ${mailboxHint(view.mailboxUrl)}
    </div>`,
  })
}

/** Shown after the request, when all sessions have ended. */
export function deletionRequestedPage(dueAt: number): Html {
  return signedOutPage({
    title: plain('deletion_requested'),
    body: html`<div class="card narrow">
      <h1>${say('deletion_requested')}</h1>
      <p class="lead">${say('deletion_requested_text', { time: timeElement(dueAt) })}</p>
      <p>${say('deletion_requested_keep', { link: '/sign-in' })}</p>
    </div>`,
  })
}
