import { type InvoiceStatus, isFinal } from '../../domain/invoice.ts'
import { missingPayments } from '../../domain/missing-payments.ts'
import { isDead, lastMinableHeight } from '../../domain/payment.ts'
import { confirmationSecs, waitingTimeText } from '../../domain/waiting-time.ts'
import type { Invoice, PaymentRow } from '../../ports/repository/invoice.ts'
import type { AttemptRow } from '../../ports/repository/webhook.ts'
import { dashboardPage } from '../components/layout.ts'
import { copyable, copyButton, definitions, liveAttributes, statusBadge } from '../components/parts.ts'
import { grouped, moment, money, shortened, zec } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'
import { reorgNotice } from './reorged.ts'
import { attemptTable } from './webhook.ts'

export interface SeenPayment extends PaymentRow {
  readonly confirmed: number
}

export interface InvoiceView {
  readonly invoice: Invoice
  readonly payments: readonly SeenPayment[]
  readonly attempts: readonly AttemptRow[]
  readonly webhookSet: boolean
  /** Height of the last block read. */
  readonly tip: number
  /** Seconds between blocks now. */
  readonly spacingSecs: number
  /** A further payment to the invoice's address still counts. */
  readonly watched: boolean
  /** The buyer's page, absolute. */
  readonly checkoutUrl: string
  /** The simulated wallet can pay it. */
  readonly payable: boolean
  /** What the parts that come later say of this invoice: its swap. */
  readonly further: Child
  readonly notice?: string
  readonly error?: string
}

export function invoicePage(viewer: Viewer, view: InvoiceView): Html {
  const { invoice, checkoutUrl, notice, error } = view
  const following = !isFinal(invoice.status)
  const content = liveContent(view)
  return dashboardPage({
    ...viewer,
    at: '/invoices',
    title: `Invoice ${shortened(invoice.publicId, 8, 0)}`,
    notice,
    error,
    ...(following ? { follow: invoice.publicId } : {}),
    actions: html`<a class="button" href="${checkoutUrl}" target="_blank" rel="noopener">Payment page</a>`,
    body: html`<div class="stack"${liveAttributes('live', content)}>${content}</div>`,
  })
}

function liveContent(view: InvoiceView): Html {
  const { invoice } = view
  return html`
      <section class="card hero" aria-label="Status">
        <p data-announce>${statusBadge(invoice.status)}${invoice.needsAttention && html` <span class="badge badge-bad">Payment missing</span>`}</p>
        <p class="big">${zec(invoice.amountZat)}</p>
        <p class="below">${grouped(invoice.amountZat)} zat${receivedLine(invoice)}</p>
      </section>
      ${invoice.needsAttention && reorgNotice({ ...view, missing: missingPayments(invoice, view.payments, view.tip) })}
      ${view.payable && payButton(view)}
      <div class="columns">
        <section class="card" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>${timeline(view)}</section>
        <section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${facts(view)}</section>
      </div>
      <section class="card" aria-labelledby="payments"><h2 id="payments">Payments</h2>${view.payments.length > 0 ? paymentTable(view) : html`<p class="empty">No payment seen yet.</p>`}</section>
      ${view.further}
      <section class="card" aria-labelledby="hooks"><h2 id="hooks">Webhook attempts</h2>${hooks(view)}</section>
    `
}

function receivedLine({ receivedZat, overpaidZat, amountZat }: Invoice): Child {
  if (receivedZat === 0n) return false
  if (overpaidZat > 0n) return html` · ${zec(overpaidZat)} more than asked for`
  return receivedZat < amountZat && html` · ${zec(receivedZat)} received, ${zec(amountZat - receivedZat)} missing`
}

function payButton({ invoice }: InvoiceView): Html {
  return html`<form class="card try" method="post" action="/invoices/${invoice.publicId}/sandbox-payment">
    <p>This is the sandbox: its wallet can play the buyer.</p><button id="pay" class="primary">Pay this invoice</button></form>`
}

function facts({ invoice, checkoutUrl, spacingSecs }: InvoiceView): Html {
  return definitions([
    ['Id', copyable(invoice.publicId, 'the id')],
    ['Address', copyable(invoice.address, 'the address')],
    [
      'Transaction',
      invoice.txid === null ? html`<span class="none">none yet</span>` : copyable(invoice.txid, 'the transaction id'),
    ],
    [
      'Payment page',
      html`<a href="${checkoutUrl}" target="_blank" rel="noopener">Open</a> ${copyButton(checkoutUrl, 'the link to the payment page')}`,
    ],
    [
      'Confirmations',
      `${invoice.confirmations} to count as paid, ${waitingTimeText(confirmationSecs(invoice.confirmations, spacingSecs))}`,
    ],
  ])
}

interface Moment {
  readonly at: number
  readonly what: Child
  readonly kind: 'past' | 'good' | 'bad' | 'ahead'
}

/** From created to paid, as far as it has come; what lies ahead comes last. */
function timeline(view: InvoiceView): Html {
  const items = momentsOf(view).map(
    ({ at, what, kind }) => html`<li class="${kind}"><span>${what}</span><span class="below">${moment(at)}</span></li>`,
  )
  return html`<ol class="timeline">${items}</ol>`
}

function momentsOf({ invoice, payments }: InvoiceView): Moment[] {
  const past: Moment[] = [
    { at: invoice.createdAt, what: 'Created', kind: 'past' },
    ...payments.map(payment => ({ at: payment.seenAt, what: paymentLine(payment), kind: 'past' as const })),
  ]
  if (isLate(invoice.status, payments, invoice.expiresAt))
    past.push({ at: invoice.expiresAt, what: 'Expired', kind: 'bad' })
  if (invoice.paidAt !== null)
    past.push({ at: invoice.paidAt, what: 'Paid: the full amount is confirmed', kind: 'good' })
  past.sort((a, b) => a.at - b.at)
  if (invoice.needsAttention)
    past.push({
      at: invoice.attentionSince ?? invoice.paidAt ?? invoice.createdAt,
      what: 'The chain took a payment back after this was paid',
      kind: 'bad',
    })
  return [...past, ...ahead(invoice)]
}

/** Whether it expired on its way, even if late money has paid it since. */
function isLate(status: InvoiceStatus, payments: readonly SeenPayment[], expiresAt: number): boolean {
  if (status === 'expired' || status === 'underpaid') return true
  const live = payments.filter(({ place }) => place.at !== 'dropped')
  return status === 'paid' && live.length > 0 && live.every(({ seenAt }) => seenAt > expiresAt)
}

function ahead({ status, expiresAt, watchUntil }: Invoice): Moment[] {
  if (status === 'pending' || status === 'detected')
    return [{ at: expiresAt, what: 'Expires, if not paid in full', kind: 'ahead' }]
  if (status === 'paid') return []
  return [{ at: watchUntil, what: 'Late money still counts until then', kind: 'ahead' }]
}

function paymentLine({ valueZat, place }: SeenPayment): string {
  return `${zec(valueZat)} ${place.at === 'dropped' ? 'was seen, and vanished' : 'seen'}`
}

function paymentTable({ payments, invoice, tip }: InvoiceView): Html {
  const rows = payments.map(
    payment => html`<tr>
      <td><span class="code" title="${payment.txid}">${shortened(payment.txid, 8, 6)}</span> ${copyButton(payment.txid, 'the transaction id')}<span class="below">${moment(payment.seenAt)}</span><span class="slim">${placeOf(payment, invoice, tip)}</span></td>
      <td class="wide">${placeOf(payment, invoice, tip)}</td>
      <td class="number">${money(payment.valueZat)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Transaction</th><th scope="col" class="wide">Confirmations</th><th scope="col" class="number">Amount</th></tr></thead><tbody>${rows}</tbody></table>`
}

function placeOf(payment: SeenPayment, invoice: Invoice, tip: number): Html {
  const { place, confirmed, pool, expiryHeight, lastSeenHeight } = payment
  const { confirmations } = invoice
  const last = lastMinableHeight(expiryHeight, lastSeenHeight)
  if (place.at === 'dropped') {
    const expired = isDead(expiryHeight, tip)
    return html`<span class="badge badge-bad">${expired ? 'expired' : 'vanished'}</span>${expired && html`<span class="below">not mined by block ${grouped(last)}</span>`}`
  }
  if (place.at === 'mempool') {
    const [badge, why] = unminedWords(payment, invoice)
    return html`<span class="badge badge-pending">${badge}</span>${why !== null && html`<span class="below">${why}</span>`}`
  }
  const progress =
    confirmations > 0 &&
    html` <progress max="${confirmations}" value="${Math.min(confirmed, confirmations)}" aria-label="Confirmations"></progress>`
  return html`${grouped(confirmed)}${confirmed < confirmations && html` of ${confirmations}`}${progress}<span class="below">block ${grouped(place.height)}, ${pool}</span>`
}

/** A badge and what it means, for a payment that is not in a block. */
function unminedWords({ missing, inSnapshot }: SeenPayment, { needsAttention }: Invoice): [string, string | null] {
  if (missing !== null) return ['unmined', 'not in the mempool of the server']
  if (!needsAttention) return ['in the mempool', null]
  return inSnapshot ? ['in the mempool', 'waits to be mined again'] : ['unmined', 'taken out of its block']
}

function hooks({ attempts, webhookSet }: InvoiceView): Html {
  if (attempts.length > 0) return attemptTable(attempts)
  if (webhookSet) return html`<p class="empty">Nothing sent yet.</p>`
  return html`<p class="empty">No webhook is set. <a href="/webhook">Set one</a> to have your server told.</p>`
}
