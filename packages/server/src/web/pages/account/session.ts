import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import type { Session } from '../../../domain/account/session.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { listTime } from '../../format.ts'
import { type Html, html } from '../../html.ts'

export interface SessionsView extends PagerLinks {
  readonly sessions: readonly Session[]
  /** Public id of the session that requested this page. */
  readonly current: string
  /** The token just issued, shown only once. */
  readonly issued?: { readonly label: string; readonly token: string }
  readonly label?: string
  readonly flash?: string
  readonly error?: string
}

export function sessionsPage(user: PageUser, view: SessionsView): Html {
  const { sessions, current, issued, label = '', flash, error } = view
  return dashboardPage({
    ...user,
    menuPath: '/sessions',
    title: 'Sessions',
    flash,
    error,
    body: html`
      ${issued && oneTimeSecret(html`New session token “<bdi>${issued.label}</bdi>”`, issued.token, 'It can do everything that you can do in the dashboard, for 30 days. It is shown only once.')}
      <p class="lead">The browsers and scripts that are signed in to your account. A session ends after 30 days.</p>
      <section class="card" aria-labelledby="open"><h2 id="open">Active sessions</h2>${table(sessions, current)}${pager(view)}</section>
      <section class="card" aria-labelledby="everywhere"><h2 id="everywhere">Sign out everywhere</h2>
        <p>Ends every session, also this one and the tokens of your scripts. API keys keep working.</p>
        ${confirmedButton('/sessions/end-all', 'Sign out everywhere', { kind: '', question: 'Sign out everywhere?', consequence: 'Every browser has to sign in again, and the tokens of your scripts stop working at once.' })}
        <p>If someone else used one of your browsers, let zatgate forget all other browsers too. This requires a new code. Strangers who request many codes for your email can delay a sign-in in a browser that is forgotten.</p>
        ${confirmedButton('/sessions/forget-browsers', 'Sign out everywhere and forget other browsers', { kind: '', question: 'Sign out and forget all other browsers?', consequence: 'Every browser has to sign in again, and the tokens of your scripts stop working at once.', confirm: 'Sign out and forget' })}
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
      <td class="wide">${listTime(session.createdAt)}</td>
      <td>${session.lastUsedAt === null ? 'never used' : listTime(session.lastUsedAt)}</td>
      <td class="wide">${listTime(session.expiresAt)}</td>
      <td class="number">${confirmedButton(`/sessions/${session.publicId}/end`, 'End', { kind: 'small', describe: `End the session ${session.label}`, question: html`End the session “<bdi>${session.label}</bdi>”?`, consequence: session.publicId === current ? 'This is the session of this browser. You will be signed out.' : 'It is signed out at once. A token of a script stops working.', confirm: 'End session' })}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">Session</th><th scope="col" class="wide">Started</th><th scope="col">Last used</th><th scope="col" class="wide">Ends</th><th scope="col"><span class="unseen">Action</span></th></tr></thead><tbody>${rows}</tbody></table>`
}
