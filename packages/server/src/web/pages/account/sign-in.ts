import { MAX_EMAIL_CHARS } from '../../../domain/account/account.ts'
import { codeField, mailboxHint } from '../../components/code-field.ts'
import { EMAIL_ATTRIBUTES, field } from '../../components/form.ts'
import { signedOutPage } from '../../components/layout.ts'
import { GUIDES_PATH } from '../../guides.ts'
import { type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface SignInView {
  readonly email?: string
  readonly error?: Child
  readonly flash?: Child
  readonly sandbox: boolean
}

export function signInPage({ email = '', error, flash, sandbox }: SignInView): Html {
  return signedOutPage({
    title: plain('sign_in'),
    body: html`<div class="card narrow">
      <h1>${say('sign_in')}</h1>
      <p class="lead">${say('sign_in_about', { guides: GUIDES_PATH })}</p>
      <p>${say('sign_in_how')}</p>
      ${flashMessages(flash, error)}
      <form method="post" action="/sign-in">
        ${field({ name: 'email', label: plain('email'), value: email, autofocus: true, maxlength: MAX_EMAIL_CHARS, attributes: EMAIL_ATTRIBUTES })}
        <button class="primary">${say('email_code')}</button>
      </form>
      ${sandbox && html`<p class="hint">${say('sign_in_sandbox')}</p>`}
    </div>`,
  })
}

interface CodeView {
  readonly error?: Child
  /** Address of the sandbox page that shows sent emails; null outside the sandbox. */
  readonly mailboxUrl: string | null
}

export function codePage({ error, mailboxUrl }: CodeView): Html {
  return signedOutPage({
    title: plain('enter_code'),
    body: html`<div class="card narrow">
      <h1>${say('enter_code')}</h1>
      <p class="lead">${say('enter_code_text')}</p>
      ${flashMessages(undefined, error)}
      <form method="post" action="/sign-in/code">${codeField()}<button class="primary">${say('sign_in')}</button></form>
      <p class="hint">${say('no_email', { link: '/sign-in' })}</p>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}

function flashMessages(flash: Child, error: Child): Html {
  return html`${flash && html`<p class="flash" role="status">${flash}</p>`}${error && html`<p class="error" role="alert">${error}</p>`}`
}
