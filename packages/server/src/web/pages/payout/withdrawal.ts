import { fiatAmount } from '../../../domain/payout/withdrawal.ts'
import { currencyDecimals } from '../../../domain/rate.ts'
import { confirmationSecs, formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import { isFinal } from '../../../domain/sale/invoice.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import type { WithdrawalWithInvoice } from '../../../services/payout/withdrawal.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { copyable } from '../../components/copyable.ts'
import { definitionList } from '../../components/definition-list.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { withdrawalBadge } from '../../components/payout/withdrawal-badge.ts'
import { formatFiat } from '../../components/sale/fiat.ts'
import { manualPayment, walletLink } from '../../components/sale/payment-request.ts'
import { bigAmount, formatAmount, formatZat, formatZecAmount, shorten, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'

interface WithdrawalView extends WithdrawalWithInvoice {
  /** The simulated wallet can make the deposit. */
  readonly payable: boolean
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  readonly error?: string
}

export function withdrawalPage(user: PageUser, view: WithdrawalView): Html {
  const { withdrawal, invoice, error } = view
  return dashboardPage({
    ...user,
    menuPath: '/withdrawals',
    title: `Payout ${shorten(withdrawal.publicId, 8, 0)}`,
    error,
    ...(isFinal(invoice.status) ? {} : { liveInvoiceId: invoice.publicId }),
    body: html`<div class="stack">${livePart('live', liveContent(view))}</div>`,
  })
}

function liveContent(view: WithdrawalView): Html {
  const { withdrawal } = view
  return html`
    <section class="card hero" aria-label="Status">
      <p data-announce>${withdrawalBadge(withdrawal.status)}</p>
      ${bigAmount(formatFiat(withdrawal.fiatAmount, withdrawal.fiatCurrency))}
      <p class="below">for ${formatZecAmount(withdrawal.amountZat)}</p>
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
      return html`Pay exactly ${formatZecAmount(withdrawal.amountZat)} from your wallet before ${timeElement(invoice.expiresAt)}. The rate is fixed until then.`
    case 'deposit_detected':
      return `The deposit has been detected. It counts once the network confirms it, usually ${invoice.confirmations > 0 ? 'in ' : ''}${formatWaitingTime(confirmationSecs(invoice.confirmations, spacingSecs))}.`
    case 'payout_processing':
      return 'The deposit is confirmed. The payout is in progress.'
    case 'completed':
      return 'The payout is complete.'
    case 'canceled':
      return 'You canceled this payout. Do not pay it.'
    case 'expired':
      return 'No deposit arrived in time. Do not pay it. Create a new one instead.'
    case 'failed':
      return 'The payout failed. Please contact the operator about your deposit.'
    case 'needs_attention':
      return 'The deposit does not match the payout: too little, too much, too late, or removed by a reorganisation. The operator reviews it.'
  }
}

function deposit({ withdrawal, invoice }: WithdrawalView): Html {
  const { address, dueZat, receivedZat } = invoice
  const cancelable = receivedZat === 0n
  return html`<section class="card checkout" aria-labelledby="deposit"><h2 id="deposit">Deposit</h2>
    ${walletLink(paymentUri(address, dueZat, withdrawal.publicId))}
    ${manualPayment(dueZat, address)}
    ${cancelable && confirmedButton(`/withdrawals/${withdrawal.publicId}/cancel`, 'Cancel payout', { question: 'Cancel this payout?', consequence: 'Its rate is given up, and a deposit afterwards has to be sorted out by the operator.' })}
  </section>`
}

function payButton({ withdrawal }: WithdrawalView): Html {
  return html`<form class="card try" method="post" action="/withdrawals/${withdrawal.publicId}/sandbox-payment">
    <p>Sandbox: the demo wallet can make the deposit.</p><button id="pay" class="primary">Make the deposit</button></form>`
}

function facts({ withdrawal, invoice, maskedPayoutTo }: WithdrawalView): Html {
  const { fiatCurrency: currency } = withdrawal
  const received = formatFiat(fiatAmount(invoice.receivedZat, withdrawal.rate, 0, currencyDecimals(currency)), currency)
  const rows: [string, Child][] = [
    ['ID', copyable(withdrawal.publicId, 'the ID')],
    ['Rate', `${formatFiat(withdrawal.rate, currency)} for 1 ZEC`],
    ['Amount', formatAmount(withdrawal.amountZat)],
    [
      'Received',
      invoice.receivedZat === 0n
        ? html`<span class="none">nothing yet</span>`
        : html`${formatZecAmount(invoice.receivedZat)}<span class="below">${formatZat(invoice.receivedZat)}, ${received} at this rate</span>`,
    ],
    [
      'Transaction',
      invoice.txid === null ? html`<span class="none">none yet</span>` : copyable(invoice.txid, 'the transaction ID'),
    ],
    ['Payout destination', maskedPayoutTo],
    ['Created', timeElement(withdrawal.createdAt)],
  ]
  if (withdrawal.reference !== null) rows.push(['Reference', copyable(withdrawal.reference, 'the reference')])
  if (withdrawal.reason !== null) rows.push(['Reason', withdrawal.reason])
  return definitionList(rows)
}
