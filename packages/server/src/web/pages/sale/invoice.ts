import { confirmationSecs, formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import { type Invoice, isClosed, isFinal } from '../../../domain/sale/invoice.ts'
import type { InvoiceReason } from '../../../domain/sale/invoice-state.ts'
import { isTransactionExpired, lastMinableHeight, type PaymentSummary } from '../../../domain/sale/payment.ts'
import type { Refund } from '../../../domain/sale/refund.ts'
import { removedPayments } from '../../../domain/sale/removed-payments.ts'
import type { AttemptRow } from '../../../ports/repository/notify/delivery.ts'
import type { PaymentRow } from '../../../ports/repository/sale/payment.ts'
import { reorgWarning } from '../../components/chain/reorg-warning.ts'
import { copyable, copyButton } from '../../components/copyable.ts'
import { definitionList } from '../../components/definition-list.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { attemptTable } from '../../components/notify/attempt-table.ts'
import { cancelForm, givenSection, rateLine, sendLink } from '../../components/sale/invoice-details.ts'
import { lateNotice } from '../../components/sale/late.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { overpaidNotice } from '../../components/sale/overpaid.ts'
import { refundTable } from '../../components/sale/refund-table.ts'
import { totalOf } from '../../components/sale/total.ts'
import { statusBadges } from '../../components/status-badge.ts'
import { STATUS_REASONS } from '../../components/status-reason.ts'
import { formatAmount, formatZecAmount, groupThousands, shorten, timeElement } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'

interface ConfirmedPayment extends PaymentRow {
  readonly confirmed: number
}

interface InvoiceView {
  readonly invoice: Invoice
  /** Why it has its status; null: not known. */
  readonly because: InvoiceReason | null
  readonly payments: readonly ConfirmedPayment[]
  readonly hasMorePayments: boolean
  readonly sums: PaymentSummary
  readonly attempts: readonly AttemptRow[]
  readonly refunds: readonly Refund[]
  readonly webhookSet: boolean
  /** Height of the last synced block. */
  readonly tip: number
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  /** The address is still watched, so a further payment counts. */
  readonly watched: boolean
  /** Absolute URL of the checkout page. */
  readonly checkoutUrl: string
  /** The simulated wallet can pay it. */
  readonly payable: boolean
  /** Extra content: the swap of the invoice. */
  readonly extra: Child
  readonly flash?: string
  readonly error?: string
}

export function invoicePage(user: PageUser, view: InvoiceView): Html {
  const { invoice, checkoutUrl, flash, error } = view
  const isLive = !isFinal(invoice.status)
  const rechecks = isLate(view) || invoice.needsAttention
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: invoiceTitle(invoice),
    flash,
    error,
    ...(isLive ? { liveInvoiceId: invoice.publicId } : {}),
    rechecks,
    actions: html`${invoice.receivedZat > 0n && html`<a class="button" href="/invoices/${invoice.publicId}/refund">Refund</a>`}<a class="button" href="${checkoutUrl}" target="_blank" rel="noopener">Payment page</a>`,
    body: html`<div class="stack">${liveParts(view)}</div>`,
  })
}

/** Late payments may still arrive. */
function isLate({ invoice, watched }: InvoiceView): boolean {
  return isClosed(invoice.status) && watched
}

function liveParts(view: InvoiceView): Html {
  const { payments, hasMorePayments } = view
  const table = payments.length > 0 ? paymentTable(view) : html`<p class="empty">No payments yet.</p>`
  return html`${livePart('status', statusSection(view))}
      <div class="columns">${liveSection('timeline', 'Timeline', timeline(view))}${liveSection('facts', 'Details', facts(view))}</div>
      ${liveSection('payments', 'Payments', html`${table}${hasMorePayments && html`<p class="below">These are the newest payments. The amounts count all of them.</p>`}`)}
      ${view.refunds.length > 0 && refundSection(view)}
      ${givenSection(view.invoice)}
      ${view.extra}
      ${liveSection('hooks', 'Webhook delivery attempts', deliveryAttempts(view))}
      ${livePart('cancel-part', html`${cancelForm(view.invoice)}`)}`
}

function refundSection({ refunds, invoice }: InvoiceView): Html {
  const rows = refunds.map(refund => ({ refund, invoice }))
  return html`<section class="card" aria-labelledby="refunds"><h2 id="refunds">Refunds</h2>${refundTable(rows, false)}</section>`
}

function liveSection(id: string, title: string, content: Html): Html {
  return html`<section class="card" aria-labelledby="${id}">${livePart(`${id}-part`, html`<h2 id="${id}">${title}</h2>${content}`)}</section>`
}

/** The status, and what it asks of the merchant. */
function statusSection(view: InvoiceView): Html {
  const { invoice, because } = view
  return html`
      <section class="card hero" aria-label="Status"${booleanAttribute('data-recheck', isLate(view))}>
        <p data-announce>${statusBadges(invoice)}</p>
        ${invoice.description !== null && html`<p>${invoice.description}</p>`}
        ${totalOf(invoice, receivedLine(invoice)) || html`<p class="big">The buyer chooses the amount</p>`}
        ${rateLine(invoice)}
        ${because !== null && html`<p class="hint" id="reason">${STATUS_REASONS[because]}</p>`}
      </section>
      ${invoice.needsAttention && reorgWarning({ ...view, removed: removedOf(view) })}
      ${lateNotice(invoice)}
      ${overpaidNotice(invoice)}
      ${awaitsBuyer(invoice) && sendLink(invoice, view.checkoutUrl)}
      ${view.payable && payButton(view)}
    `
}

/** Nothing has been paid yet. */
function awaitsBuyer({ status, receivedZat }: Invoice): boolean {
  return status === 'pending' && receivedZat === 0n
}

function removedOf({ invoice, sums, payments, tip }: InvoiceView) {
  const unmined = payments.filter(({ location }) => location.at !== 'mined')
  return removedPayments(invoice, sums, [...unmined, ...sums.dropped], tip)
}

function receivedLine(invoice: Invoice): Child {
  const { receivedZat, dueZat, overpaidZat, canceledAt, refundedZat } = invoice
  if (receivedZat === 0n) return false
  if (refundedZat !== null) return html` · ${formatZecAmount(refundedZat)} refunded`
  if (overpaidZat > 0n) return html` · overpaid by ${formatZecAmount(overpaidZat)}`
  return (
    dueZat > 0n &&
    html` · ${formatZecAmount(receivedZat)} received, ${formatZecAmount(dueZat)} ${canceledAt === null ? 'left to pay' : 'missing'}`
  )
}

function payButton({ invoice }: InvoiceView): Html {
  return html`<form class="card try" method="post" action="/invoices/${invoice.publicId}/sandbox-payment">
    <p>Sandbox: the demo wallet can pay this invoice.</p><button id="pay" class="primary">Pay this invoice</button></form>`
}

function facts({ invoice, checkoutUrl, spacingSecs }: InvoiceView): Html {
  const { orderId } = invoice
  return definitionList([
    ...(orderId === null ? [] : [['Order', copyable(orderId, 'the order')] as const]),
    ['ID', copyable(invoice.publicId, 'the ID')],
    ['Address', copyable(invoice.address, 'the address')],
    [
      'Transaction',
      invoice.txid === null ? html`<span class="none">none yet</span>` : copyable(invoice.txid, 'the transaction ID'),
    ],
    [
      'Payment page',
      html`<a href="${checkoutUrl}" target="_blank" rel="noopener">Open</a> ${copyButton(checkoutUrl, 'the link to the payment page')}`,
    ],
    [
      'Confirmations',
      `${invoice.confirmations} required, ${formatWaitingTime(confirmationSecs(invoice.confirmations, spacingSecs))}`,
    ],
  ])
}

interface TimelineEntry {
  readonly at: number
  readonly text: Child
  readonly kind: 'past' | 'good' | 'bad' | 'ahead'
}

/** The history of the invoice, followed by what comes next. */
function timeline(view: InvoiceView): Html {
  const items = timelineEntries(view).map(
    ({ at, text, kind }) =>
      html`<li class="${kind}"><span>${text}</span><span class="below">${timeElement(at)}</span></li>`,
  )
  return html`<ol class="timeline">${items}</ol>`
}

function timelineEntries({ invoice, because, payments }: InvoiceView): TimelineEntry[] {
  const { createdAt, expiresAt, paidAt, underpaidAt, canceledAt } = invoice
  const past: TimelineEntry[] = [
    { at: createdAt, text: 'Created', kind: 'past' },
    ...payments.map(payment => ({ at: payment.seenAt, text: paymentLine(payment, invoice), kind: 'past' as const })),
  ]
  // An invoice that was underpaid had expired before, even if it is paid now. Of other paid ones this is not stored.
  const isClosedEarlier = isClosed(invoice.status) || underpaidAt !== null
  if (canceledAt !== null) past.push({ at: canceledAt, text: 'Canceled', kind: 'bad' })
  else if (isClosedEarlier) past.push({ at: expiresAt, text: 'Expired', kind: 'bad' })
  if (paidAt !== null) past.push({ at: paidAt, text: 'Paid: the full amount is confirmed', kind: 'good' })
  past.sort((a, b) => a.at - b.at)
  if (invoice.needsAttention)
    past.push({
      at: invoice.attentionSince ?? paidAt ?? createdAt,
      text: 'Payments were removed after the invoice was paid',
      kind: 'bad',
    })
  return [...past, ...upcoming(invoice, because)]
}

function upcoming({ status, expiresAt, watchUntil }: Invoice, because: InvoiceReason | null): TimelineEntry[] {
  const mayExpire = because === null || because === 'before_expiry'
  const expiry = mayExpire ? 'Expires, if not paid in full' : 'Expiry time: the invoice stays open'
  if (!isFinal(status)) return [{ at: expiresAt, text: expiry, kind: 'ahead' }]
  if (status === 'paid') return []
  return [{ at: watchUntil, text: 'Late payments count until this time', kind: 'ahead' }]
}

function paymentLine({ valueZat, location, seenAt }: ConfirmedPayment, invoice: Invoice): string {
  const { expiresAt, canceledAt } = invoice
  const isLate = seenAt > (canceledAt ?? expiresAt)
  const late = isLate ? ` after the ${canceledAt === null ? 'expiry time' : 'cancellation'}` : ''
  return `${formatZecAmount(valueZat)} detected${late}${location.at === 'dropped' ? ', then dropped' : ''}`
}

function paymentTable({ payments, invoice, tip }: InvoiceView): Html {
  const rows = payments.map(
    payment => html`<tr>
      <td><span class="code" title="${payment.txid}">${shorten(payment.txid, 8, 6)}</span> ${copyButton(payment.txid, 'the transaction ID')}<span class="below">${timeElement(payment.seenAt)}</span><span class="slim">${paymentState(payment, invoice, tip)}</span></td>
      <td class="wide">${paymentState(payment, invoice, tip)}</td>
      <td class="number">${formatAmount(payment.valueZat)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Transaction</th><th scope="col" class="wide">Confirmations</th><th scope="col" class="number">Amount</th></tr></thead><tbody>${rows}</tbody></table>`
}

function paymentState(payment: ConfirmedPayment, invoice: Invoice, tip: number): Html {
  const { location, confirmed, pool, expiryHeight, lastSeenHeight } = payment
  const { confirmations } = invoice
  const last = lastMinableHeight(expiryHeight, lastSeenHeight)
  if (location.at === 'dropped') {
    const expired = isTransactionExpired(expiryHeight, tip)
    return html`<span class="badge badge-bad">${expired ? 'expired' : 'dropped'}</span>${expired && html`<span class="below">not mined by block ${groupThousands(last)}</span>`}`
  }
  if (location.at === 'mempool') {
    const [badge, reason] = unminedBadge(payment, invoice)
    return html`<span class="badge badge-pending">${badge}</span>${reason !== null && html`<span class="below">${reason}</span>`}`
  }
  const progress =
    confirmations > 0 &&
    html` <progress max="${confirmations}" value="${Math.min(confirmed, confirmations)}" aria-label="Confirmations"></progress>`
  return html`${groupThousands(confirmed)}${confirmed < confirmations && html` of ${confirmations}`}${progress}<span class="below">block ${groupThousands(location.height)}, ${pool}</span>`
}

/** The badge text of an unmined payment, and its reason. */
function unminedBadge(
  { vanished, inSnapshot }: ConfirmedPayment,
  { needsAttention }: Invoice,
): [string, string | null] {
  if (vanished !== null) return ['unmined', 'not in the mempool']
  if (!needsAttention) return ['in the mempool', null]
  return inSnapshot ? ['in the mempool', 'waiting to be mined again'] : ['unmined', 'its block was reorged']
}

function deliveryAttempts({ attempts, webhookSet }: InvoiceView): Html {
  if (attempts.length > 0) return attemptTable(attempts)
  if (webhookSet) return html`<p class="empty">No delivery attempts yet.</p>`
  return html`<p class="empty">No webhook is set. <a href="/webhook">Set a webhook</a> to notify your server.</p>`
}
