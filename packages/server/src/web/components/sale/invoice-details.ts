import { type Invoice, requiredZat, whyNotCancelable } from '../../../domain/sale/invoice.ts'
import { formatZecAmount, timeElement } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { copyable } from '../copyable.ts'
import { definitionList } from '../definition-list.ts'
import { formatFiat } from './fiat.ts'

const SOURCE_NAMES: Readonly<Record<string, string>> = {
  coinbase: 'Coinbase',
  coingecko: 'CoinGecko',
  gemini: 'Gemini',
  kraken: 'Kraken',
}

/** `at 40.50 EUR per ZEC, from Coinbase and Kraken, <time>`; false without a rate. */
export function rateLine({ rate }: Pick<Invoice, 'rate'>): Html | false {
  if (!rate) return false
  const { price, currency, sources, cross } = rate
  const names = [...sources, ...(cross ? [cross.source] : [])].map(name => SOURCE_NAMES[name] ?? name)
  const from = new Intl.ListFormat('en').format([...new Set(names)])
  return html`<p class="below">${say('rate_line', { rate: formatFiat(price, currency), sources: from, time: timeElement(rate.fetched_at) })}</p>`
}

/** The terms of the request other than amount and order; false without any. */
export function givenSection(invoice: Invoice): Html | false {
  const rows = givenRows(invoice)
  const { metadata } = invoice
  if (rows.length === 0 && metadata === null) return false
  return html`<section class="card" aria-labelledby="given"><h2 id="given">${say('given')}</h2>
    ${rows.length > 0 && definitionList(rows)}
    ${metadata !== null && html`<details${booleanAttribute('open', metadata.length <= OPEN_CHARS)}><summary>${say('given_metadata')}</summary><pre class="given">${metadata}</pre></details>`}
  </section>`
}

/** Longer metadata is folded. */
const OPEN_CHARS = 1_000

function givenRows(invoice: Invoice): (readonly [string, Child])[] {
  const { openAmount, minAmountZat, toleranceBps, ownConfirmations, successUrl, cancelUrl, autoRedirect } = invoice
  const { locale, webhookUrl } = invoice
  const rows: (readonly [string, Child] | false)[] = [
    openAmount === true && [
      plain('amount'),
      minAmountZat === null
        ? plain('given_open_amount')
        : plain('given_open_amount_min', { amount: formatZecAmount(minAmountZat) }),
    ],
    (toleranceBps ?? 0) > 0 && [
      plain('given_tolerance'),
      plain('given_tolerance_text', {
        percent: (toleranceBps ?? 0) / 100,
        amount: formatZecAmount(requiredZat(invoice)),
      }),
    ],
    ownConfirmations !== null && [
      plain('confirmations'),
      plain('given_confirmations_text', { count: ownConfirmations }),
    ],
    successUrl !== null && [
      plain('after_payment'),
      html`<code>${successUrl}</code>${autoRedirect && html`<span class="below">${say('given_opened')}</span>`}`,
    ],
    cancelUrl !== null && [plain('given_cancel_url'), html`<code>${cancelUrl}</code>`],
    webhookUrl !== null && [plain('given_webhook'), html`<code>${webhookUrl}</code>`],
    locale !== null && [plain('language'), html`<code>${locale}</code>`],
  ]
  return rows.filter(row => row !== false)
}

/** The link to the checkout, to send to the buyer. */
export function sendLink(invoice: Invoice, checkoutUrl: string): Html {
  const { orderId, description } = invoice
  const subject =
    [orderId && plain('order_name', { order: orderId }), description].filter(Boolean).join(': ') ||
    plain('send_subject')
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  return html`<section class="card" aria-labelledby="send"><h2 id="send">${say('send_link')}</h2>
    <p>${copyable(checkoutUrl, plain('the_payment_page_link'))}</p>
    <p><a class="button" href="mailto:?subject=${encoded(subject)}&amp;body=${encoded(checkoutUrl)}">${say('send_email')}</a></p></section>`
}

/** Asks before it cancels; false when the invoice cannot be canceled. */
export function cancelForm(invoice: Invoice): Html | false {
  if (whyNotCancelable(invoice) !== null) return false
  return html`<details class="card" id="cancel"><summary>${say('cancel_invoice_open')}</summary>
    <p>${say('cancel_invoice_text')}</p>
    <form method="post" action="/invoices/${invoice.publicId}/cancel"><button class="danger">${say('cancel_invoice')}</button></form></details>`
}
