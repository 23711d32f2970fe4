import { signedOutPage } from '../../components/layout.ts'
import { type Html, html } from '../../html.ts'

/** Asks whether to sign in with a link of the operator. Null: the link is used, expired or unknown. */
export function signInLinkPage(
  view: { readonly email: string; readonly action: string; readonly error?: string } | null,
): Html {
  if (view === null)
    return signedOutPage({
      title: 'This link is not valid',
      body: html`<div class="card narrow">
        <h1>This link is not valid</h1>
        <p class="lead">A sign-in link works once, within ten minutes. This one was used already, it is older, or part of it is missing.</p>
        <p>The operator of this service gets a new link with <code>zatgate sign-in EMAIL</code>. Where mail works, you can <a href="/sign-in">sign in with a code</a>.</p>
      </div>`,
    })
  const { email, action, error } = view
  return signedOutPage({
    title: 'Sign in',
    body: html`<div class="card narrow">
      <h1>Sign in</h1>
      <p class="lead">This signs you in as <b><bdi>${email}</bdi></b>. The link works once.</p>
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      <form method="post" action="${action}"><button class="primary">Sign in</button></form>
    </div>`,
  })
}
