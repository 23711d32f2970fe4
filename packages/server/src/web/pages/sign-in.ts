import { SIGN_IN_CODE } from '../../domain/sign-in.ts'
import { plainPage } from '../components/layout.ts'
import { field } from '../components/parts.ts'
import { type Child, type Html, html } from '../html.ts'

export interface SignInView {
  readonly email?: string
  readonly error?: Child
  readonly flash?: Child
  readonly sandbox: boolean
}

export function signInPage({ email = '', error, flash, sandbox }: SignInView): Html {
  return plainPage({
    title: 'Sign in',
    body: html`<div class="card narrow">
      <h1>Sign in</h1>
      <p class="lead">We email you a one-time code. There is no password. Your first sign-in creates your account.</p>
      ${flashMessages(flash, error)}
      <form method="post" action="/sign-in">
        ${field({ name: 'email', label: 'Email', type: 'email', value: email, autofocus: true, maxlength: 254, attributes: html` autocomplete="email" spellcheck="false"` })}
        <button class="primary">Email me a code</button>
      </form>
      ${sandbox && html`<p class="hint">Sandbox: use any email address. No email leaves this machine.</p>`}
    </div>`,
  })
}

export interface CodeView {
  readonly error?: Child
  /** Address of the sandbox page that shows sent emails; null outside the sandbox. */
  readonly mailboxUrl: string | null
}

export function codePage({ error, mailboxUrl }: CodeView): Html {
  return plainPage({
    title: 'Enter your code',
    body: html`<div class="card narrow">
      <h1>Enter your code</h1>
      <p class="lead">If this address can sign in, we have emailed it a code of ${SIGN_IN_CODE.digits} digits. The code is valid for ten minutes, in this browser only.</p>
      ${flashMessages(undefined, error)}
      <form method="post" action="/sign-in/code">${codeField()}<button class="primary">Sign in</button></form>
      <p class="hint">No email? <a href="/sign-in">Request another code</a>.</p>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}

export function codeField(): Html {
  return field({
    name: 'code',
    label: 'Code',
    autofocus: true,
    maxlength: 12,
    attributes: html` inputmode="numeric" autocomplete="one-time-code" class="code-input"`,
  })
}

export function mailboxHint(mailboxUrl: string | null): Html | false {
  return (
    mailboxUrl !== null &&
    html`<p class="hint">Sandbox: <a href="${mailboxUrl}" target="_blank" rel="noopener">read the email here</a>.</p>`
  )
}

function flashMessages(flash: Child, error: Child): Html {
  return html`${flash && html`<p class="flash" role="status">${flash}</p>`}${error && html`<p class="error" role="alert">${error}</p>`}`
}
