import { REFUND_STATUSES, type RefundStatus, type RefundWithInvoice } from '../../../domain/sale/refund.ts'
import type { Totals } from '../../../ports/repository/page.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { exportButton, filterForm, totalsLine } from '../../components/list.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { REFUND_LABELS } from '../../components/sale/refund-badge.ts'
import { refundTable } from '../../components/sale/refund-table.ts'
import { saleTabs } from '../../components/sale/tabs.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface RefundsView extends PagerLinks {
  readonly refunds: readonly RefundWithInvoice[]
  readonly status: RefundStatus | null
  /** The totals of all refunds of the filter. */
  readonly totals: Totals
  /** The token of the form that exports. */
  readonly token: string
  readonly error?: string
}

/** The most refunds of one payment request: its QR code must stay readable. */
export const MAX_PAID_AT_ONCE = 10

export function refundsPage(user: PageUser, view: RefundsView): Html {
  const { refunds, status, totals, token } = view
  const isPayable = refunds.some(({ refund }) => refund.status === 'ready')
  const none = plain(status === null ? 'refunds_none' : 'refunds_no_match')
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: plain('refunds'),
    error: view.error,
    body: html`
      ${saleTabs('/refunds')}
      <p class="lead">${say('refunds_lead')}</p>
      ${filter(status)}
      <section class="card" aria-label="${plain('refunds')}">
        ${refunds.length > 0 && html`<div class="summary">${totalsLine(totals, 'refunds')}${exportButton('refunds', token, { status: status ?? '' })}</div>`}
        <form method="post" action="/refunds/pay" aria-label="${plain('refunds')}">
          ${refunds.length > 0 ? refundTable(refunds, true) : html`<p class="empty">${none}</p>`}
          ${isPayable && html`<p><button class="primary">${say('refunds_pay_selected')}</button> <span class="hint">${say('refunds_pay_selected_hint', { max: MAX_PAID_AT_ONCE })}</span></p>`}
        </form>
        ${pager(view)}
      </section>`,
  })
}

function filter(status: RefundStatus | null): Html {
  const options = REFUND_STATUSES.map(
    name =>
      html`<option value="${name}"${booleanAttribute('selected', name === status)}>${REFUND_LABELS[name][1].toLowerCase()}</option>`,
  )
  return filterForm({
    path: '/refunds',
    label: plain('refunds_filter'),
    used: status === null ? 0 : 1,
    isFiltered: status !== null,
    fields: html`<div class="field"><label for="status">${say('status')}</label><select id="status" name="status"><option value="">${say('any')}</option>${options}</select></div>`,
  })
}
