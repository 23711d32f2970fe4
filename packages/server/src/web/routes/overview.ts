import { limitUse } from '../../domain/account/plan.ts'
import { formatCount } from '../../domain/count.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import type { AccountOverview } from '../../services/account/account.ts'
import type { DashboardSummary } from '../../services/sale/dashboard.ts'
import { CHAIN_UNSEEN } from '../components/chain/chain-unseen.ts'
import { chainWarnings } from '../components/chain/chain-warning.ts'
import { reorgedInvoices } from '../components/chain/reorg-warning.ts'
import { lateInvoices } from '../components/sale/late.ts'
import { overpaidInvoices } from '../components/sale/overpaid.ts'
import { setAsideWarnings } from '../components/set-aside.ts'
import type { Site } from '../context.ts'
import { shorten } from '../format.ts'
import type { Child } from '../html.ts'
import { html } from '../html.ts'
import { overviewPage } from '../pages/overview.ts'

const STUCK_SWAPS = 20

export function overviewPages(site: Site): void {
  const { accounts, blockSpacing, dashboard, readiness, setAsides, swaps, webhooks } = site.deps

  site.page('GET', '/overview', async (_request, _reply, user) => {
    const summary = await dashboard.summary(user.account)
    const plan = await accounts.overview(user.account)
    const chainProblems = chainWarnings(summary.chainTime, summary.chainProblems, await blockSpacing.current())
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
        ...problemsOf(summary, plan, await webhooks.countFailed(user.account)),
      ],
    })
  })
}

function stuckSwap({ invoicePublicId, status }: Swap): Child {
  return html`The swap for invoice <a class="code" href="/invoices/${invoicePublicId}">${shorten(invoicePublicId, 8, 0)}</a> has had the status ${status} for an hour, but no payment has arrived. Ask the swap provider, with the deposit address.`
}

/** @param failedEvents number of webhook events that have failed for good */
function problemsOf(summary: DashboardSummary, overview: AccountOverview, failedEvents: number): Child[] {
  const { reorged, reorgedTotal, overpaid, overpaidTotal, late, lateTotal, failedAttempt, setupSteps, webhookSet } =
    summary
  const { usedThisMonth: used, plan } = overview
  const limit = plan.monthlyInvoiceLimit
  const lines: Child[] = reorged.length > 0 ? [reorgedInvoices(reorged, reorgedTotal)] : []
  if (overpaid.length > 0) lines.push(overpaidInvoices(overpaid, overpaidTotal))
  if (late.length > 0) lines.push(lateInvoices(late, lateTotal))
  if (failedEvents > 0)
    lines.push(
      html`${formatCount(failedEvents)} webhook ${failedEvents === 1 ? 'event' : 'events'} could not be delivered. <a href="/webhook?show=failed">View and resend</a>.`,
    )
  else if (failedAttempt)
    lines.push(
      html`The last webhook delivery failed. <a href="/webhook/attempts/${failedAttempt.publicId}">View the attempt</a>.`,
    )
  const use = limitUse(plan, used)
  if (use === 'reached')
    lines.push(
      html`You have used all ${limit} invoices of the ${plan.name} plan for this month. You cannot create more.`,
    )
  else if (use === 'near')
    lines.push(html`You have used ${used} of the ${limit} invoices of the ${plan.name} plan for this month.`)
  if (setupSteps.invoice && !webhookSet)
    lines.push(html`Your server is not notified of payments yet. <a href="/webhook">Set a webhook</a>.`)
  return lines
}
