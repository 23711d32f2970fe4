import { type Actor, AUDIT_KINDS } from '../../../domain/account/audit.ts'
import type { AuditEntry } from '../../../ports/repository/account/audit.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { listTime } from '../../format.ts'
import { type Html, html } from '../../html.ts'

export interface ActivityView extends PagerLinks {
  readonly entries: readonly AuditEntry[]
  /** Public id of the session that requested this page. */
  readonly current: string
}

/** The audit log of an account. */
export function activityPage(user: PageUser, view: ActivityView): Html {
  const { entries, current } = view
  const rows = entries.map(
    ({ kind, detail, actor, createdAt }) => html`<tr>
      <td>${sentence(AUDIT_KINDS[kind])}${detail !== null && html`<span class="below"><bdi>${detail}</bdi></span>`}<span class="below slim">${listTime(createdAt)}</span></td>
      <td class="wide">${listTime(createdAt)}</td>
      <td>${origin(actor)}${actor.session === current && html`<span class="below">this session</span>`}</td>
    </tr>`,
  )
  return dashboardPage({
    ...user,
    menuPath: '/activity',
    title: 'Activity',
    body: html`
      <p class="lead">Sign-ins and changes of your account. If you do not recognise one, end its session under <a href="/sessions">Sessions</a> and undo the change.</p>
      <section class="card" aria-labelledby="entries"><h2 id="entries">Recent activity</h2>${
        entries.length === 0
          ? html`<p>No activity yet.</p>`
          : html`<table class="list rows"><thead><tr><th scope="col">What</th><th scope="col" class="wide">When</th><th scope="col">From</th></tr></thead><tbody>${rows}</tbody></table>`
      }${pager(view)}</section>`,
  })
}

/** The program and the network of a client, or who else made the change. */
function origin({ by, client, network }: Actor): Html {
  if (by === 'operator') return html`the operator of this service`
  if (by === 'service' || (client === null && network === null)) return html`this service`
  return html`<bdi>${client ?? 'unknown program'}</bdi>${network !== null && html`<span class="below">${network}</span>`}${by === 'api_key' && html`<span class="below">with an API key</span>`}`
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
