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
import { plain, say } from '../text/dashboard.ts'

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
    title: plain('overview'),
    isLive: true,
    actions:
      setupSteps.viewingKey &&
      html`<a class="button${setUp && ' primary'}" href="/invoices/new">${say('invoice_new')}</a>`,
    body: html`
      ${!setUp && firstSteps(setupSteps)}
      ${livePart('attention-part', html`${view.attention.length > 0 && attentionCard(view.attention)}`)}
      ${setupSteps.invoice && html`${livePart('sales-part', salesCard(view.sales, days))}${livePart('now', now(view))}`}
    `,
  })
}

/** The counts of open invoices and of the plan's usage, and the newest invoices. Keeps the page up to date. */
function now({ summary, usage }: OverviewView): Html {
  const { open, recent } = summary
  const { used, limit, resetsAt } = usage
  return html`<section class="figures" aria-label="${plain('overview_now')}" data-recheck>
    <div class="card figure"><h2>${say('overview_open')}</h2><p class="big">${formatCount(open.pending + open.detected)}</p><p class="below">${say('overview_pending', { count: formatCount(open.pending), link: '/invoices?status=pending' })} · ${say('overview_detected', { count: formatCount(open.detected), link: '/invoices?status=detected' })}</p></div>
    <div class="card figure"><h2>${say('overview_plan', { plan: usage.plan })}</h2><p class="big">${groupThousands(used)}</p><p class="below">${limit === null ? say('overview_used_no_limit', { count: used, time: timeElement(resetsAt) }) : say('overview_used_of', { count: used, limit, time: timeElement(resetsAt) })}</p></div>
  </section>
  ${recent.length > 0 && html`<section class="card" aria-labelledby="recent"><h2 id="recent">${say('overview_recent')}</h2>${invoiceTable(recent)}<p><a href="/invoices">${say('overview_all')}</a></p></section>`}`
}
