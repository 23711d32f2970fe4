import { CODE } from '../../domain/sign-in.ts'
import { plainPage } from '../components/layout.ts'
import { field } from '../components/parts.ts'
import { type Child, type Html, html } from '../html.ts'

export interface SignInView {
  readonly email?: string
  readonly error?: Child
  readonly notice?: Child
  readonly sandbox: boolean
}

export function signInPage({ email = '', error, notice, sandbox }: SignInView): Html {
  return plainPage({
    title: 'Sign in',
    body: html`<div class="card narrow">
      <h1>Sign in</h1>
      <p class="lead">We mail you a code. No password; the first sign-in opens your account.</p>
      ${messages(notice, error)}
      <form method="post" action="/sign-in">
        ${field({ name: 'email', label: 'Email', type: 'email', value: email, autofocus: true, maxlength: 254, attributes: html` autocomplete="email" spellcheck="false"` })}
        <button class="primary">Mail me a code</button>
      </form>
      ${sandbox && html`<p class="hint">This is the sandbox: any address will do, and no mail leaves this machine.</p>`}
    </div>`,
  })
}

export interface CodeView {
  readonly error?: Child
  /** Where the sandbox shows what was mailed. */
  readonly mailboxUrl: string | null
}

export function codePage({ error, mailboxUrl }: CodeView): Html {
  return plainPage({
    title: 'Enter your code',
    body: html`<div class="card narrow">
      <h1>Enter your code</h1>
      <p class="lead">If that address can sign in here, a code of ${CODE.digits} digits is on its way. It is valid for ten minutes, in this browser only.</p>
      ${messages(undefined, error)}
      <form method="post" action="/sign-in/code">${codeField()}<button class="primary">Sign in</button></form>
      <p class="hint">Nothing came? <a href="/sign-in">Ask for another code</a>.</p>
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
    html`<p class="hint">This is the sandbox: <a href="${mailboxUrl}" target="_blank" rel="noopener">read the mail here</a>.</p>`
  )
}

function messages(notice: Child, error: Child): Html {
  return html`${notice && html`<p class="notice" role="status">${notice}</p>`}${error && html`<p class="error" role="alert">${error}</p>`}`
}
