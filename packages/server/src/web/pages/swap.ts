import { formatUnits, hasDeposit, type SwapStatus } from '../../domain/swap.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap, SwapAsset } from '../../ports/repository/swap.ts'
import { plainPage } from '../components/layout.ts'
import { copyable, copyButton, definitions, field } from '../components/parts.ts'
import { qrCode } from '../components/qr-code.ts'
import { moment, zec } from '../format.ts'
import { type Child, flag, type Html, html } from '../html.ts'

export interface ChooseAssetView {
  readonly invoice: Invoice
  readonly assets: readonly SwapAsset[]
  /** What was chosen and entered, where it has to be done again. */
  readonly assetId?: string
  readonly refundTo?: string
  readonly error?: string
}

/** Chains by the names that people know them by; the code serves for the others. */
const CHAINS: ReadonlyMap<string, string> = new Map([
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

const WORDS: Readonly<Record<SwapStatus, { readonly title: string; readonly text: string }>> = {
  PENDING_DEPOSIT: { title: 'Send your deposit', text: 'This page notices the deposit by itself.' },
  KNOWN_DEPOSIT_TX: {
    title: 'Deposit seen',
    text: 'It is waiting for its confirmations. There is nothing more to do; you can leave this page.',
  },
  INCOMPLETE_DEPOSIT: {
    title: 'Deposit too small',
    text: 'Less has come than was asked for. Send the rest to the same address, or it will be returned to you.',
  },
  PROCESSING: {
    title: 'Exchanging',
    text: 'Your deposit is being exchanged, usually within minutes. You can leave this page.',
  },
  SUCCESS: { title: 'Exchanged', text: 'The exchanged coins are on their way to the shop.' },
  REFUNDED: { title: 'Returned', text: 'Your deposit was returned to your refund address.' },
  FAILED: {
    title: 'Failed',
    text: 'The exchange did not work. Ask the shop if your deposit does not come back to your refund address.',
  },
}

/** Whether the buyer's page is about the swap: money is in it, or it waits for money in time. */
export function isPaying(invoice: Invoice, swap: Swap, ratherZec: boolean, now: number): boolean {
  if (invoice.status !== 'pending') return false
  return hasDeposit(swap.status) || (swap.status === 'PENDING_DEPOSIT' && !ratherZec && now < swap.deadline)
}

/** Where to deposit, until it is done; and then how far it is. */
export function depositPage(invoice: Invoice, swap: Swap): Html {
  const { title, text } = WORDS[swap.status]
  const open = swap.status === 'PENDING_DEPOSIT' || swap.status === 'INCOMPLETE_DEPOSIT'
  return plainPage({
    title,
    follow: invoice.publicId,
    body: html`<div class="card narrow checkout" id="live" data-live data-state="${invoice.status} ${invoice.receivedZat} ${swap.status} ${swap.publicId}">
      <h1 data-announce>${title}</h1>
      <p class="big center">${amountOf(swap)}</p>
      <p class="below center">on ${chainOf(swap)}, for ${zec(invoice.amountZat)}</p>
      ${open && where(swap)}
      <p class="hint">${text}${swap.status === 'PENDING_DEPOSIT' && html` Valid until ${moment(swap.deadline)}<span class="countdown" data-until="${swap.deadline}"></span>.`}</p>
      ${swap.status === 'PENDING_DEPOSIT' && otherWays(invoice)}
    </div>`,
  })
}

function where(swap: Swap): Html {
  const amount = formatUnits(swap.amountIn, swap.decimals)
  return html`<p class="qr-link">${qrCode(swap.depositAddress, 'Deposit address as a QR code')}</p>
    <dl class="facts stacked">
      <div><dt>${swap.status === 'INCOMPLETE_DEPOSIT' ? 'In all' : 'Exactly'}</dt><dd><code>${amount} ${swap.symbol}</code> ${copyButton(amount, 'the amount')}</dd></div>
      <div><dt>To this address</dt><dd>${copyable(swap.depositAddress, 'the address')}</dd></div>
      ${swap.depositMemo !== null && html`<div><dt>With this memo</dt><dd>${copyable(swap.depositMemo, 'the memo')}<p class="hint">Without the memo the deposit is lost.</p></dd></div>`}
      <div><dt>Returned to, if it fails</dt><dd><code>${swap.refundTo}</code></dd></div>
    </dl>`
}

function otherWays({ publicId }: Invoice): Html {
  return html`<p class="center"><a href="/i/${publicId}/swap">Another asset</a> · <a href="/i/${publicId}?with=zec">Pay with Zcash instead</a></p>`
}

/** On the page that asks for ZEC: what became of the swap, and the way to another asset. */
export function otherAssets({ publicId, receivedZat }: Invoice, swap: Swap | undefined): Child {
  const link = html`<p><a class="button full" href="/i/${publicId}/swap">Pay in another asset</a></p>`
  if (swap?.status === 'REFUNDED' || swap?.status === 'FAILED')
    return html`<p class="notice" role="status">${amountOf(swap)}: ${WORDS[swap.status].text}</p>${link}`
  // A swap is for the whole amount: who has begun to pay in ZEC goes on with it.
  return receivedZat === 0n && link
}

/** The list of assets as a form that needs no script. */
export function chooseAssetPage({ invoice, assets, assetId, refundTo = '', error }: ChooseAssetView): Html {
  return plainPage({
    title: 'Pay in another asset',
    body: html`<form class="card narrow checkout" method="post" action="/i/${invoice.publicId}/swap">
      <h1>Pay in another asset</h1>
      <p class="below center">${zec(invoice.amountZat)}, exchanged for you by a swap provider</p>
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      <div class="field"><label for="asset_id">Asset</label><select id="asset_id" name="asset_id" required>${groups(assets, assetId)}</select></div>
      ${field({ name: 'refund_to', label: 'Your refund address', value: refundTo, maxlength: 500, hint: 'An address of your own on the chain that you pay from. Your deposit is returned there if the exchange fails.', attributes: html` autocomplete="off" spellcheck="false"` })}
      <button class="primary full">Show what to send</button>
      <p class="center"><a href="/i/${invoice.publicId}?with=zec">Pay with Zcash instead</a></p>
    </form>`,
  })
}

/** What to do while nothing can be exchanged. */
export function noAssetsPage({ publicId }: Invoice, error: string): Html {
  return plainPage({
    title: 'Pay in another asset',
    body: html`<div class="card narrow checkout">
      <h1>Pay in another asset</h1>
      <p class="error" role="alert">${error}</p>
      <p>Nothing can be exchanged at the moment. Please try again in a few minutes.</p>
      <p><a class="button full" href="/i/${publicId}?with=zec">Pay with Zcash</a></p>
    </div>`,
  })
}

/** On the merchant's page of the invoice: its swap, which may begin while the page is open. */
export function swapCard(invoice: Invoice, swap: Swap | undefined): Html {
  if (!swap) return html`<div id="swap" data-live data-state="none"></div>`
  const stuck = swap.needsAttention && invoice.receivedZat < invoice.amountZat
  return html`<div id="swap" data-live data-state="${swap.publicId} ${swap.status} ${stuck ? 'stuck' : ''}">
    <section class="card" aria-labelledby="swap-title"><h2 id="swap-title">Swap</h2>
      ${definitions([
        [
          'Status',
          html`<span class="code">${swap.status}</span>${stuck && html`<p class="hint">For an hour, and its coins have not come: ask the swap provider.</p>`}`,
        ],
        ['Asset', html`${amountOf(swap)} on ${chainOf(swap)}`],
        ['Deposit address', copyable(swap.depositAddress, 'the deposit address')],
        ...(swap.depositMemo === null ? [] : [['Memo', copyable(swap.depositMemo, 'the memo')] as const]),
        ['Deposit until', moment(swap.deadline)],
      ])}
    </section></div>`
}

function groups(assets: readonly SwapAsset[], chosen: string | undefined): Html[] {
  const byChain = [...Map.groupBy(assets, chainOf)].sort(([a], [b]) => a.localeCompare(b, 'en'))
  return byChain.map(([chain, list]) => {
    const options = list
      .toSorted((a, b) => a.symbol.localeCompare(b.symbol, 'en'))
      .map(
        ({ assetId, symbol }) =>
          html`<option value="${assetId}"${flag('selected', assetId === chosen)}>${symbol} on ${chain}</option>`,
      )
    return html`<optgroup label="${chain}">${options}</optgroup>`
  })
}

function amountOf({ amountIn, decimals, symbol }: Swap): string {
  return `${formatUnits(amountIn, decimals)} ${symbol}`
}

function chainOf({ blockchain }: { readonly blockchain: string }): string {
  return CHAINS.get(blockchain) ?? blockchain
}
