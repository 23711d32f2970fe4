import type { Session } from '../../domain/account.ts'
import { MAX_NAME_LENGTH } from '../../domain/credential.ts'
import { dashboardPage } from '../components/layout.ts'
import { actionButton, field, shownOnce } from '../components/parts.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export interface SessionsView {
  readonly sessions: readonly Session[]
  /** The one that this page was asked for with. */
  readonly current: string
  /** Just issued: shown this once. */
  readonly issued?: { readonly label: string; readonly token: string }
  readonly older: string | null
  readonly label?: string
  readonly notice?: string
  readonly error?: string
}

export function sessionsPage(viewer: Viewer, view: SessionsView): Html {
  const { sessions, current, issued, older, label = '', notice, error } = view
  return dashboardPage({
    ...viewer,
    at: '/sessions',
    title: 'Sessions',
    notice,
    error,
    body: html`
      ${issued && shownOnce(`Your new token “${issued.label}”`, issued.token, 'It can do all that you can do in the dashboard, for 30 days. It is shown this once.')}
      <p class="lead">Everywhere that you are signed in. A session ends by itself after 30 days.</p>
      <section class="card" aria-labelledby="open"><h2 id="open">Open sessions</h2>${table(sessions, current)}${older !== null && html`<nav class="pager" aria-label="Pages"><a class="button" href="${older}">Older</a></nav>`}</section>
      <form class="card inline" method="post" action="/sessions">
        ${field({ name: 'label', label: 'A further token, for a script', value: label, maxlength: MAX_NAME_LENGTH, hint: 'For the endpoints under /v1/account. What you will know it by, such as “nightly export”.', attributes: html` autocomplete="off"` })}
        <button>Issue token</button>
      </form>`,
  })
}

function table(sessions: readonly Session[], current: string): Html {
  const rows = sessions.map(
    session => html`<tr>
      <td>${session.label}${session.publicId === current && html`<span class="below">this one</span>`}</td>
      <td class="wide">${moment(session.createdAt)}</td>
      <td>${session.lastUsedAt === null ? 'never used' : moment(session.lastUsedAt)}</td>
      <td class="wide">${moment(session.expiresAt)}</td>
      <td class="number">${actionButton(`/sessions/${session.publicId}/end`, 'End', { kind: 'small', describe: `End the session ${session.label}` })}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Session</th><th scope="col" class="wide">Began</th><th scope="col">Last used</th><th scope="col" class="wide">Ends</th><th scope="col"><span class="unseen">Action</span></th></tr></thead><tbody>${rows}</tbody></table>`
}
