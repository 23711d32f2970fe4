import { isForSale, type Plan } from '../../../domain/account/plan.ts'
import type { Rate } from '../../../domain/rate.ts'
import type { AccountOverview } from '../../../services/account/account.ts'
import type { PurchaseWithInvoice } from '../../../services/account/billing.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { approximateValue } from '../../components/sale/fiat.ts'
import { statusBadge } from '../../components/status-badge.ts'
import { formatZat, formatZecAmount, groupThousands, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface BillingView extends PagerLinks {
  readonly overview: AccountOverview
  readonly plans: readonly Plan[]
  /** The operator accepts payments for plans. */
  readonly configured: boolean
  readonly rate: Rate | null
  readonly purchases: readonly PurchaseWithInvoice[]
  readonly error?: string
  /** A plan that allows less than the present one: asks before it is bought. */
  readonly lower?: Plan
}

export function billingPage(user: PageUser, view: BillingView): Html {
  const { purchases, error } = view
  return dashboardPage({
    ...user,
    menuPath: '/billing',
    title: plain('billing'),
    error,
    body: html`
      ${view.lower && confirmLower(view.lower, view.overview)}
      ${totals(view.overview)}
      <section class="card" aria-labelledby="plans"><h2 id="plans">${say('plans')}</h2>${offers(view)}</section>
      <section class="card" aria-labelledby="history"><h2 id="history">${say('purchases')}</h2>
        ${purchases.length > 0 ? purchaseTable(view) : html`<p class="empty">${say('purchases_none')}</p>`}
        ${pager(view)}
      </section>`,
  })
}

function confirmLower(plan: Plan, { plan: current, planExpiresAt }: AccountOverview): Html {
  return html`<section class="card attention" role="alert" aria-labelledby="lower">
    <h2 id="lower">${say('plan_lower_question', { current: current.name, plan: plan.name })}</h2>
    <p>${say('plan_lower_limit', { count: plan.monthlyInvoiceLimit ?? 0, plan: plan.name })} ${planExpiresAt === null ? say('plan_lower_ends', { current: current.name }) : say('plan_lower_ends_early', { current: current.name, time: timeElement(planExpiresAt) })} ${say('plan_lower_credit')}</p>
    <div class="buttons">
      <form method="post" action="/billing"><input type="hidden" name="plan" value="${plan.name}"><input type="hidden" name="lower" value="yes"><button>${say('plan_buy_name', { plan: plan.name })}</button></form>
      <a class="button primary" href="/billing">${say('plan_keep', { plan: current.name })}</a>
    </div>
  </section>`
}

function totals({ plan, planExpiresAt, usedThisMonth, resetsAt }: AccountOverview): Html {
  const limit = plan.monthlyInvoiceLimit
  const bar =
    limit !== null &&
    html`<progress max="${Math.max(limit, 1)}" value="${Math.min(usedThisMonth, limit)}" aria-label="${plain('plan_usage')}"></progress>`
  return html`<section class="figures" aria-label="${plain('plan_yours')}">
    <div class="card figure"><h2>${say('plan_yours')}</h2><p class="big">${plan.name}</p><p class="below">${planExpiresAt === null ? plain('plan_no_end') : say('until', { time: timeElement(planExpiresAt) })}</p></div>
    <div class="card figure"><h2>${say('plan_this_month')}</h2><p class="big">${groupThousands(usedThisMonth)}</p><p class="below">${limit === null ? say('plan_used_no_limit', { count: usedThisMonth, time: timeElement(resetsAt) }) : say('plan_used_of', { count: usedThisMonth, limit, time: timeElement(resetsAt) })}</p>${bar}</div>
  </section>`
}

function offers(view: BillingView): Html {
  if (view.plans.every(plan => plan.monthlyInvoiceLimit === null && !isForSale(plan)))
    return html`<p>${say('plans_no_limit')}</p>`
  return html`${planTable(view)}${!view.configured && html`<p class="hint">${say('plans_not_sold')}</p>`}`
}

function planTable(view: BillingView): Html {
  const rows = view.plans.map(
    plan => html`<tr>
      <th scope="row">${plan.name}<span class="below">${plan.monthlyInvoiceLimit === null ? say('plan_unlimited') : say('plan_limit', { count: plan.monthlyInvoiceLimit })}</span></th>
      <td class="number">${price(plan, view.rate)}</td>
      <td class="number">${offer(plan, view)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">${say('plan')}</th><th scope="col" class="number">${say('price')}</th><th scope="col" class="number">${say('action')}</th></tr></thead><tbody>${rows}</tbody></table>
    <p class="hint">${say('plans_hint')}</p>`
}

function price(plan: Plan, rate: Rate | null): Child {
  if (!isForSale(plan)) return plain('plan_free')
  return html`${formatZecAmount(plan.priceZat)}<span class="below">${say('plan_price', { count: plan.periodDays, price: formatZat(plan.priceZat) })}</span>${approximateValue(plan.priceZat, rate)}`
}

function offer(plan: Plan, { overview, configured }: BillingView): Child {
  const own = plan.name === overview.plan.name
  const unlimited = own && overview.planExpiresAt === null
  if (!configured || !isForSale(plan) || unlimited) return own ? plain('plan_current') : ''
  const [action, name] = own ? (['plan_renew', 'plan_renew_name'] as const) : (['plan_buy', 'plan_buy_name'] as const)
  return html`<form method="post" action="/billing"><input type="hidden" name="plan" value="${plan.name}"><button aria-label="${plain(name, { plan: plan.name })}">${say(action)}</button></form>`
}

function purchaseTable({ purchases, rate }: BillingView): Html {
  const rows = purchases.map(
    bought => html`<tr>
      <td>${bought.purchase.plan}<span class="below">${timeElement(bought.purchase.createdAt)}</span></td>
      <td>${outcome(bought)}</td>
      <td class="number">${formatZecAmount(bought.purchase.priceZat)}<span class="below">${formatZat(bought.purchase.priceZat)}</span>${approximateValue(bought.purchase.priceZat, rate)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">${say('plan')}</th><th scope="col">${say('status')}</th><th scope="col" class="number">${say('price')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

function outcome({ purchase, invoice }: PurchaseWithInvoice): Html {
  const badge = statusBadge(invoice.status)
  if (purchase.status === 'needs_attention') return html`${badge}<span class="below">${say('purchase_failed')}</span>`
  if (purchase.grantedUntil !== null)
    return html`${badge}<span class="below">${say('until', { time: timeElement(purchase.grantedUntil) })}</span>`
  return html`${badge}<span class="below"><a href="/i/${invoice.publicId}">${invoice.status === 'pending' ? plain('purchase_pay') : plain('view')}</a></span>`
}
