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

const MENU_PATH = '/links'

export function paymentLinksPage(
  user: PageUser,
  { links, ...pages }: PagerLinks & { readonly links: readonly PaymentLink[] },
): Html {
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: 'Links',
    actions: html`<a class="button primary" href="/links/new">New link</a>`,
    body: html`<p class="lead">Pages that you share: each buyer gets an invoice. For a price, a donation, or a keypad at the counter.</p>
      <section class="card" aria-label="Links">
        ${links.length > 0 ? table(links) : html`<p class="empty">No links yet. <a href="/links/new">Create one</a>, and share it in a message, on your page or as a QR code.</p>`}
        ${pager(pages)}
      </section>`,
  })
}

function table(links: readonly PaymentLink[]): Html {
  const rows = links.map(
    link => html`<tr>
      <td>${rowLink(`/links/${link.publicId}`, link.title, `${link.title}, payment link`, 'order')} ${badge(link)}<span class="below">${listTime(link.createdAt)}</span></td>
      <td class="number">${price(link)}</td>
      <td class="number">${sold(link)}</td>
    </tr>`,
  )
  return html`<table class="list rows">
    <thead><tr><th scope="col">Link</th><th scope="col" class="number">Price</th><th scope="col" class="number">Paid</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

function badge({ pausedAt, stock, paidCount }: PaymentLink): Html | false {
  if (pausedAt !== null) return html`<span class="badge badge-expired">Paused</span>`
  return stock !== null && paidCount >= stock && html`<span class="badge badge-paid">Sold out</span>`
}

function price({ amount, currency }: PaymentLink): Html {
  return amount === null
    ? html`<span class="none">open</span>`
    : html`<span class="amount">${amount} ${currency}</span>`
}

function sold({ paidCount, paidZat, stock }: PaymentLink): Html {
  const count = `${paidCount}${stock === null ? '' : ` of ${stock}`}`
  return html`<span class="amount">${count}</span><span class="below amount">${formatZecAmount(paidZat)}</span>`
}

export function newLinkPage(
  user: PageUser,
  { units, form, error }: { readonly units: readonly string[]; readonly form: FormFields; readonly error?: string },
): Html {
  return dashboardPage({
    ...user,
    menuPath: MENU_PATH,
    title: 'New link',
    error,
    body: html`<form class="card" method="post" action="/links">${linkFields(form, units)}<button class="primary">Create link</button></form>`,
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
      link.pausedAt === null ? 'Pause' : 'Resume',
    ),
    body: html`
      ${view.keypadUrl !== undefined && keypadSecret(view.keypadUrl)}
      ${more > 0 && html`<section class="card attention" aria-labelledby="oversold"><h2 id="oversold">Sold more than there is</h2><p>${more} more ${more === 1 ? 'was' : 'were'} paid than the stock of ${link.stock}: a payment that arrives after its time still counts. Send what is owed, or <a href="/invoices?status=late">refund it</a>.</p></section>`}
      ${share(view)}
      <section class="card" aria-labelledby="figures"><h2 id="figures">Paid</h2><p>${sold(link)}</p></section>
      ${keypad(link, path)}
      <section class="card" aria-labelledby="edit"><h2 id="edit">Edit</h2><p class="hint">Invoices that exist do not change.</p><form method="post" action="${path}">${linkFields(form, units)}<button class="primary">Save</button></form></section>`,
  })
}

function keypadSecret(url: string): Html {
  return html`${oneTimeSecret('The address of your keypad', url, 'Open it on the phone at the counter, and add it to the home screen. Everyone who has it can create invoices for you, so keep it among your staff. It is shown only once.')}
    <section class="card" aria-label="Keypad as a QR code"><div class="link-code">${qrCode(url, 'The address of the keypad as a QR code')}</div></section>`
}

function share({ link, url }: LinkDetail): Html {
  const snippet = `<a href="${url}">${escaped(link.title)}</a>`
  return html`<section class="card link-share" aria-labelledby="share"><h2 id="share">Share</h2>
    <div class="link-code">${qrCode(url, 'The link as a QR code')}</div>
    <div><p>${copyable(url, 'the link')}</p><p><a href="${url}" target="_blank" rel="noopener">Open the page</a></p>
      <h3>For your website</h3><p>${copyable(snippet, 'the snippet')}</p></div></section>`
}

/** As text of the merchant's own page. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function keypad({ amount, keypadHash }: PaymentLink, path: string): Html | false {
  if (amount !== null) return false
  const has = keypadHash !== null
  const revoke = confirmedButton(`${path}/keypad/revoke`, 'Revoke', {
    question: 'Revoke this keypad?',
    consequence: 'Its address stops working at once, on every device.',
  })
  const renew = confirmedButton(`${path}/keypad`, 'New address', {
    question: 'Give the keypad a new address?',
    consequence: 'The address so far stops working at once, on every device.',
    kind: '',
  })
  return html`<section class="card" aria-labelledby="keypad"><h2 id="keypad">Keypad</h2>
    <p>Take payments at the counter: enter the amount on a phone, and the buyer scans the code. Its invoices count in your plan at once.</p>
    ${has ? html`<div class="buttons">${renew}${revoke}</div>` : actionButton(`${path}/keypad`, 'Create keypad')}</section>`
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
