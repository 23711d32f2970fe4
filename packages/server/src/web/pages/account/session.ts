import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import type { Session } from '../../../domain/account/session.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { listTime } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

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
    title: plain('sessions'),
    flash,
    error,
    body: html`
      ${issued && oneTimeSecret(say('session_token_new', { name: issued.label }), issued.token, plain('session_token_hint'))}
      <p class="lead">${say('sessions_lead')}</p>
      <section class="card" aria-labelledby="open"><h2 id="open">${say('sessions_active')}</h2>${table(sessions, current)}${pager(view)}</section>
      <section class="card" aria-labelledby="everywhere"><h2 id="everywhere">${say('sign_out_everywhere')}</h2>
        <p>${say('sign_out_everywhere_text')}</p>
        ${confirmedButton('/sessions/end-all', plain('sign_out_everywhere'), { kind: '', question: plain('sign_out_everywhere_question'), consequence: plain('sign_out_everywhere_effect') })}
        <p>${say('forget_browsers_text')}</p>
        ${confirmedButton('/sessions/forget-browsers', plain('forget_browsers'), { kind: '', question: plain('forget_browsers_question'), consequence: plain('sign_out_everywhere_effect'), confirm: plain('forget_browsers_confirm') })}
      </section>
      <form class="card inline" method="post" action="/sessions">
        ${field({ name: 'label', label: plain('session_token_name'), value: label, maxlength: MAX_NAME_LENGTH, hint: plain('session_token_name_hint'), attributes: html` autocomplete="off"` })}
        <button>${say('session_token_issue')}</button>
      </form>`,
  })
}

function table(sessions: readonly Session[], current: string): Html {
  const rows = sessions.map(
    session => html`<tr>
      <td><bdi>${session.label}</bdi>${session.publicId === current && html`<span class="below">${say('session_this')}</span>`}</td>
      <td class="wide">${listTime(session.createdAt)}</td>
      <td>${session.lastUsedAt === null ? plain('never_used') : listTime(session.lastUsedAt)}</td>
      <td class="wide">${listTime(session.expiresAt)}</td>
      <td class="number">${confirmedButton(`/sessions/${session.publicId}/end`, plain('session_end'), { kind: 'small', describe: plain('session_end_name', { name: session.label }), question: say('session_end_question', { name: session.label }), consequence: session.publicId === current ? plain('session_end_this') : plain('session_end_other'), confirm: plain('session_end_confirm') })}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">${say('session')}</th><th scope="col" class="wide">${say('session_started')}</th><th scope="col">${say('last_used')}</th><th scope="col" class="wide">${say('session_ends')}</th><th scope="col"><span class="unseen">${say('action')}</span></th></tr></thead><tbody>${rows}</tbody></table>`
}
