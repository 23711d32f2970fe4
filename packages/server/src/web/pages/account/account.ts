import { MAX_EMAIL_CHARS } from '../../../domain/account/account.ts'
import { codeField, mailboxHint } from '../../components/code-field.ts'
import { actionButton, EMAIL_ATTRIBUTES, field } from '../../components/form.ts'
import { dashboardPage, type PageUser, signedOutPage } from '../../components/layout.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'

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
    title: 'Account',
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
    <h2>Email</h2>
    <p>You sign in with <b>${email}</b>, and notifications are mailed to it.</p>
    ${field({ name: 'email', label: 'New email', value: newEmail, maxlength: MAX_EMAIL_CHARS, hint: 'We mail a code to the present and one to the new address. For seven days after the change, the present address can undo it.', attributes: EMAIL_ATTRIBUTES })}
    <button>Change email</button>
  </form>`
}

function deletionForm({ email }: PageUser): Html {
  return html`<form class="card" method="post" action="/account/delete">
    <h2>Delete account</h2>
    <p><a href="/export">Export your invoices and refunds</a> first: you cannot do it afterwards.</p>
    <ul class="plain-list">
      <li>Your API keys are revoked and all sessions end now.</li>
      <li>Open invoices stay watched, and your webhook is called for them, until none of them can change any more.</li>
      <li>After that, and not before seven days, your email, viewing keys, webhook and activity are deleted. Invoices keep their amounts, without a name.</li>
      <li>Until then you can sign in and keep the account.</li>
    </ul>
    ${field({ name: 'confirm_email', label: 'Enter your email to confirm', maxlength: MAX_EMAIL_CHARS, hint: html`It is ${email}.`, attributes: html` autocomplete="off" inputmode="email" autocapitalize="none"` })}
    <button class="danger">Delete account</button>
  </form>`
}

function keepForm(deletionDueAt: number): Html {
  return html`<section class="card attention" aria-labelledby="deletion"><h2 id="deletion">This account is being deleted</h2>
    <p>It is deleted on ${timeElement(deletionDueAt)} or later, when none of its invoices, orders and deliveries can change any more. Nothing can be changed until you keep it. You can still <a href="/export">export your invoices and refunds</a>.</p>
    <p>If you keep it, create new API keys: the earlier ones stay revoked.</p>
    ${actionButton('/account/keep', 'Keep the account', { kind: 'primary' })}
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
    title: 'Confirm your new email',
    error: view.error,
    body: html`<div class="card narrow">
      <p>We have emailed two codes. They are valid for ten minutes.</p>
      <form method="post" action="/account/email/code">
        ${codeField({ name: 'present_code', label: html`Code sent to <bdi>${user.email}</bdi>`, autofocus: true })}
        ${codeField({ name: 'new_code', label: html`Code sent to <bdi>${view.email}</bdi>`, autofocus: false })}
        <button class="primary">Change email</button> <a class="button" href="${MENU_PATH}">Cancel</a>
      </form>
      ${mailboxHint(view.mailboxUrl)}
    </div>`,
  })
}

/** Shown after the request, when all sessions have ended. */
export function deletionRequestedPage(dueAt: number): Html {
  return signedOutPage({
    title: 'Your account will be deleted',
    body: html`<div class="card narrow">
      <h1>Your account will be deleted</h1>
      <p class="lead">You are signed out. The account is deleted on ${timeElement(dueAt)} or later, when none of its invoices can change any more.</p>
      <p>To keep it, <a href="/sign-in">sign in</a> before then and open Account.</p>
    </div>`,
  })
}
