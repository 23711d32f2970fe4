import type { Swap } from '../../ports/repository/swap.ts'
import type { Overview } from '../../services/account.ts'
import type { Standing } from '../../services/dashboard.ts'
import { shortened } from '../format.ts'
import type { Child } from '../html.ts'
import { html } from '../html.ts'
import { chainNotices } from '../pages/chain-notice.ts'
import { overviewPage } from '../pages/overview.ts'
import { reorgedInvoices } from '../pages/reorged.ts'
import type { Site } from '../site.ts'

/** The share of the month's invoices from which the owner is told. */
const NEARLY = 0.8
const STUCK_SWAPS = 20

export function overviewPages(site: Site): void {
  const { accounts, blockSpacing, dashboard, swaps } = site.deps

  site.page('GET', '/overview', async (_request, _reply, who) => {
    const standing = await dashboard.standing(who.account)
    const plan = await accounts.overview(who.account)
    const stuck = await swaps.needingAttention(STUCK_SWAPS, who.account.id)
    return overviewPage(site.viewer(who), {
      standing,
      usage: {
        plan: plan.plan.name,
        used: plan.usedThisMonth,
        limit: plan.plan.monthlyInvoiceLimit,
        resetsAt: plan.resetsAt,
      },
      attention: [
        ...chainNotices(standing.chainTime, standing.chainProblems, await blockSpacing.current()),
        ...stuck.map(stuckSwap),
        ...attentionTo(standing, plan),
      ],
    })
  })
}

function stuckSwap({ invoicePublicId, status }: Swap): Child {
  return html`The swap for invoice <a class="code" href="/invoices/${invoicePublicId}">${shortened(invoicePublicId, 8, 0)}</a> has been at ${status} for an hour, and its coins have not come. Ask the swap provider about its deposit address.`
}

function attentionTo(standing: Standing, overview: Overview): Child[] {
  const { takenBack, takenBackTotal, failedAttempt, steps, webhookSet } = standing
  const { usedThisMonth: used, plan } = overview
  const limit = plan.monthlyInvoiceLimit
  const lines: Child[] = takenBack.length > 0 ? [reorgedInvoices(takenBack, takenBackTotal)] : []
  if (failedAttempt)
    lines.push(
      html`The last webhook delivery failed. <a href="/webhook/attempts/${failedAttempt.publicId}">See what came back</a>.`,
    )
  if (limit !== null && used >= limit)
    lines.push(html`The ${plan.name} plan’s ${limit} invoices of this month are used up: no more can be made.`)
  else if (limit !== null && used >= limit * NEARLY)
    lines.push(html`${used} of the ${plan.name} plan’s ${limit} invoices of this month are used.`)
  if (steps.invoice && !webhookSet)
    lines.push(html`Your server is not told of payments yet. <a href="/webhook">Set a webhook</a>.`)
  return lines
}
