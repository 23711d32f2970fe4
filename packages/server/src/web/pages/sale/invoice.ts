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
import { MARK_LABELS, statusBadges } from '../../components/status-badge.ts'
import { STATUS_REASONS } from '../../components/status-reason.ts'
import { formatAmount, formatZecAmount, groupThousands, shorten, timeElement } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

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
    actions: html`${invoice.receivedZat > 0n && html`<a class="button" href="/invoices/${invoice.publicId}/refund">${say('refund')}</a>`}<a class="button" href="${checkoutUrl}" target="_blank" rel="noopener">${say('payment_page')}</a>`,
    body: html`<div class="stack">${liveParts(view)}</div>`,
  })
}

/** Late payments may still arrive. */
function isLate({ invoice, watched }: InvoiceView): boolean {
  return isClosed(invoice.status) && watched
}

function liveParts(view: InvoiceView): Html {
  const { payments, hasMorePayments } = view
  const table = payments.length > 0 ? paymentTable(view) : html`<p class="empty">${say('payments_none')}</p>`
  return html`${livePart('status', statusSection(view))}
      <div class="columns">${liveSection('timeline', plain('timeline'), timeline(view))}${liveSection('facts', plain('details'), facts(view))}</div>
      ${liveSection('payments', plain('payments'), html`${table}${hasMorePayments && html`<p class="below">${say('payments_newest')}</p>`}`)}
      ${view.refunds.length > 0 && refundSection(view)}
      ${givenSection(view.invoice)}
      ${view.extra}
      ${liveSection('hooks', plain('invoice_deliveries'), deliveryAttempts(view))}
      ${livePart('cancel-part', html`${cancelForm(view.invoice)}`)}`
}

function refundSection({ refunds, invoice }: InvoiceView): Html {
  const rows = refunds.map(refund => ({ refund, invoice }))
  return html`<section class="card" aria-labelledby="refunds"><h2 id="refunds">${say('refunds')}</h2>${refundTable(rows, false)}</section>`
}

function liveSection(id: string, title: string, content: Html): Html {
  return html`<section class="card" aria-labelledby="${id}">${livePart(`${id}-part`, html`<h2 id="${id}">${title}</h2>${content}`)}</section>`
}

/** The status, and what it asks of the merchant. */
function statusSection(view: InvoiceView): Html {
  const { invoice, because } = view
  return html`
      <section class="card hero" aria-label="${plain('status')}"${booleanAttribute('data-recheck', isLate(view))}>
        <p data-announce>${statusBadges(invoice)}</p>
        ${invoice.description !== null && html`<p>${invoice.description}</p>`}
        ${totalOf(invoice, receivedLine(invoice)) || html`<p class="big">${say('buyer_chooses')}</p>`}
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
function awaitsBuyer({ status, receivedZat, markedAs }: Invoice): boolean {
  return status === 'pending' && receivedZat === 0n && markedAs === null
}

function removedOf({ invoice, sums, payments, tip }: InvoiceView) {
  const unmined = payments.filter(({ location }) => location.at !== 'mined')
  return removedPayments(invoice, sums, [...unmined, ...sums.dropped], tip)
}

function receivedLine(invoice: Invoice): Child {
  const { receivedZat, dueZat, overpaidZat, canceledAt, markedAs, refundedZat } = invoice
  const isAsked = canceledAt === null && markedAs === null
  if (receivedZat === 0n) return false
  if (refundedZat !== null) return html` · ${say('amount_refunded', { amount: formatZecAmount(refundedZat) })}`
  if (overpaidZat > 0n) return html` · ${say('overpaid_by', { amount: formatZecAmount(overpaidZat) })}`
  return (
    dueZat > 0n &&
    html` · ${say(isAsked ? 'received_left' : 'received_missing', { received: formatZecAmount(receivedZat), rest: formatZecAmount(dueZat) })}`
  )
}

function payButton({ invoice }: InvoiceView): Html {
  return html`<form class="card try" method="post" action="/invoices/${invoice.publicId}/sandbox-payment">
    <p>${say('invoice_sandbox')}</p><button id="pay" class="primary">${say('invoice_sandbox_pay')}</button></form>`
}

function facts({ invoice, checkoutUrl, spacingSecs }: InvoiceView): Html {
  const { orderId } = invoice
  return definitionList([
    ...(orderId === null ? [] : [[plain('order'), copyable(orderId, plain('the_order'))] as const]),
    [plain('id'), copyable(invoice.publicId, plain('the_id'))],
    [plain('address'), copyable(invoice.address, plain('the_address'))],
    [
      plain('transaction'),
      invoice.txid === null
        ? html`<span class="none">${say('none_yet')}</span>`
        : copyable(invoice.txid, plain('the_transaction_id')),
    ],
    [
      plain('payment_page'),
      html`<a href="${checkoutUrl}" target="_blank" rel="noopener">${say('open')}</a> ${copyButton(checkoutUrl, plain('the_payment_page_link'))}`,
    ],
    [
      plain('confirmations'),
      plain('confirmations_needed', {
        count: invoice.confirmations,
        time: formatWaitingTime(confirmationSecs(invoice.confirmations, spacingSecs)),
      }),
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
  const { createdAt, expiresAt, paidAt, underpaidAt, canceledAt, markedAs, markedAt } = invoice
  const past: TimelineEntry[] = [
    { at: createdAt, text: plain('created'), kind: 'past' },
    ...payments.map(payment => ({ at: payment.seenAt, text: paymentLine(payment, invoice), kind: 'past' as const })),
  ]
  // An invoice that was underpaid had expired before, even if it is paid now. Of other paid ones this is not stored.
  const isClosedEarlier = isClosed(invoice.status) || underpaidAt !== null
  if (canceledAt !== null) past.push({ at: canceledAt, text: plain('timeline_canceled'), kind: 'bad' })
  else if (isClosedEarlier) past.push({ at: expiresAt, text: plain('timeline_expired'), kind: 'bad' })
  if (markedAs !== null && markedAt !== null) past.push({ at: markedAt, text: MARK_LABELS[markedAs], kind: 'past' })
  if (paidAt !== null) past.push({ at: paidAt, text: plain('timeline_paid'), kind: 'good' })
  past.sort((a, b) => a.at - b.at)
  if (invoice.needsAttention)
    past.push({
      at: invoice.attentionSince ?? paidAt ?? createdAt,
      text: plain('timeline_removed'),
      kind: 'bad',
    })
  return [...past, ...upcoming(invoice, because)]
}

function upcoming({ status, expiresAt, watchUntil }: Invoice, because: InvoiceReason | null): TimelineEntry[] {
  const mayExpire = because === null || because === 'before_expiry'
  const expiry = mayExpire ? plain('timeline_expires') : plain('timeline_stays_open')
  if (!isFinal(status)) return [{ at: expiresAt, text: expiry, kind: 'ahead' }]
  if (status === 'paid') return []
  return [{ at: watchUntil, text: plain('timeline_late_until'), kind: 'ahead' }]
}

function paymentLine({ valueZat, location, seenAt }: ConfirmedPayment, invoice: Invoice): string {
  const { expiresAt, canceledAt } = invoice
  const isLate = seenAt > (canceledAt ?? expiresAt)
  const late = canceledAt === null ? 'payment_detected_after_expiry' : 'payment_detected_after_cancellation'
  const line = plain(isLate ? late : 'payment_detected', { amount: formatZecAmount(valueZat) })
  return location.at === 'dropped' ? plain('payment_detected_dropped', { line }) : line
}

function paymentTable({ payments, invoice, tip }: InvoiceView): Html {
  const rows = payments.map(
    payment => html`<tr>
      <td><span class="code" title="${payment.txid}">${shorten(payment.txid, 8, 6)}</span> ${copyButton(payment.txid, plain('the_transaction_id'))}<span class="below">${timeElement(payment.seenAt)}</span><span class="slim">${paymentState(payment, invoice, tip)}</span></td>
      <td class="wide">${paymentState(payment, invoice, tip)}</td>
      <td class="number">${formatAmount(payment.valueZat)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">${say('transaction')}</th><th scope="col" class="wide">${say('confirmations')}</th><th scope="col" class="number">${say('amount')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

function paymentState(payment: ConfirmedPayment, invoice: Invoice, tip: number): Html {
  const { location, confirmed, pool, expiryHeight, lastSeenHeight } = payment
  const { confirmations } = invoice
  const last = lastMinableHeight(expiryHeight, lastSeenHeight)
  if (location.at === 'dropped') {
    const expired = isTransactionExpired(expiryHeight, tip)
    return html`<span class="badge badge-bad">${say(expired ? 'payment_expired' : 'payment_dropped')}</span>${expired && html`<span class="below">${say('payment_not_mined', { height: groupThousands(last) })}</span>`}`
  }
  if (location.at === 'mempool') {
    const [badge, reason] = unminedBadge(payment, invoice)
    return html`<span class="badge badge-pending">${badge}</span>${reason !== null && html`<span class="below">${reason}</span>`}`
  }
  const progress =
    confirmations > 0 &&
    html` <progress max="${confirmations}" value="${Math.min(confirmed, confirmations)}" aria-label="${plain('confirmations')}"></progress>`
  return html`${confirmed < confirmations ? say('payment_confirmed_of', { confirmed, needed: confirmations }) : groupThousands(confirmed)}${progress}<span class="below">${say('payment_block', { height: groupThousands(location.height), pool })}</span>`
}

/** The badge text of an unmined payment, and its reason. */
function unminedBadge(
  { vanished, inSnapshot }: ConfirmedPayment,
  { needsAttention }: Invoice,
): [string, string | null] {
  if (vanished !== null) return [plain('payment_unmined'), plain('payment_not_in_mempool')]
  if (!needsAttention) return [plain('payment_in_mempool'), null]
  return inSnapshot
    ? [plain('payment_in_mempool'), plain('payment_waiting')]
    : [plain('payment_unmined'), plain('payment_reorged')]
}

function deliveryAttempts({ attempts, webhookSet }: InvoiceView): Html {
  if (attempts.length > 0) return attemptTable(attempts)
  if (webhookSet) return html`<p class="empty">${say('attempts_none_yet')}</p>`
  return html`<p class="empty">${say('webhook_not_set', { link: '/webhook' })}</p>`
}
