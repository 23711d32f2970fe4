import { formatUnits } from '../../../domain/money.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { hasDeposit, MAX_REFUND_TO_CHARS } from '../../../domain/sale/swap.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import type { SwapAsset } from '../../../ports/swap-provider.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { chainUnseenBanner } from '../../components/chain/chain-unseen.ts'
import { copyable, copyButton } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { livePart, statusAttributes } from '../../components/live.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { formatPrice } from '../../components/sale/fiat.ts'
import { orderLine } from '../../components/sale/order.ts'
import { qrCode } from '../../components/sale/qr-code.ts'
import { amountOf, chainOf, SWAP_STATES, startedElsewhere } from '../../components/sale/swap.ts'
import { wayBack } from '../../components/sale/way-back.ts'
import { amountClass, bigAmount, countdown, formatZecAmount, timeElement } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

interface ChooseAssetView extends BuyerView {
  readonly invoice: Invoice
  readonly links: CheckoutLinks
  readonly assets: readonly SwapAsset[]
  /** Submitted values, if the form is shown again with an error. */
  readonly assetId?: string
  readonly refundTo?: string
  readonly error?: string
}

/** Whether the checkout page can show the swap: it has a deposit, or it waits for one before its deadline. */
export function isShown(invoice: Invoice, swap: Swap, now: number): boolean {
  if (invoice.status !== 'pending') return false
  return hasDeposit(swap.status) || (swap.status === 'PENDING_DEPOSIT' && now < swap.deadline)
}

interface SwapDepositView extends BuyerView {
  readonly invoice: Invoice
  readonly swap: Swap
  readonly links: CheckoutLinks
  /** Another swap, which was started elsewhere. The page shows it only after the buyer has confirmed it. */
  readonly foreign: Swap | null
  /** Whether the page shows where to deposit. */
  readonly showsDeposit: boolean
  /** Whether a payment made now is seen. */
  readonly isChainSeen: boolean
  /** Unix seconds. */
  readonly now: number
}

/** The checkout page of a swap: the deposit address, then the progress. */
export function swapDepositPage(view: SwapDepositView): Html {
  const { invoice, swap, links, foreign, showsDeposit, isChainSeen, now, text } = view
  const { title, text: meaning } = SWAP_STATES[swap.status]
  const isPending = swap.status === 'PENDING_DEPOSIT'
  const open = isPending || swap.status === 'INCOMPLETE_DEPOSIT'
  const content = html`
      ${orderLine(invoice)}
      <h1 data-announce${statusAttributes(invoice, swap)}>${title}</h1>
      ${bigAmount(amountOf(swap))}
      <p class="below center">on ${chainOf(swap)}, for ${costOf(invoice)}</p>
      ${open && arrivedNote(swap)}
      ${open && showsDeposit && html`<div${booleanAttribute('data-while-open', isPending)}>${depositDetails(swap)}</div>`}
      ${isPending && html`<p class="center" data-when-over hidden>The time for the deposit is over: do not send it now. If you have sent it already, do not pay again: this page shows it as soon as the swap provider reports it.</p>`}
      ${open && !showsDeposit && depositElsewhere(swap, links)}
      ${(showsDeposit || !open) && html`<p class="hint">${meaning}${isPending && html` Valid until ${timeElement(swap.deadline)}${countdown(swap.deadline, now)}.`}</p>`}
      ${foreign && startedElsewhere(foreign, links)}
      ${isPending && alternatives(links)}
      ${wayBack(view, invoice, links, 'payable')}`
  return buyerPage(view, {
    title,
    banner: chainUnseenBanner(isChainSeen, text),
    followedInvoiceId: invoice.publicId,
    invoiceId: invoice.publicId,
    body: livePart('live', content),
  })
}

/** `25.00 EUR (0.5 ZEC)`, or the amount in ZEC. */
function costOf(invoice: Invoice): string {
  const price = formatPrice(invoice)
  const amount = formatZecAmount(invoice.amountZat)
  return price === null ? amount : `${price} (${amount})`
}

function depositDetails(swap: Swap): Html {
  // The total, copied after a part of it has arrived, would be paid on top of that.
  const rest = restOf(swap)
  const amount = formatUnits(rest ?? swap.amountIn, swap.decimals)
  const label =
    rest !== null ? 'Amount left to send' : swap.status === 'INCOMPLETE_DEPOSIT' ? 'Total amount' : 'Exact amount'
  return html`<p class="qr-link">${qrCode(swap.depositAddress, 'Deposit address as a QR code')}</p>
    <dl class="facts stacked">
      <div><dt>${label}</dt><dd><code class="${amountClass(`${amount} ${swap.symbol}`)}">${amount} ${swap.symbol}</code> ${copyButton(amount, 'the amount')}</dd></div>
      <div><dt>To this address</dt><dd>${copyable(swap.depositAddress, 'the address')}</dd></div>
      ${swap.depositMemo !== null && html`<div><dt>With this memo</dt><dd>${copyable(swap.depositMemo, 'the memo')}<p class="hint">Without the memo the deposit is lost.</p></dd></div>`}
      <div><dt>Refund address</dt><dd><code>${swap.refundTo}</code></dd></div>
    </dl>`
}

/** The rest of a deposit that is too small, in smallest units. Null: not known. */
function restOf({ status, deposit, amountIn }: Swap): bigint | null {
  const { deposited } = deposit
  if (status !== 'INCOMPLETE_DEPOSIT' || deposited === null || deposited >= amountIn) return null
  return amountIn - deposited
}

function arrivedNote(swap: Swap): Html | false {
  const rest = restOf(swap)
  if (rest === null) return false
  const amount = (value: bigint) => `${formatUnits(value, swap.decimals)} ${swap.symbol}`
  return html`<p class="center">${amount(swap.amountIn - rest)} has arrived. ${amount(rest)} is left to send.</p>`
}

/** In place of where to send the rest: the swap may be a stranger's. */
function depositElsewhere(swap: Swap, links: CheckoutLinks): Html {
  return html`${startedElsewhere(swap, links)}
    <p class="center"><a href="${links.checkoutInZec}">Pay with Zcash instead</a></p>`
}

function alternatives({ swap, checkoutInZec }: CheckoutLinks): Html {
  return html`<p class="center"><a href="${swap}">Choose another asset</a> · <a href="${checkoutInZec}">Pay with Zcash instead</a></p>`
}

/** A form for choosing an asset. It works without JavaScript. */
export function chooseAssetPage(view: ChooseAssetView): Html {
  const { invoice, links, assets, assetId, refundTo = '', error } = view
  return buyerPage(view, {
    invoiceId: invoice.publicId,
    title: 'Pay with another asset',
    body: html`<form method="post" action="${links.swap}">
      <h1>Pay with another asset</h1>
      <p class="below center">For ${costOf(invoice)}, through a swap provider</p>
      ${partPaidNote(invoice)}
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      <div class="field"><label for="asset_id">Asset</label><select id="asset_id" name="asset_id" required>${groups(assets, assetId)}</select></div>
      ${field({ name: 'refund_to', label: 'Your refund address', value: refundTo, maxlength: MAX_REFUND_TO_CHARS, hint: 'Your own address on the chain that you pay from. If the swap fails, your deposit is refunded to it.', attributes: html` autocomplete="off" spellcheck="false"` })}
      <button class="primary full">Get the deposit address</button>
      <p class="center"><a href="${links.checkoutInZec}">Pay with Zcash instead</a></p>
    </form>`,
  })
}

/** A swap always delivers the whole amount: a quote for the rest could be outdated by the next payment. */
function partPaidNote(invoice: Invoice): Html | false {
  const { amountZat, receivedZat, dueZat } = invoice
  if (receivedZat === 0n || dueZat === 0n) return false
  return html`<p class="card attention">${formatZecAmount(receivedZat)} has arrived already. A swap pays the whole ${formatZecAmount(amountZat)} once more. To pay only the rest, pay with Zcash.</p>`
}

/** Shown while no swap can be started. */
export function swapUnavailablePage(view: Omit<ChooseAssetView, 'assets'>, error: string): Html {
  const { links, invoice } = view
  return buyerPage(view, {
    invoiceId: invoice.publicId,
    title: 'Pay with another asset',
    body: html`
      <h1>Pay with another asset</h1>
      <p class="error" role="alert">${error}</p>
      <p>Swaps are unavailable. Please try again in a few minutes.</p>
      <p><a class="button full" href="${links.checkoutInZec}">Pay with Zcash</a></p>`,
  })
}

function groups(assets: readonly SwapAsset[], chosen: string | undefined): Html[] {
  const byChain = [...Map.groupBy(assets, chainOf)].sort(([a], [b]) => a.localeCompare(b, 'en'))
  return byChain.map(([chain, list]) => {
    const options = list
      .toSorted((a, b) => a.symbol.localeCompare(b.symbol, 'en'))
      .map(
        ({ assetId, symbol }) =>
          html`<option value="${assetId}"${booleanAttribute('selected', assetId === chosen)}>${symbol} on ${chain}</option>`,
      )
    return html`<optgroup label="${chain}">${options}</optgroup>`
  })
}
