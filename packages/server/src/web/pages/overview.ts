import { formatCount } from '../../domain/count.ts'
import type { DashboardSummary } from '../../services/sale/dashboard.ts'
import { type AttentionItem, attentionCard } from '../components/attention.ts'
import { firstSteps } from '../components/first-steps.ts'
import { dashboardPage, type PageUser } from '../components/layout.ts'
import { livePart } from '../components/live.ts'
import { invoiceTable } from '../components/sale/invoice-table.ts'
import { salesCard } from '../components/sale/sales-card.ts'
import { groupThousands, timeElement } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { ShownSales } from '../shown-sales.ts'

interface OverviewView {
  readonly summary: DashboardSummary
  readonly sales: ShownSales
  readonly usage: {
    readonly plan: string
    readonly used: number
    readonly limit: number | null
    readonly resetsAt: number
  }
  readonly attention: readonly AttentionItem[]
}

export function overviewPage(user: PageUser, view: OverviewView): Html {
  const { setupSteps, days } = view.summary
  const setUp = setupSteps.viewingKey && setupSteps.apiKey && setupSteps.invoice
  return dashboardPage({
    ...user,
    menuPath: '/overview',
    title: 'Overview',
    isLive: true,
    actions:
      setupSteps.viewingKey && html`<a class="button${setUp && ' primary'}" href="/invoices/new">New invoice</a>`,
    body: html`
      ${!setUp && firstSteps(setupSteps)}
      ${livePart('attention-part', html`${view.attention.length > 0 && attentionCard(view.attention)}`)}
      ${setupSteps.invoice && html`${livePart('sales-part', salesCard(view.sales, days))}${livePart('now', now(view))}`}
    `,
  })
}

/** What is open, and the newest invoices. It brings the page up to date for as long as it is shown. */
function now({ summary, usage }: OverviewView): Html {
  const { open, recent } = summary
  const limitText = usage.limit === null ? 'no limit' : `of ${groupThousands(usage.limit)}`
  return html`<section class="figures" aria-label="Now" data-recheck>
    <div class="card figure"><h2>Open invoices</h2><p class="big">${formatCount(open.pending + open.detected)}</p><p class="below"><a href="/invoices?status=pending">${formatCount(open.pending)} pending</a> · <a href="/invoices?status=detected">${formatCount(open.detected)} detected</a></p></div>
    <div class="card figure"><h2>${usage.plan} plan</h2><p class="big">${groupThousands(usage.used)}</p><p class="below">invoices this month, ${limitText} · resets ${timeElement(usage.resetsAt)}</p></div>
  </section>
  ${recent.length > 0 && html`<section class="card" aria-labelledby="recent"><h2 id="recent">Recent invoices</h2>${invoiceTable(recent)}<p><a href="/invoices">All invoices</a></p></section>`}`
}
