import { dashboardPage } from '../components/layout.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'
import { codeField, mailboxHint } from './sign-in.ts'

export interface ConfirmView {
  /** Where the form that asked for this goes, and what was in it. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** The page it came from. */
  readonly at: string
  readonly error?: string
  readonly mailboxUrl: string | null
}

/** Asks for a fresh code and then does what was asked for: the form's own content waits in the page. */
export function confirmPage(viewer: Viewer, { action, fields, at, error, mailboxUrl }: ConfirmView): Html {
  const kept = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return dashboardPage({
    ...viewer,
    at,
    title: 'Confirm that it is you',
    error,
    body: html`<div class="card narrow">
      <p>This change needs a fresh code. We have mailed one to <b>${viewer.email}</b>; it is valid for ten minutes.</p>
      <form method="post" action="${action}">${kept}${codeField()}<button class="primary">Confirm</button> <a class="button" href="${at}">Cancel</a></form>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}
