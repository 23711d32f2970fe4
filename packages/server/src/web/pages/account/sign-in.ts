import { MAX_EMAIL_CHARS } from '../../../domain/account/account.ts'
import { codeField, mailboxHint } from '../../components/code-field.ts'
import { EMAIL_ATTRIBUTES, field } from '../../components/form.ts'
import { signedOutPage } from '../../components/layout.ts'
import { GUIDES_PATH } from '../../guides.ts'
import { type Child, type Html, html } from '../../html.ts'

interface SignInView {
  readonly email?: string
  readonly error?: Child
  readonly flash?: Child
  readonly sandbox: boolean
}

export function signInPage({ email = '', error, flash, sandbox }: SignInView): Html {
  return signedOutPage({
    title: 'Sign in',
    body: html`<div class="card narrow">
      <h1>Sign in</h1>
      <p class="lead">zatgate takes Zcash payments for shops: it creates invoices, sees them paid into your own wallet, and tells your server. It never holds your money. <a href="${GUIDES_PATH}">How it works</a></p>
      <p>We email you a one-time code. There is no password. Your first sign-in creates your account.</p>
      ${flashMessages(flash, error)}
      <form method="post" action="/sign-in">
        ${field({ name: 'email', label: 'Email', value: email, autofocus: true, maxlength: MAX_EMAIL_CHARS, attributes: EMAIL_ATTRIBUTES })}
        <button class="primary">Email me a code</button>
      </form>
      ${sandbox && html`<p class="hint">Sandbox: use any email address. No email leaves this machine.</p>`}
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
    title: 'Enter your code',
    body: html`<div class="card narrow">
      <h1>Enter your code</h1>
      <p class="lead">If this address can sign in, we have emailed it a code. The code is valid for ten minutes, in this browser only.</p>
      ${flashMessages(undefined, error)}
      <form method="post" action="/sign-in/code">${codeField()}<button class="primary">Sign in</button></form>
      <p class="hint">No email? <a href="/sign-in">Request another code</a>.</p>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}

function flashMessages(flash: Child, error: Child): Html {
  return html`${flash && html`<p class="flash" role="status">${flash}</p>`}${error && html`<p class="error" role="alert">${error}</p>`}`
}
