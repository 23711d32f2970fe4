import { REFUND_STATUSES, type RefundStatus, type RefundWithInvoice } from '../../../domain/sale/refund.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { REFUND_LABELS } from '../../components/sale/refund-badge.ts'
import { refundTable } from '../../components/sale/refund-table.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

interface RefundsView {
  readonly refunds: readonly RefundWithInvoice[]
  readonly status: RefundStatus | null
  readonly newest: string | null
  readonly older: string | null
  readonly error?: string
}

/** The most refunds of one payment request: its QR code must stay readable. */
export const MAX_PAID_AT_ONCE = 10

export function refundsPage(user: PageUser, view: RefundsView): Html {
  const { refunds, status } = view
  const isPayable = refunds.some(({ refund }) => refund.status === 'ready')
  const none = status === null ? 'No refunds yet. Create one on the page of an invoice.' : 'No matching refunds.'
  return dashboardPage({
    ...user,
    menuPath: '/refunds',
    title: 'Refunds',
    error: view.error,
    actions: html`<a class="button" href="/export?kind=refunds">Export</a>`,
    body: html`
      <p class="lead">What you send back to buyers. zatgate cannot spend: your own wallet pays, and you mark the refund as sent.</p>
      ${filter(status)}
      <form class="card" method="post" action="/refunds/pay" aria-label="Refunds">
        ${refunds.length > 0 ? refundTable(refunds, true) : html`<p class="empty">${none}</p>`}
        ${isPayable && html`<p><button class="primary">Pay the selected</button> <span class="hint">Up to ${MAX_PAID_AT_ONCE} at once, by one payment of your wallet.</span></p>`}
        ${pager(view)}
      </form>`,
  })
}

function filter(status: RefundStatus | null): Html {
  const options = REFUND_STATUSES.map(
    name =>
      html`<option value="${name}"${booleanAttribute('selected', name === status)}>${REFUND_LABELS[name][1].toLowerCase()}</option>`,
  )
  return html`<form class="filters" method="get" action="/refunds" role="search" aria-label="Filter refunds">
    <div class="field"><label for="status">Status</label><select id="status" name="status"><option value="">any</option>${options}</select></div>
    <div class="field buttons"><button>Show</button></div>
  </form>`
}
