import { MAX_PAYOUT_TO_CHARS } from '../../../domain/payout/withdrawal.ts'
import type { Rate } from '../../../domain/rate.ts'
import type { WithdrawalWithInvoice } from '../../../services/payout/withdrawal.ts'
import { amountField, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { rowLink } from '../../components/list.ts'
import { livePart } from '../../components/live.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { withdrawalBadge } from '../../components/payout/withdrawal-badge.ts'
import { formatFiat } from '../../components/sale/fiat.ts'
import { formatZat, formatZecAmount, listTime, shorten } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

export interface WithdrawalsView extends PagerLinks {
  readonly configured: boolean
  readonly currencies: readonly string[]
  /** Rates that are available now; currencies without a rate are left out. */
  readonly rates: readonly Rate[]
  readonly spreadBps: number
  readonly withdrawals: readonly WithdrawalWithInvoice[]
  /** Submitted values, if the form is shown again with an error. */
  readonly form?: { readonly amount: string; readonly currency: string; readonly payoutTo: string }
  readonly error?: string
}

export function withdrawalsPage(user: PageUser, view: WithdrawalsView): Html {
  const { withdrawals, error } = view
  return dashboardPage({
    ...user,
    menuPath: '/withdrawals',
    title: plain('payouts'),
    isLive: true,
    error,
    body: html`
      <p class="lead">${say('payouts_lead')}</p>
      ${view.configured ? orderForm(view) : html`<p class="card">${say('payouts_not_offered')}</p>`}
      <section class="card" aria-labelledby="orders"><h2 id="orders">${say('payouts_yours')}</h2>
        ${livePart(
          'list',
          html`<div data-recheck>${withdrawals.length > 0 ? orderTable(withdrawals) : html`<p class="empty">${say('payouts_none')}</p>`}</div>
        ${pager(view)}`,
        )}
      </section>`,
  })
}

function orderForm({ currencies, rates, spreadBps, form }: WithdrawalsView): Html {
  const options = currencies.map(
    currency => html`<option${booleanAttribute('selected', currency === form?.currency)}>${currency}</option>`,
  )
  return html`<form class="card narrow" method="post" action="/withdrawals">
    ${amountField({ value: form?.amount ?? '', hint: quote(rates, spreadBps) })}
    <div class="field"><label for="currency">${say('payout_currency')}</label><select id="currency" name="currency">${options}</select></div>
    ${field({ name: 'payout_to', label: plain('payout_destination'), value: form?.payoutTo ?? '', maxlength: MAX_PAYOUT_TO_CHARS, hint: plain('payout_destination_hint'), attributes: html` autocomplete="off" spellcheck="false"` })}
    <button class="primary">${say('payout_create')}</button>
  </form>`
}

function quote(rates: readonly Rate[], spreadBps: number): string {
  if (rates.length === 0) return plain('payout_no_rate')
  const prices = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    rates.map(({ price, currency }) => formatFiat(price, currency)),
  )
  const rate = plain('payout_rates', { prices })
  return spreadBps > 0 ? `${rate} ${plain('payout_spread', { percent: spreadBps / 100 })}` : rate
}

function orderTable(orders: readonly WithdrawalWithInvoice[]): Html {
  const rows = orders.map(
    ({ withdrawal, maskedPayoutTo }) => html`<tr id="payout-${withdrawal.publicId}">
      <td>${rowLink(`/withdrawals/${withdrawal.publicId}`, shorten(withdrawal.publicId, 8, 0), plain('payout_name', { id: withdrawal.publicId }), 'code')}<span class="below">${listTime(withdrawal.createdAt)}</span><span class="slim">${withdrawalBadge(withdrawal.status)}</span></td>
      <td class="wide">${withdrawalBadge(withdrawal.status)}</td>
      <td class="number wide">${formatZecAmount(withdrawal.amountZat)}<span class="below">${formatZat(withdrawal.amountZat)}</span></td>
      <td class="number">${formatFiat(withdrawal.fiatAmount, withdrawal.fiatCurrency)}<span class="below"><bdi>${maskedPayoutTo}</bdi></span></td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">${say('payout')}</th><th scope="col" class="wide">${say('status')}</th><th scope="col" class="number wide">${say('deposit')}</th><th scope="col" class="number">${say('payout_you_get')}</th></tr></thead><tbody>${rows}</tbody></table>`
}
