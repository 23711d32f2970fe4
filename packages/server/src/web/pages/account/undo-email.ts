import { signedOutPage } from '../../components/layout.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

/** Asks whether to undo a change of the email. Null: the link is used, replaced, unknown or too old. */
export function undoEmailPage(view: { readonly email: string; readonly action: string } | null): Html {
  if (view === null)
    return signedOutPage({
      title: plain('link_not_valid'),
      body: html`<div class="card narrow">
        <h1>${say('link_not_valid')}</h1>
        <p class="lead">${say('undo_email_used')}</p>
        <p>${say('undo_email_contact')}</p>
      </div>`,
    })
  return signedOutPage({
    title: plain('undo_email'),
    body: html`<div class="card narrow">
      <h1>${say('undo_email')}</h1>
      <p class="lead">${say('undo_email_text', { email: view.email })}</p>
      <ul class="plain-list">
        <li>${say('undo_email_sessions')}</li>
        <li>${say('undo_email_keys')}</li>
        <li>${say('undo_email_deletion')}</li>
        <li>${say('undo_email_final')}</li>
      </ul>
      <form method="post" action="${view.action}"><button class="primary">${say('undo_email_confirm')}</button></form>
    </div>`,
  })
}

/** Shown when the account has its previous email again. */
export function emailUndonePage(email: string): Html {
  return signedOutPage({
    title: plain('undo_email_done'),
    body: html`<div class="card narrow">
      <h1>${say('undo_email_done')}</h1>
      <p class="lead">${say('undo_email_done_text', { email })}</p>
      <p>${say('undo_email_next', { link: '/sign-in' })}</p>
    </div>`,
  })
}
