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
import { plain, say } from '../../text/dashboard.ts'

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
    title: plain('payout_name', { id: shorten(withdrawal.publicId, 8, 0) }),
    error,
    ...(isFinal(invoice.status) ? {} : { liveInvoiceId: invoice.publicId }),
    body: html`<div class="stack">${livePart('live', liveContent(view))}</div>`,
  })
}

function liveContent(view: WithdrawalView): Html {
  const { withdrawal } = view
  return html`
    <section class="card hero" aria-label="${plain('status')}">
      <p data-announce>${withdrawalBadge(withdrawal.status)}</p>
      ${bigAmount(formatFiat(withdrawal.fiatAmount, withdrawal.fiatCurrency))}
      <p class="below">${say('payout_for', { amount: formatZecAmount(withdrawal.amountZat) })}</p>
      <p>${explanation(view)}</p>
    </section>
    ${view.payable && payButton(view)}
    <div class="columns">
      ${withdrawal.status === 'awaiting_deposit' && deposit(view)}
      <section class="card" aria-labelledby="facts"><h2 id="facts">${say('details')}</h2>${facts(view)}</section>
    </div>`
}

function explanation({ withdrawal, invoice, spacingSecs }: WithdrawalView): Child {
  switch (withdrawal.status) {
    case 'awaiting_deposit':
      return say('payout_pay_before', {
        amount: formatZecAmount(withdrawal.amountZat),
        time: timeElement(invoice.expiresAt),
      })
    case 'deposit_detected':
      return say(invoice.confirmations > 0 ? 'payout_detected_in' : 'payout_detected', {
        time: formatWaitingTime(confirmationSecs(invoice.confirmations, spacingSecs)),
      })
    case 'payout_processing':
      return plain('payout_in_progress')
    case 'completed':
      return plain('payout_complete')
    case 'canceled':
      return plain('payout_canceled_text')
    case 'expired':
      return plain('payout_expired_text')
    case 'failed':
      return plain('payout_failed_text')
    case 'needs_attention':
      return plain('payout_attention_text')
  }
}

function deposit({ withdrawal, invoice }: WithdrawalView): Html {
  const { address, dueZat, receivedZat } = invoice
  const cancelable = receivedZat === 0n
  return html`<section class="card checkout" aria-labelledby="deposit"><h2 id="deposit">${say('deposit')}</h2>
    ${walletLink(paymentUri(address, dueZat, withdrawal.publicId))}
    ${manualPayment(dueZat, address)}
    ${cancelable && confirmedButton(`/withdrawals/${withdrawal.publicId}/cancel`, plain('payout_cancel'), { question: plain('payout_cancel_question'), consequence: plain('payout_cancel_effect') })}
  </section>`
}

function payButton({ withdrawal }: WithdrawalView): Html {
  return html`<form class="card try" method="post" action="/withdrawals/${withdrawal.publicId}/sandbox-payment">
    <p>${say('payout_sandbox')}</p><button id="pay" class="primary">${say('payout_sandbox_pay')}</button></form>`
}

function facts({ withdrawal, invoice, maskedPayoutTo }: WithdrawalView): Html {
  const { fiatCurrency: currency } = withdrawal
  const received = formatFiat(fiatAmount(invoice.receivedZat, withdrawal.rate, 0, currencyDecimals(currency)), currency)
  const rows: [string, Child][] = [
    [plain('id'), copyable(withdrawal.publicId, plain('the_id'))],
    [plain('rate'), plain('rate_for_one', { rate: formatFiat(withdrawal.rate, currency) })],
    [plain('amount'), formatAmount(withdrawal.amountZat)],
    [
      plain('received'),
      invoice.receivedZat === 0n
        ? html`<span class="none">${say('received_nothing')}</span>`
        : html`${formatZecAmount(invoice.receivedZat)}<span class="below">${say('payout_received', { amount: formatZat(invoice.receivedZat), value: received })}</span>`,
    ],
    [
      plain('transaction'),
      invoice.txid === null
        ? html`<span class="none">${say('none_yet')}</span>`
        : copyable(invoice.txid, plain('the_transaction_id')),
    ],
    [plain('payout_destination'), maskedPayoutTo],
    [plain('created'), timeElement(withdrawal.createdAt)],
  ]
  if (withdrawal.reference !== null)
    rows.push([plain('payout_reference'), copyable(withdrawal.reference, plain('the_reference'))])
  if (withdrawal.reason !== null) rows.push([plain('reason'), withdrawal.reason])
  return definitionList(rows)
}
