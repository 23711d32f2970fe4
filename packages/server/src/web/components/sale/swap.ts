import { formatUnits } from '../../../domain/money.ts'
import { type Invoice, isClosed } from '../../../domain/sale/invoice.ts'
import { hasDeposit, type SwapStatus } from '../../../domain/sale/swap.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import { copyable } from '../copyable.ts'
import { definitionList } from '../definition-list.ts'
import { livePart } from '../live.ts'
import type { CheckoutLinks } from './checkout-links.ts'

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

/** The swap provider's name, for buyers and merchants who ask it about a deposit. */
const PROVIDER = '1Click (NEAR Intents)'

/** Meanings of the provider's reasons. Others are shown as the provider writes them. */
const REFUND_REASONS: ReadonlyMap<string, string> = new Map([['PARTIAL_DEPOSIT', 'the deposit was too small']])
/** Reasons that say nothing. */
const NO_REASON = 'UNKNOWN'

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
  REFUNDED: {
    title: 'Deposit refunded',
    text: 'The deposit was sent back to the refund address. It has not paid this invoice.',
  },
  FAILED: {
    title: 'Swap failed',
    text: 'The deposit has not paid this invoice. The swap provider still has to send it back.',
  },
}

/** The outcome of a deposit and whom to ask about it: above everything else on the checkout page in ZEC. */
export function swapNotice(invoice: Invoice, swap: Swap, now: number): Html | false {
  const text = noticeText(invoice, swap, now)
  if (!text) return false
  const { title } = SWAP_STATES[swap.status]
  return html`<section class="card attention swap-notice" aria-labelledby="swap-outcome">
    <h2 id="swap-outcome">${swap.status === 'PENDING_DEPOSIT' ? 'No deposit yet' : title}</h2>
    <p>${text}</p>
    ${definitionList([
      ['Swap', html`${amountOf(swap)} on ${chainOf(swap)}`],
      ...depositRows(swap),
      ['Refund address', html`<code>${swap.refundTo}</code>`],
      ['Reference: the deposit address', copyable(swap.depositAddress, 'the deposit address')],
      ...memoRow(swap),
    ])}
    <p class="hint">Questions? Ask the shop, with this reference. The shop can ask the swap provider, ${PROVIDER}.</p>
  </section>`
}

/** Null while the swap has its own page, and when it has paid the invoice. */
function noticeText(invoice: Invoice, swap: Swap, now: number): string | null {
  const { status, dueZat } = invoice
  const { text } = SWAP_STATES[swap.status]
  switch (swap.status) {
    case 'REFUNDED':
    case 'FAILED':
      return text
    case 'PENDING_DEPOSIT':
      if (now < swap.deadline || dueZat === 0n) return null
      return 'The time for the deposit is over: do not send it now. If you have sent it already, do not pay again. This page shows the deposit as soon as the swap provider reports it.'
    case 'SUCCESS':
      return isClosed(status) && dueZat > 0n
        ? 'The swap provider has reported the payment as sent, but it has not arrived. Do not pay again.'
        : null
    case 'INCOMPLETE_DEPOSIT':
      return isClosed(status)
        ? 'Only a part of the deposit has arrived, and the time of the invoice is up. Send nothing more to the deposit address. The swap provider sends the deposit back.'
        : null
    default:
      return isClosed(status) ? `${text} Do not pay again.` : null
  }
}

/** The rows of the deposit, as the provider reports it. */
function depositRows({ deposit, decimals, symbol }: Swap): (readonly [string, Child])[] {
  const { deposited, refunded, refundReason } = deposit
  const amount = (value: bigint) => `${formatUnits(value, decimals)} ${symbol}`
  const isReason = refundReason !== null && refundReason !== NO_REASON
  return [
    ...(deposited === null ? [] : [['Deposited', amount(deposited)] as const]),
    ...(refunded === null || refunded === 0n ? [] : [['Sent back', amount(refunded)] as const]),
    ...(isReason ? [['Reason', REFUND_REASONS.get(refundReason) ?? html`<code>${refundReason}</code>`] as const] : []),
  ]
}

function memoRow({ depositMemo }: Swap): (readonly [string, Child])[] {
  return depositMemo === null ? [] : [['Memo', copyable(depositMemo, 'the memo')]]
}

/**
 * The ways to pay, above the payment request in ZEC, and a swap that was started elsewhere. A swap that has ended can be
 * followed by another one.
 */
export function otherAssets(
  text: Text,
  view: {
    readonly invoice: Invoice
    readonly swap: Swap | undefined
    readonly links: CheckoutLinks
    readonly foreign: Swap | null
  },
): Child {
  const { invoice, swap, links, foreign } = view
  if (swap?.status === 'REFUNDED' || swap?.status === 'FAILED') return waysToPay(text, links, 'zec')
  // A swap is for the whole amount, so it is not offered after a part payment in ZEC. One with a deposit is not replaced.
  const offersSwap = invoice.receivedZat === 0n && !(foreign && hasDeposit(foreign.status))
  return html`${offersSwap && waysToPay(text, links, 'zec')}${foreign && startedElsewhere(foreign, links)}`
}

/** Tabs: Zcash, or another asset. */
function waysToPay(text: Text, links: CheckoutLinks, shown: 'zec' | 'other'): Html {
  const tab = (way: typeof shown, href: string, label: Html) =>
    html`<a href="${href}"${way === shown && html` aria-current="page"`}>${label}</a>`
  return html`<nav class="ways" aria-label="${text.plain('ways_to_pay')}">${tab('zec', links.checkoutInZec, text.say('with_zcash'))}${tab('other', links.swap, text.say('with_other'))}</nav>`
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
  return livePart('swap', html`${swap && swapSection(invoice, swap)}`)
}

function swapSection(invoice: Invoice, swap: Swap): Html {
  return html`
    <section class="card" aria-labelledby="swap-title"><h2 id="swap-title">Swap</h2>
      ${definitionList([
        ['Status', html`<span class="code">${swap.status}</span>${merchantHint(invoice, swap)}`],
        ['Provider', PROVIDER],
        ['Asset', html`${amountOf(swap)} on ${chainOf(swap)}`],
        ...depositRows(swap),
        ['Deposit address', copyable(swap.depositAddress, 'the deposit address')],
        ...memoRow(swap),
        ['Refund address', html`<code>${swap.refundTo}</code>`],
        ['Deposit deadline', timeElement(swap.deadline)],
      ])}
    </section>`
}

function merchantHint(invoice: Invoice, { status, needsAttention }: Swap): Html | false {
  if (status === 'REFUNDED' || status === 'FAILED')
    return html`<p class="hint">The deposit has not paid this invoice. You have nothing to refund: the provider ${status === 'FAILED' ? 'still has to send' : 'has sent'} it back. If the buyer misses it, ask the provider, with the deposit address.</p>`
  if (!needsAttention || invoice.dueZat === 0n) return false
  return html`<p class="hint">Unchanged for an hour, and no payment has arrived. Ask the provider, with the deposit address.</p>`
}

/** The amount to deposit, with the symbol of its asset. */
export function amountOf({ amountIn, decimals, symbol }: Swap): string {
  return `${formatUnits(amountIn, decimals)} ${symbol}`
}

/** The display name of the chain. */
export function chainOf({ blockchain }: { readonly blockchain: string }): string {
  return CHAIN_NAMES.get(blockchain) ?? blockchain
}
