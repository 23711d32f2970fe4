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
  /** The page that a shop plugin has opened and that comes afterwards. */
  readonly next?: string | null
}

export function signInPage({ email = '', error, flash, sandbox, next = null }: SignInView): Html {
  return signedOutPage({
    title: plain('sign_in'),
    body: html`<div class="card narrow">
      <h1>${say('sign_in')}</h1>
      ${next !== null && html`<p class="flash" role="status">${say('sign_in_for_plugin')}</p>`}
      <p class="lead">${say('sign_in_about', { guides: GUIDES_PATH })}</p>
      <p>${say('sign_in_how')}</p>
      ${flashMessages(flash, error)}
      <form method="post" action="/sign-in">
        ${nextField(next)}${field({ name: 'email', label: plain('email'), value: email, autofocus: true, maxlength: MAX_EMAIL_CHARS, attributes: EMAIL_ATTRIBUTES })}
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
  /** The page that comes after the sign-in. */
  readonly next?: string | null
}

export function codePage({ error, mailboxUrl, next = null }: CodeView): Html {
  return signedOutPage({
    title: plain('enter_code'),
    body: html`<div class="card narrow">
      <h1>${say('enter_code')}</h1>
      <p class="lead">${say('enter_code_text')}</p>
      ${flashMessages(undefined, error)}
      <form method="post" action="/sign-in/code">${nextField(next)}${codeField()}<button class="primary">${say('sign_in')}</button></form>
      <p class="hint">${say('no_email', { link: withNext('/sign-in', next) })}</p>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}

/** The address of a page of the sign-in, which remembers what comes afterwards. */
export function withNext(path: string, next: string | null): string {
  return next === null ? path : `${path}?next=${encodeURIComponent(next)}`
}

function nextField(next: string | null): Html | false {
  return next !== null && html`<input type="hidden" name="next" value="${next}">`
}

function flashMessages(flash: Child, error: Child): Html {
  return html`${flash && html`<p class="flash" role="status">${flash}</p>`}${error && html`<p class="error" role="alert">${error}</p>`}`
}
