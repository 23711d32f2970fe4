import { type Actor, AUDIT_KINDS } from '../../../domain/account/audit.ts'
import type { AuditEntry } from '../../../ports/repository/account/audit.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { listTime } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

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
      <td>${origin(actor)}${actor.session === current && html`<span class="below">${say('session_this')}</span>`}</td>
    </tr>`,
  )
  return dashboardPage({
    ...user,
    menuPath: '/activity',
    title: plain('activity'),
    body: html`
      <p class="lead">${say('activity_lead', { link: '/sessions' })}</p>
      <section class="card" aria-labelledby="entries"><h2 id="entries">${say('activity_recent')}</h2>${
        entries.length === 0
          ? html`<p>${say('activity_none')}</p>`
          : html`<table class="list rows"><thead><tr><th scope="col">${say('activity_what')}</th><th scope="col" class="wide">${say('activity_when')}</th><th scope="col">${say('activity_from')}</th></tr></thead><tbody>${rows}</tbody></table>`
      }${pager(view)}</section>`,
  })
}

/** The program and the network of a client, or who else made the change. */
function origin({ by, client, network }: Actor): Html {
  if (by === 'operator') return say('activity_operator')
  if (by === 'service' || (client === null && network === null)) return say('activity_service')
  return html`<bdi>${client ?? plain('activity_unknown')}</bdi>${network !== null && html`<span class="below">${network}</span>`}${by === 'api_key' && html`<span class="below">${say('activity_with_key')}</span>`}`
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
