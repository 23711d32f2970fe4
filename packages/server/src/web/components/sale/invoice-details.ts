import { type Invoice, requiredZat, whyNotCancelable } from '../../../domain/sale/invoice.ts'
import { formatZecAmount, timeElement } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'
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
  return html`<p class="below">at ${formatFiat(price, currency)} per ZEC, from ${from}, ${timeElement(rate.fetched_at)}</p>`
}

/** What the request for the invoice gave beyond its amount and order; false when it gave nothing. */
export function givenSection(invoice: Invoice): Html | false {
  const rows = givenRows(invoice)
  const { metadata } = invoice
  if (rows.length === 0 && metadata === null) return false
  return html`<section class="card" aria-labelledby="given"><h2 id="given">Given at creation</h2>
    ${rows.length > 0 && definitionList(rows)}
    ${metadata !== null && html`<details${booleanAttribute('open', metadata.length <= OPEN_CHARS)}><summary>Metadata</summary><pre class="given">${metadata}</pre></details>`}
  </section>`
}

/** Longer metadata is folded. */
const OPEN_CHARS = 1_000

function givenRows(invoice: Invoice): (readonly [string, Child])[] {
  const { openAmount, minAmountZat, toleranceBps, ownConfirmations, successUrl, cancelUrl, autoRedirect } = invoice
  const { locale, webhookUrl } = invoice
  const minimum = minAmountZat === null ? '' : `, at least ${formatZecAmount(minAmountZat)}`
  const rows: (readonly [string, Child] | false)[] = [
    openAmount === true && ['Amount', `chosen by the buyer${minimum}`],
    (toleranceBps ?? 0) > 0 && [
      'Tolerance',
      `${(toleranceBps ?? 0) / 100} %: paid from ${formatZecAmount(requiredZat(invoice))}`,
    ],
    ownConfirmations !== null && ['Confirmations', `${ownConfirmations}, for this invoice only`],
    successUrl !== null && [
      'After the payment',
      html`<code>${successUrl}</code>${autoRedirect && html`<span class="below">opened automatically</span>`}`,
    ],
    cancelUrl !== null && ['Without a payment', html`<code>${cancelUrl}</code>`],
    webhookUrl !== null && ['Webhook of its own', html`<code>${webhookUrl}</code>`],
    locale !== null && ['Language', html`<code>${locale}</code>`],
  ]
  return rows.filter(row => row !== false)
}

/** The link to the checkout, to send to the buyer. */
export function sendLink(invoice: Invoice, checkoutUrl: string): Html {
  const { orderId, description } = invoice
  const subject = [orderId && `Order ${orderId}`, description].filter(Boolean).join(': ') || 'Your invoice'
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  return html`<section class="card" aria-labelledby="send"><h2 id="send">Send it to the buyer</h2>
    <p>${copyable(checkoutUrl, 'the link to the payment page')}</p>
    <p><a class="button" href="mailto:?subject=${encoded(subject)}&amp;body=${encoded(checkoutUrl)}">Write an email</a></p></section>`
}

/** Asks before it cancels; false when the invoice cannot be canceled. */
export function cancelForm(invoice: Invoice): Html | false {
  if (whyNotCancelable(invoice) !== null) return false
  return html`<details class="card" id="cancel"><summary>Cancel this invoice</summary>
    <p>The checkout asks the buyer not to pay. A payment that is already on its way still counts.</p>
    <form method="post" action="/invoices/${invoice.publicId}/cancel"><button class="danger">Cancel invoice</button></form></details>`
}
