import { isForSale, type Plan } from '../../../domain/account/plan.ts'
import type { Rate } from '../../../domain/rate.ts'
import type { AccountOverview } from '../../../services/account/account.ts'
import type { PurchaseWithInvoice } from '../../../services/account/billing.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { approximateValue } from '../../components/sale/fiat.ts'
import { statusBadge } from '../../components/status-badge.ts'
import { formatZat, formatZecAmount, groupThousands, pluralize, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'

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
    title: 'Billing',
    error,
    body: html`
      ${view.lower && confirmLower(view.lower, view.overview)}
      ${totals(view.overview)}
      <section class="card" aria-labelledby="plans"><h2 id="plans">Plans</h2>${offers(view)}</section>
      <section class="card" aria-labelledby="history"><h2 id="history">Purchases</h2>
        ${purchases.length > 0 ? purchaseTable(view) : html`<p class="empty">No purchases yet.</p>`}
        ${pager(view)}
      </section>`,
  })
}

function confirmLower(plan: Plan, { plan: current, planExpiresAt }: AccountOverview): Html {
  const limit = plan.monthlyInvoiceLimit ?? 0
  return html`<section class="card attention" role="alert" aria-labelledby="lower">
    <h2 id="lower">Change from ${current.name} to ${plan.name}?</h2>
    <p>${plan.name} allows ${pluralize(limit, 'invoice')} a month. It starts as soon as it is paid, and ${current.name}${planExpiresAt !== null && html`, which runs until ${timeElement(planExpiresAt)},`} ends then. Its unused time is credited.</p>
    <div class="buttons">
      <form method="post" action="/billing"><input type="hidden" name="plan" value="${plan.name}"><input type="hidden" name="lower" value="yes"><button>Buy ${plan.name}</button></form>
      <a class="button primary" href="/billing">Keep ${current.name}</a>
    </div>
  </section>`
}

function totals({ plan, planExpiresAt, usedThisMonth, resetsAt }: AccountOverview): Html {
  const limit = plan.monthlyInvoiceLimit
  const limitText = limit === null ? 'no limit' : `of ${groupThousands(limit)}`
  const bar =
    limit !== null &&
    html`<progress max="${Math.max(limit, 1)}" value="${Math.min(usedThisMonth, limit)}" aria-label="Invoices used this month"></progress>`
  return html`<section class="figures" aria-label="Your plan">
    <div class="card figure"><h2>Your plan</h2><p class="big">${plan.name}</p><p class="below">${planExpiresAt === null ? 'no end date' : html`until ${timeElement(planExpiresAt)}`}</p></div>
    <div class="card figure"><h2>This month</h2><p class="big">${groupThousands(usedThisMonth)}</p><p class="below">invoices, ${limitText} · resets ${timeElement(resetsAt)}</p>${bar}</div>
  </section>`
}

function offers(view: BillingView): Html {
  if (view.plans.every(plan => plan.monthlyInvoiceLimit === null && !isForSale(plan)))
    return html`<p>This service has no monthly limit of invoices, and sells no plans.</p>`
  return html`${planTable(view)}${!view.configured && html`<p class="hint">Plans cannot be bought here. The operator of this service assigns them.</p>`}`
}

function planTable(view: BillingView): Html {
  const rows = view.plans.map(
    plan => html`<tr>
      <th scope="row">${plan.name}<span class="below">${plan.monthlyInvoiceLimit === null ? 'unlimited invoices' : `${pluralize(plan.monthlyInvoiceLimit, 'invoice')} a month`}</span></th>
      <td class="number">${price(plan, view.rate)}</td>
      <td class="number">${offer(plan, view)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Plan</th><th scope="col" class="number">Price</th><th scope="col" class="number">Action</th></tr></thead><tbody>${rows}</tbody></table>
    <p class="hint">Renewing adds a period to the end of your plan. A different plan starts as soon as it is paid, and the unused time of the old plan is credited.</p>`
}

function price(plan: Plan, rate: Rate | null): Child {
  if (!isForSale(plan)) return 'free'
  return html`${formatZecAmount(plan.priceZat)}<span class="below">${formatZat(plan.priceZat)} for ${pluralize(plan.periodDays, 'day')}</span>${approximateValue(plan.priceZat, rate)}`
}

function offer(plan: Plan, { overview, configured }: BillingView): Child {
  const own = plan.name === overview.plan.name
  const unlimited = own && overview.planExpiresAt === null
  if (!configured || !isForSale(plan) || unlimited) return own ? 'current plan' : ''
  const action = own ? 'Renew' : 'Buy'
  return html`<form method="post" action="/billing"><input type="hidden" name="plan" value="${plan.name}"><button aria-label="${action} ${plan.name}">${action}</button></form>`
}

function purchaseTable({ purchases, rate }: BillingView): Html {
  const rows = purchases.map(
    bought => html`<tr>
      <td>${bought.purchase.plan}<span class="below">${timeElement(bought.purchase.createdAt)}</span></td>
      <td>${outcome(bought)}</td>
      <td class="number">${formatZecAmount(bought.purchase.priceZat)}<span class="below">${formatZat(bought.purchase.priceZat)}</span>${approximateValue(bought.purchase.priceZat, rate)}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Plan</th><th scope="col">Status</th><th scope="col" class="number">Price</th></tr></thead><tbody>${rows}</tbody></table>`
}

function outcome({ purchase, invoice }: PurchaseWithInvoice): Html {
  const badge = statusBadge(invoice.status)
  if (purchase.status === 'needs_attention')
    return html`${badge}<span class="below">The plan could not be activated. Please contact the operator.</span>`
  if (purchase.grantedUntil !== null)
    return html`${badge}<span class="below">until ${timeElement(purchase.grantedUntil)}</span>`
  return html`${badge}<span class="below"><a href="/i/${invoice.publicId}">${invoice.status === 'pending' ? 'Pay' : 'View'}</a></span>`
}
