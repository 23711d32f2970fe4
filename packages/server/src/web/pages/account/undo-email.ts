import { signedOutPage } from '../../components/layout.ts'
import { type Html, html } from '../../html.ts'

/** Asks whether to undo a change of the email. Null: the link is used, replaced, unknown or too old. */
export function undoEmailPage(view: { readonly email: string; readonly action: string } | null): Html {
  if (view === null)
    return signedOutPage({
      title: 'This link is not valid',
      body: html`<div class="card narrow">
        <h1>This link is not valid</h1>
        <p class="lead">It was used already, it is older than seven days, or a newer mail replaced it.</p>
        <p>If your account is still not yours, contact the operator of this service.</p>
      </div>`,
    })
  return signedOutPage({
    title: 'Undo the change of your email',
    body: html`<div class="card narrow">
      <h1>Undo the change of your email</h1>
      <p class="lead">This gives the account back to <b><bdi>${view.email}</bdi></b>.</p>
      <ul class="plain-list">
        <li>All sessions end, also your own, and session tokens of scripts.</li>
        <li>All API keys are revoked: your shop cannot create invoices until you create new ones.</li>
        <li>A deletion of the account is canceled.</li>
        <li>This cannot be undone with another link.</li>
      </ul>
      <form method="post" action="${view.action}"><button class="primary">Undo the change</button></form>
    </div>`,
  })
}

/** Shown when the account has its previous email again. */
export function emailUndonePage(email: string): Html {
  return signedOutPage({
    title: 'The change is undone',
    body: html`<div class="card narrow">
      <h1>The change is undone</h1>
      <p class="lead">The account has the email <b><bdi>${email}</bdi></b> again. All sessions are ended and all API keys are revoked.</p>
      <p>Someone else may have changed your account. <a href="/sign-in">Sign in</a>, look at the activity, set your viewing key and webhook again if they are not yours, and create new API keys.</p>
    </div>`,
  })
}
