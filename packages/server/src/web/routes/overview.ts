import { limitUse } from '../../domain/account/plan.ts'
import { formatCount } from '../../domain/count.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import type { AccountOverview } from '../../services/account/account.ts'
import type { DashboardSummary } from '../../services/sale/dashboard.ts'
import { CHAIN_UNSEEN } from '../components/chain/chain-unseen.ts'
import { chainWarnings } from '../components/chain/chain-warning.ts'
import { reorgedInvoices } from '../components/chain/reorg-warning.ts'
import { endpointName } from '../components/notify/endpoint-state.ts'
import { failedLink, type ListedEndpoint } from '../components/notify/endpoint-table.ts'
import { lateInvoices } from '../components/sale/late.ts'
import { overpaidInvoices } from '../components/sale/overpaid.ts'
import { setAsideWarnings } from '../components/set-aside.ts'
import type { Site } from '../context.ts'
import { shorten, timeElement } from '../format.ts'
import type { Child } from '../html.ts'
import { html } from '../html.ts'
import { overviewPage } from '../pages/overview.ts'

const STUCK_SWAPS = 20
const NOT_NOTIFIED = html`Your server is not notified of payments yet. <a href="/webhook">Set a webhook</a>.`

export function overviewPages(site: Site): void {
  const { accounts, blockSpacing, dashboard, endpoints, readiness, setAsides, swaps, webhooks } = site.deps

  site.page('GET', '/overview', async (_request, _reply, user) => {
    const summary = await dashboard.summary(user.account)
    const plan = await accounts.overview(user.account)
    const chainProblems = chainWarnings(summary.chainTime, summary.chainProblems, await blockSpacing.current())
    const ofEndpoints = await endpoints.listWithFailed(user.account)
    const stuck = await swaps.needingAttention(STUCK_SWAPS, user.account.id)
    return overviewPage(site.pageUser(user), {
      summary,
      usage: {
        plan: plan.plan.name,
        used: plan.usedThisMonth,
        limit: plan.plan.monthlyInvoiceLimit,
        resetsAt: plan.resetsAt,
      },
      attention: [
        ...(chainProblems.length === 0 && !(await readiness.isChainSeen()) ? [CHAIN_UNSEEN] : chainProblems),
        ...setAsideWarnings(await setAsides.countByKindOf(user.account.id)),
        ...stuck.map(stuckSwap),
        ...failedEvents(await webhooks.countFailed(user.account), ofEndpoints),
        ...problemsOf(summary, plan),
        ...(summary.setupSteps.invoice && !summary.webhookSet && ofEndpoints.length === 0 ? [NOT_NOTIFIED] : []),
      ],
    })
  })
}

function stuckSwap({ invoicePublicId, status }: Swap): Child {
  return html`The swap for invoice <a class="code" href="/invoices/${invoicePublicId}">${shorten(invoicePublicId, 8, 0)}</a> has had the status ${status} for an hour, but no payment has arrived. Ask the swap provider, with the deposit address.`
}

/** @param ofWebhook number of webhook events that have failed for good */
function failedEvents(ofWebhook: number, ofEndpoints: readonly ListedEndpoint[]): Child[] {
  const lines: Child[] = []
  const events = (count: number, name: string) => `${formatCount(count)} ${name}${count === 1 ? '' : 's'}`
  if (ofWebhook > 0)
    lines.push(
      html`${events(ofWebhook, 'webhook event')} could not be delivered. <a href="${failedLink('webhook')}">View and resend</a>.`,
    )
  for (const { endpoint, failed } of ofEndpoints) {
    const host = html`<bdi>${endpointName(endpoint)}</bdi>`
    const path = `/webhook/endpoints/${endpoint.publicId}`
    if (endpoint.enabled && endpoint.pausedAt !== null)
      lines.push(
        html`The endpoint ${host} is paused since ${timeElement(endpoint.pausedAt)}, after three days of failures. <a href="${path}">Resume ${host}</a>.`,
      )
    else if (failed > 0)
      lines.push(
        html`${events(failed, 'event')} could not be delivered to the endpoint ${host}. <a href="${path}">View and send again to ${host}</a>.`,
      )
  }
  return lines
}

function problemsOf(summary: DashboardSummary, overview: AccountOverview): Child[] {
  const { reorged, reorgedTotal, overpaid, overpaidTotal, late, lateTotal } = summary
  const { usedThisMonth: used, plan } = overview
  const limit = plan.monthlyInvoiceLimit
  const lines: Child[] = reorged.length > 0 ? [reorgedInvoices(reorged, reorgedTotal)] : []
  if (overpaid.length > 0) lines.push(overpaidInvoices(overpaid, overpaidTotal))
  if (late.length > 0) lines.push(lateInvoices(late, lateTotal))
  const use = limitUse(plan, used)
  if (use === 'reached')
    lines.push(
      html`You have used all ${limit} invoices of the ${plan.name} plan for this month. You cannot create more.`,
    )
  else if (use === 'near')
    lines.push(html`You have used ${used} of the ${limit} invoices of the ${plan.name} plan for this month.`)
  return lines
}
