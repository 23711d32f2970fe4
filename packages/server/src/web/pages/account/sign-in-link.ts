import { signedOutPage } from '../../components/layout.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

/** Asks whether to sign in with a link of the operator. Null: the link is used, expired or unknown. */
export function signInLinkPage(
  view: { readonly email: string; readonly action: string; readonly error?: string } | null,
): Html {
  if (view === null)
    return signedOutPage({
      title: plain('link_not_valid'),
      body: html`<div class="card narrow">
        <h1>${say('link_not_valid')}</h1>
        <p class="lead">${say('sign_in_link_used')}</p>
        <p>${say('sign_in_link_again', { command: html`<code>zatgate sign-in EMAIL</code>`, link: '/sign-in' })}</p>
      </div>`,
    })
  const { email, action, error } = view
  return signedOutPage({
    title: plain('sign_in'),
    body: html`<div class="card narrow">
      <h1>${say('sign_in')}</h1>
      <p class="lead">${say('sign_in_link_text', { email })}</p>
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      <form method="post" action="${action}"><button class="primary">${say('sign_in')}</button></form>
    </div>`,
  })
}
