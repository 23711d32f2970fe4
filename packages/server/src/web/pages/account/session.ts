import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import type { Session } from '../../../domain/account/session.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'

export interface SessionsView {
  readonly sessions: readonly Session[]
  /** Public id of the session that requested this page. */
  readonly current: string
  /** The token just issued, shown only once. */
  readonly issued?: { readonly label: string; readonly token: string }
  readonly older: string | null
  readonly label?: string
  readonly flash?: string
  readonly error?: string
}

export function sessionsPage(user: PageUser, view: SessionsView): Html {
  const { sessions, current, issued, older, label = '', flash, error } = view
  return dashboardPage({
    ...user,
    menuPath: '/sessions',
    title: 'Sessions',
    flash,
    error,
    body: html`
      ${issued && oneTimeSecret(html`New session token “<bdi>${issued.label}</bdi>”`, issued.token, 'It can do everything that you can do in the dashboard, for 30 days. It is shown only once.')}
      <p class="lead">The browsers and scripts that are signed in to your account. A session ends after 30 days.</p>
      <section class="card" aria-labelledby="open"><h2 id="open">Active sessions</h2>${table(sessions, current)}${pager({ older })}</section>
      <section class="card" aria-labelledby="everywhere"><h2 id="everywhere">Sign out everywhere</h2>
        <p>Ends every session, also this one and the tokens of your scripts. API keys keep working.</p>
        ${actionButton('/sessions/end-all', 'Sign out everywhere')}
        <p>If someone else used one of your browsers, let zatgate forget all other browsers too. This requires a new code. Strangers who request many codes for your email can delay a sign-in in a browser that is forgotten.</p>
        ${actionButton('/sessions/forget-browsers', 'Sign out everywhere and forget other browsers')}
      </section>
      <form class="card inline" method="post" action="/sessions">
        ${field({ name: 'label', label: 'Name of a new session token', value: label, maxlength: MAX_NAME_LENGTH, hint: 'For scripts that use the endpoints under /v1/account. Choose a name that you will recognise, such as “nightly export”.', attributes: html` autocomplete="off"` })}
        <button>Issue session token</button>
      </form>`,
  })
}

function table(sessions: readonly Session[], current: string): Html {
  const rows = sessions.map(
    session => html`<tr>
      <td><bdi>${session.label}</bdi>${session.publicId === current && html`<span class="below">this session</span>`}</td>
      <td class="wide">${timeElement(session.createdAt)}</td>
      <td>${session.lastUsedAt === null ? 'never used' : timeElement(session.lastUsedAt)}</td>
      <td class="wide">${timeElement(session.expiresAt)}</td>
      <td class="number">${actionButton(`/sessions/${session.publicId}/end`, 'End', { kind: 'small', describe: `End the session ${session.label}` })}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Session</th><th scope="col" class="wide">Started</th><th scope="col">Last used</th><th scope="col" class="wide">Ends</th><th scope="col"><span class="unseen">Action</span></th></tr></thead><tbody>${rows}</tbody></table>`
}
