import { figuresCurrency } from '../../domain/sale/sales-figures.ts'
import { accountItems, deliveryItems, invoiceItems, NO_BACKUP, notice, swapItems } from '../attention.ts'
import { CHAIN_UNSEEN } from '../components/chain/chain-unseen.ts'
import { chainWarnings } from '../components/chain/chain-warning.ts'
import { setAsideWarnings } from '../components/set-aside.ts'
import type { Site } from '../context.ts'
import { currentRate } from '../current-rate.ts'
import { overviewPage } from '../pages/overview.ts'
import { needsRate, shownSales } from '../shown-sales.ts'

const STUCK_SWAPS = 20

export function overviewPages(site: Site): void {
  const {
    accounts,
    backups,
    blockSpacing,
    dashboard,
    endpoints,
    readiness,
    setAsides,
    storeProfiles,
    swaps,
    webhooks,
    withdrawals,
  } = site.deps

  site.page('GET', '/overview', async (_request, _reply, user) => {
    const summary = await dashboard.summary(user.account)
    const plan = await accounts.overview(user.account)
    const chainProblems = chainWarnings(summary.chainTime, summary.chainProblems, await blockSpacing.current())
    const isChainUnseen = chainProblems.length === 0 && !(await readiness.isChainSeen())
    const ofEndpoints = await endpoints.listWithFailed(user.account)
    const stuck = await swaps.needingAttention(STUCK_SWAPS, user.account.id)
    const setAside = setAsideWarnings(await setAsides.countByKindOf(user.account.id))
    const { currency: ofStore } = await storeProfiles.ofAccountId(user.account.id)
    const currency = figuresCurrency(summary.currency, ofStore) ?? withdrawals.currencies[0] ?? 'USD'
    const rate = needsRate(summary) ? await currentRate(site.deps, currency) : null
    return overviewPage(site.pageUser(user), {
      summary,
      sales: shownSales(summary, currency, rate),
      usage: {
        plan: plan.plan.name,
        used: plan.usedThisMonth,
        limit: plan.plan.monthlyInvoiceLimit,
        resetsAt: plan.resetsAt,
      },
      attention: [
        ...[...(isChainUnseen ? [CHAIN_UNSEEN] : chainProblems), ...setAside].map(notice),
        ...invoiceItems(summary),
        ...swapItems(summary.failedSwaps, stuck),
        ...deliveryItems(await webhooks.countFailed(user.account), ofEndpoints),
        ...((await backups.isMissing()) ? [NO_BACKUP] : []),
        ...accountItems(summary, plan, summary.webhookSet || ofEndpoints.length > 0),
      ],
    })
  })
}
