import { oversold, type PaymentLink } from '../../../domain/sale/payment-link.ts'
import { DAY_SECS } from '../../../domain/time.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { copyable, oneTimeSecret } from '../../components/copyable.ts'
import { actionButton } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { rowLink } from '../../components/list.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { linkFields } from '../../components/sale/link-fields.ts'
import { qrCode } from '../../components/sale/qr-code.ts'
import { formatDay, formatZecAmount, listTime } from '../../format.ts'
import type { FormFields } from '../../forms.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

const MENU_PATH = '/links'

export function paymentLinksPage(
  user: PageUser,
  { links, ...pages }: PagerLinks & { readonly links: readonly PaymentLink[] },
): Html {
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: plain('nav_links'),
    actions: html`<a class="button primary" href="/links/new">${say('links_new')}</a>`,
    body: html`<p class="lead">${say('links_lead')}</p>
      <section class="card" aria-label="${plain('nav_links')}">
        ${links.length > 0 ? table(links) : html`<p class="empty">${say('links_none', { link: '/links/new' })}</p>`}
        ${pager(pages)}
      </section>`,
  })
}

function table(links: readonly PaymentLink[]): Html {
  const rows = links.map(
    link => html`<tr>
      <td>${rowLink(`/links/${link.publicId}`, link.title, plain('links_row', { title: link.title }), 'order')} ${badge(link)}<span class="below">${listTime(link.createdAt)}</span></td>
      <td class="number">${price(link)}</td>
      <td class="number">${sold(link)}</td>
    </tr>`,
  )
  return html`<table class="list rows">
    <thead><tr><th scope="col">${say('links_link')}</th><th scope="col" class="number">${say('links_price')}</th><th scope="col" class="number">${say('status_paid')}</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

function badge({ pausedAt, stock, paidCount }: PaymentLink): Html | false {
  if (pausedAt !== null) return html`<span class="badge badge-expired">${say('links_paused')}</span>`
  return stock !== null && paidCount >= stock && html`<span class="badge badge-paid">${say('links_sold_out')}</span>`
}

function price({ amount, currency }: PaymentLink): Html {
  return amount === null
    ? html`<span class="none">${say('links_open')}</span>`
    : html`<span class="amount">${amount} ${currency}</span>`
}

function sold({ paidCount, paidZat, stock }: PaymentLink): Html {
  const count = stock === null ? paidCount : plain('links_count', { count: paidCount, stock })
  return html`<span class="amount">${count}</span><span class="below amount">${formatZecAmount(paidZat)}</span>`
}

export function newLinkPage(
  user: PageUser,
  { units, form, error }: { readonly units: readonly string[]; readonly form: FormFields; readonly error?: string },
): Html {
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: plain('links_new'),
    error,
    body: html`<form class="card" method="post" action="/links">${linkFields(form, units)}<button class="primary">${say('links_create')}</button></form>`,
  })
}

export interface LinkDetail {
  readonly link: PaymentLink
  /** The page for buyers. */
  readonly url: string
  readonly units: readonly string[]
  /** The address of a keypad that was just created, shown once. */
  readonly keypadUrl?: string
  /** A form that was refused. */
  readonly form?: FormFields
  readonly flash?: string
  readonly error?: string
}

export function paymentLinkDetailPage(user: PageUser, view: LinkDetail): Html {
  const { link, flash, error, form = formOf(link), units } = view
  const path = `/links/${link.publicId}`
  const more = oversold(link)
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: link.title,
    heading: html`<bdi>${link.title}</bdi> ${badge(link)}`,
    flash,
    error,
    actions: actionButton(
      `${path}/${link.pausedAt === null ? 'pause' : 'resume'}`,
      plain(link.pausedAt === null ? 'links_pause' : 'links_resume'),
    ),
    body: html`
      ${view.keypadUrl !== undefined && keypadSecret(view.keypadUrl)}
      ${more > 0 && html`<section class="card attention" aria-labelledby="oversold"><h2 id="oversold">${say('links_oversold')}</h2><p>${say('links_oversold_text', { count: more, stock: link.stock ?? 0, link: '/invoices?status=late' })}</p></section>`}
      ${share(view)}
      <section class="card" aria-labelledby="figures"><h2 id="figures">${say('status_paid')}</h2><p>${sold(link)}</p></section>
      ${keypad(link, path)}
      <section class="card" aria-labelledby="edit"><h2 id="edit">${say('links_edit')}</h2><p class="hint">${say('links_edit_hint')}</p><form method="post" action="${path}">${linkFields(form, units)}<button class="primary">${say('save')}</button></form></section>`,
  })
}

function keypadSecret(url: string): Html {
  return html`${oneTimeSecret(say('keypad_address'), url, say('keypad_address_hint'))}
    <section class="card" aria-label="${plain('keypad')}"><div class="link-code">${qrCode(url, plain('keypad_qr'))}</div></section>`
}

function share({ link, url }: LinkDetail): Html {
  const snippet = `<a href="${url}">${escaped(link.title)}</a>`
  return html`<section class="card link-share" aria-labelledby="share"><h2 id="share">${say('links_share')}</h2>
    <div class="link-code">${qrCode(url, plain('links_qr'))}</div>
    <div><p>${copyable(url, plain('links_the_link'))}</p><p><a href="${url}" target="_blank" rel="noopener">${say('links_open_page')}</a></p>
      <h3>${say('links_website')}</h3><p>${copyable(snippet, plain('links_snippet'))}</p></div></section>`
}

/** As text of the merchant's own page. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function keypad({ amount, keypadHash }: PaymentLink, path: string): Html | false {
  if (amount !== null) return false
  const has = keypadHash !== null
  const revoke = confirmedButton(`${path}/keypad/revoke`, plain('keypad_revoke'), {
    question: say('keypad_revoke_question'),
    consequence: say('keypad_revoke_consequence'),
  })
  const renew = confirmedButton(`${path}/keypad`, plain('keypad_renew'), {
    question: say('keypad_renew_question'),
    consequence: say('keypad_renew_consequence'),
    kind: '',
  })
  return html`<section class="card" aria-labelledby="keypad"><h2 id="keypad">${say('keypad')}</h2>
    <p>${say('keypad_lead')}</p>
    ${has ? html`<div class="buttons">${renew}${revoke}</div>` : actionButton(`${path}/keypad`, plain('keypad_create'))}</section>`
}

/** The form of a link as it is. */
function formOf(link: PaymentLink): FormFields {
  const fields = link.fields.flatMap(({ label, required }, index) => [
    [`label_${index + 1}`, label] as const,
    ...(required ? [[`required_${index + 1}`, '1'] as const] : []),
  ])
  return {
    title: link.title,
    description: link.description ?? '',
    currency: link.currency,
    kind: link.amount === null ? 'open' : 'fixed',
    amount: link.amount ?? '',
    min_amount: link.minAmount ?? '',
    suggested_amounts: link.suggestedAmounts.join(' '),
    stock: link.stock === null ? '' : String(link.stock),
    last_day: link.endsAt === null ? '' : formatDay(link.endsAt - DAY_SECS),
    success_url: link.successUrl ?? '',
    ...Object.fromEntries(fields),
  }
}
