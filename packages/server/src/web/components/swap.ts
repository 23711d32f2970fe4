import { formatUnits } from '../../domain/money.ts'
import { hasDeposit, type SwapStatus } from '../../domain/swap.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import { timeElement } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'
import type { CheckoutLinks } from './checkout-links.ts'
import { copyable } from './copyable.ts'
import { definitionList } from './definition-list.ts'

/** Display names of chains. A chain that is not listed is shown by its code. */
const CHAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['arb', 'Arbitrum'],
  ['avax', 'Avalanche'],
  ['base', 'Base'],
  ['bsc', 'BNB Chain'],
  ['btc', 'Bitcoin'],
  ['doge', 'Dogecoin'],
  ['eth', 'Ethereum'],
  ['ltc', 'Litecoin'],
  ['near', 'NEAR'],
  ['op', 'Optimism'],
  ['pol', 'Polygon'],
  ['sol', 'Solana'],
  ['stellar', 'Stellar'],
  ['sui', 'Sui'],
  ['ton', 'TON'],
  ['tron', 'Tron'],
  ['xrp', 'XRP Ledger'],
])

/** The title and the text that a buyer sees for each status. */
export const SWAP_STATES: Readonly<Record<SwapStatus, { readonly title: string; readonly text: string }>> = {
  PENDING_DEPOSIT: { title: 'Send your deposit', text: 'This page updates when the deposit arrives.' },
  KNOWN_DEPOSIT_TX: {
    title: 'Deposit detected',
    text: 'The deposit is waiting for confirmations. There is nothing more to do. You can close this page.',
  },
  INCOMPLETE_DEPOSIT: {
    title: 'Deposit too small',
    text: 'The deposit is smaller than the required amount. Send the rest to the same address, or the deposit will be refunded.',
  },
  PROCESSING: {
    title: 'Swap in progress',
    text: 'Your deposit is being swapped, usually within minutes. You can close this page.',
  },
  SUCCESS: { title: 'Swap complete', text: 'The payment in ZEC is on its way to the shop.' },
  REFUNDED: { title: 'Refunded', text: 'Your deposit was sent back to your refund address.' },
  FAILED: {
    title: 'Swap failed',
    text: 'The swap failed. If your deposit does not arrive at your refund address, contact the shop.',
  },
}

/**
 * Shown on the checkout page in ZEC: the outcome of the last swap, a link to pay with another asset, and a swap that was
 * started elsewhere.
 */
export function otherAssets(view: {
  readonly invoice: Invoice
  readonly swap: Swap | undefined
  readonly links: CheckoutLinks
  readonly foreign: Swap | null
}): Child {
  const { invoice, swap, links, foreign } = view
  const link = html`<p><a class="button full" href="${links.swap}">Pay with another asset</a></p>`
  if (swap?.status === 'REFUNDED' || swap?.status === 'FAILED')
    return html`<p class="flash" role="status">${amountOf(swap)}: ${SWAP_STATES[swap.status].text}</p>${link}`
  // A swap is for the whole amount, so it is not offered after a part payment in ZEC. One with a deposit is not replaced.
  const offersSwap = invoice.receivedZat === 0n && !(foreign && hasDeposit(foreign.status))
  return html`${offersSwap && link}${foreign && startedElsewhere(foreign, links)}`
}

/** Asks before a swap is shown that this page has not started: its refunds may go to another person. */
export function startedElsewhere(swap: Swap, links: CheckoutLinks): Html {
  return html`<div class="card attention" role="status" id="started-elsewhere">
    <p>A swap of ${amountOf(swap)} on ${chainOf(swap)} was started for this invoice on another page. Use it only if you started it and this is your refund address:</p>
    <p><code>${swap.refundTo}</code></p>
    <p><a href="${links.ofSwap(swap.publicId)}">Show that swap</a></p>
  </div>`
}

/** Shown on the merchant's invoice page: the swap, which can start while the page is open. */
export function swapCard(invoice: Invoice, swap: Swap | undefined): Html {
  if (!swap) return html`<div id="swap" data-live data-state="none"></div>`
  const stuck = swap.needsAttention && invoice.receivedZat < invoice.amountZat
  return html`<div id="swap" data-live data-state="${swap.publicId} ${swap.status} ${stuck ? 'stuck' : ''}">
    <section class="card" aria-labelledby="swap-title"><h2 id="swap-title">Swap</h2>
      ${definitionList([
        [
          'Status',
          html`<span class="code">${swap.status}</span>${stuck && html`<p class="hint">Unchanged for an hour, and no payment has arrived. Contact the swap provider.</p>`}`,
        ],
        ['Asset', html`${amountOf(swap)} on ${chainOf(swap)}`],
        ['Deposit address', copyable(swap.depositAddress, 'the deposit address')],
        ...(swap.depositMemo === null ? [] : [['Memo', copyable(swap.depositMemo, 'the memo')] as const]),
        ['Deposit deadline', timeElement(swap.deadline)],
      ])}
    </section></div>`
}

/** The amount to deposit, with the symbol of its asset. */
export function amountOf({ amountIn, decimals, symbol }: Swap): string {
  return `${formatUnits(amountIn, decimals)} ${symbol}`
}

/** The display name of the chain. */
export function chainOf({ blockchain }: { readonly blockchain: string }): string {
  return CHAIN_NAMES.get(blockchain) ?? blockchain
}
