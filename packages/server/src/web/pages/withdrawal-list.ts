import type { Rate } from '../../domain/rate.ts'
import { PAYOUT_TO_CHARS, type WithdrawalStatus } from '../../domain/withdrawal.ts'
import type { Ordered } from '../../services/withdrawal.ts'
import { fiat } from '../components/fiat.ts'
import { dashboardPage } from '../components/layout.ts'
import { field } from '../components/parts.ts'
import { moment, shortened, zat, zec } from '../format.ts'
import { flag, type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export interface WithdrawalsView {
  readonly configured: boolean
  readonly currencies: readonly string[]
  /** Those of the currencies that are to be had at once. */
  readonly rates: readonly Rate[]
  readonly spreadBps: number
  readonly orders: readonly Ordered[]
  readonly older: string | null
  /** What was typed, when it has to be typed again. */
  readonly form?: { readonly amount: string; readonly currency: string; readonly payoutTo: string }
  readonly error?: string
}

const WORDS: Readonly<Record<WithdrawalStatus, readonly [kind: string, words: string]>> = {
  awaiting_deposit: ['pending', 'Awaiting deposit'],
  deposit_detected: ['detected', 'Deposit seen'],
  payout_processing: ['detected', 'Being paid out'],
  completed: ['paid', 'Completed'],
  canceled: ['expired', 'Canceled'],
  expired: ['expired', 'Expired'],
  failed: ['bad', 'Failed'],
  needs_attention: ['bad', 'Needs attention'],
}

export function withdrawalBadge(status: WithdrawalStatus): Html {
  const [kind, words] = WORDS[status]
  return html`<span class="badge badge-${kind}">${words}</span>`
}

export function withdrawalsPage(viewer: Viewer, view: WithdrawalsView): Html {
  const { orders, older, error } = view
  return dashboardPage({
    ...viewer,
    at: '/withdrawals',
    title: 'Withdrawals',
    error,
    body: html`
      <p class="lead">Turn ZEC into money on your account: your wallet pays a deposit address, and the operator of this service pays you out.</p>
      ${view.configured ? orderForm(view) : html`<p class="card">The operator of this service pays nothing out.</p>`}
      <section class="card" aria-labelledby="orders"><h2 id="orders">Orders</h2>
        ${orders.length > 0 ? orderTable(orders) : html`<p class="empty">No withdrawals yet.</p>`}
        ${older !== null && html`<nav class="pager" aria-label="Pages"><a class="button" href="${older}">Older</a></nav>`}
      </section>`,
  })
}

function orderForm({ currencies, rates, spreadBps, form }: WithdrawalsView): Html {
  const options = currencies.map(
    currency => html`<option${flag('selected', currency === form?.currency)}>${currency}</option>`,
  )
  return html`<form class="card narrow" method="post" action="/withdrawals">
    ${field({ name: 'amount', label: 'Amount in ZEC', value: form?.amount ?? '', maxlength: 20, hint: quote(rates, spreadBps), attributes: html` inputmode="decimal" autocomplete="off" pattern="\\s*[0-9]{1,8}([.,][0-9]{1,8})?\\s*"` })}
    <div class="field"><label for="currency">Paid out in</label><select id="currency" name="currency">${options}</select></div>
    ${field({ name: 'payout_to', label: 'Paid out to', value: form?.payoutTo ?? '', maxlength: PAYOUT_TO_CHARS, hint: 'Your bank account, or what else was agreed. It is kept encrypted.', attributes: html` autocomplete="off" spellcheck="false"` })}
    <button class="primary">Order</button>
  </form>`
}

function quote(rates: readonly Rate[], spreadBps: number): string {
  if (rates.length === 0) return 'No rate is to be had at the moment.'
  const prices = rates.map(({ price, currency }) => fiat(price, currency)).join(' or ')
  const kept = spreadBps > 0 ? ` ${spreadBps / 100} % of it is kept.` : ''
  return `1 ZEC is ${prices} now.${kept}`
}

function orderTable(orders: readonly Ordered[]): Html {
  const rows = orders.map(
    ({ withdrawal, maskedPayoutTo }) => html`<tr>
      <td><a href="/withdrawals/${withdrawal.publicId}" class="code" aria-label="Withdrawal ${withdrawal.publicId}">${shortened(withdrawal.publicId, 8, 0)}</a><span class="below">${moment(withdrawal.createdAt)}</span><span class="slim">${withdrawalBadge(withdrawal.status)}</span></td>
      <td class="wide">${withdrawalBadge(withdrawal.status)}</td>
      <td class="number wide">${zec(withdrawal.amountZat)}<span class="below">${zat(withdrawal.amountZat)}</span></td>
      <td class="number">${fiat(withdrawal.fiatAmount, withdrawal.fiatCurrency)}<span class="below">${maskedPayoutTo}</span></td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Order</th><th scope="col" class="wide">Status</th><th scope="col" class="number wide">Deposit</th><th scope="col" class="number">Payout</th></tr></thead><tbody>${rows}</tbody></table>`
}
