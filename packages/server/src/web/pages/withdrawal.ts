import { isFinal } from '../../domain/invoice.ts'
import { decimalZec, paymentUri } from '../../domain/payment-uri.ts'
import { decimalsOf } from '../../domain/rate.ts'
import { confirmationSecs, waitingTimeText } from '../../domain/waiting-time.ts'
import { fiatAmount } from '../../domain/withdrawal.ts'
import type { Ordered } from '../../services/withdrawal.ts'
import { fiat } from '../components/fiat.ts'
import { dashboardPage } from '../components/layout.ts'
import { actionButton, copyable, copyButton, definitions, liveAttributes } from '../components/parts.ts'
import { qrCode } from '../components/qr-code.ts'
import { moment, money, shortened, zat, zec } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'
import { withdrawalBadge } from './withdrawal-list.ts'

export interface WithdrawalView extends Ordered {
  /** The simulated wallet can make the deposit. */
  readonly payable: boolean
  /** Seconds between blocks now. */
  readonly spacingSecs: number
  readonly error?: string
}

export function withdrawalPage(viewer: Viewer, view: WithdrawalView): Html {
  const { withdrawal, invoice, error } = view
  const content = liveContent(view)
  return dashboardPage({
    ...viewer,
    at: '/withdrawals',
    title: `Withdrawal ${shortened(withdrawal.publicId, 8, 0)}`,
    error,
    ...(isFinal(invoice.status) ? {} : { follow: invoice.publicId }),
    body: html`<div class="stack"${liveAttributes('live', content)}>${content}</div>`,
  })
}

function liveContent(view: WithdrawalView): Html {
  const { withdrawal } = view
  return html`
    <section class="card hero" aria-label="Status">
      <p data-announce>${withdrawalBadge(withdrawal.status)}</p>
      <p class="big">${fiat(withdrawal.fiatAmount, withdrawal.fiatCurrency)}</p>
      <p class="below">for ${zec(withdrawal.amountZat)}</p>
      <p>${explanation(view)}</p>
    </section>
    ${view.payable && payButton(view)}
    <div class="columns">
      ${withdrawal.status === 'awaiting_deposit' && deposit(view)}
      <section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${facts(view)}</section>
    </div>`
}

function explanation({ withdrawal, invoice, spacingSecs }: WithdrawalView): Child {
  switch (withdrawal.status) {
    case 'awaiting_deposit':
      return html`Pay exactly ${zec(withdrawal.amountZat)} from your wallet until ${moment(invoice.expiresAt)}. The rate holds until then.`
    case 'deposit_detected':
      return `Your deposit has been seen. It counts once the network has confirmed it, usually ${invoice.confirmations > 0 ? 'in ' : ''}${waitingTimeText(confirmationSecs(invoice.confirmations, spacingSecs))}.`
    case 'payout_processing':
      return 'Your deposit is confirmed, and the payout is on its way.'
    case 'completed':
      return 'The payout is made.'
    case 'canceled':
      return 'You have canceled this order. Please pay it no more.'
    case 'expired':
      return 'No deposit came in time. Please pay this order no more; make a new one.'
    case 'failed':
      return 'The payout was not made. Please ask the operator what becomes of the deposit.'
    case 'needs_attention':
      return 'What came does not fit the order: too little, too much, too late, or taken back by the network. The operator looks at it.'
  }
}

function deposit({ withdrawal, invoice }: WithdrawalView): Html {
  const missing = withdrawal.amountZat - invoice.receivedZat
  const uri = paymentUri(invoice.address, missing, withdrawal.publicId)
  const untouched = invoice.receivedZat === 0n
  return html`<section class="card checkout" aria-labelledby="deposit"><h2 id="deposit">Deposit</h2>
    <a class="qr-link" href="${uri}">${qrCode(uri, 'Payment request as a QR code')}</a>
    <p><a class="button primary full" href="${uri}">Open in your wallet</a></p>
    <dl class="facts stacked">
      <div><dt>Exactly</dt><dd><code>${zec(missing)}</code> ${copyButton(decimalZec(missing), 'the amount')}</dd></div>
      <div><dt>To this address</dt><dd><code>${invoice.address}</code> ${copyButton(invoice.address, 'the address')}</dd></div>
    </dl>
    ${untouched && actionButton(`/withdrawals/${withdrawal.publicId}/cancel`, 'Cancel this order', { kind: 'danger' })}
  </section>`
}

function payButton({ withdrawal }: WithdrawalView): Html {
  return html`<form class="card try" method="post" action="/withdrawals/${withdrawal.publicId}/sandbox-payment">
    <p>This is the sandbox: its wallet can play yours.</p><button id="pay" class="primary">Make the deposit</button></form>`
}

function facts({ withdrawal, invoice, maskedPayoutTo }: WithdrawalView): Html {
  const { fiatCurrency: currency } = withdrawal
  const received = fiat(fiatAmount(invoice.receivedZat, withdrawal.rate, 0, decimalsOf(currency)), currency)
  const rows: [string, Child][] = [
    ['Id', copyable(withdrawal.publicId, 'the id')],
    ['Rate', `${fiat(withdrawal.rate, currency)} for 1 ZEC`],
    ['Asked for', money(withdrawal.amountZat)],
    [
      'Deposited',
      invoice.receivedZat === 0n
        ? html`<span class="none">nothing yet</span>`
        : html`${zec(invoice.receivedZat)}<span class="below">${zat(invoice.receivedZat)}, ${received} at that rate</span>`,
    ],
    [
      'Transaction',
      invoice.txid === null ? html`<span class="none">none yet</span>` : copyable(invoice.txid, 'the transaction id'),
    ],
    ['Paid out to', maskedPayoutTo],
    ['Ordered', moment(withdrawal.createdAt)],
  ]
  if (withdrawal.reference !== null) rows.push(['Reference', copyable(withdrawal.reference, 'the reference')])
  if (withdrawal.reason !== null) rows.push(['Reason', withdrawal.reason])
  return definitions(rows)
}
