import { chainName, estimateIn, findAssets, searchTextOf } from '../../../domain/sale/swap-asset.ts'
import type { SwapAsset } from '../../../ports/swap-provider.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import type { CheckoutLinks } from './checkout-links.ts'

/** Assets that are visible at a time; the buyer types to find others. */
const SHOWN = 40
/** Assets on the page, for the script. The provider lists some hundred. */
const MAX_LISTED = 400

interface AssetList {
  readonly assets: readonly SwapAsset[]
  /** The buyer's search text. */
  readonly query: string
  readonly amountZat: bigint
  readonly links: CheckoutLinks
}

/** A search field and the assets that match. `assets/choose.js` filters while the buyer types; without it the form does. */
export function assetList(text: Text, { assets, query, amountZat, links }: AssetList): Html {
  const found = new Set(findAssets(assets, query))
  const others = found.size === assets.length ? [] : findAssets(assets, '').filter(asset => !found.has(asset))
  const listed = [...found, ...others].slice(0, MAX_LISTED)
  const items = listed.map((asset, index) => {
    const isHidden = index >= SHOWN || !found.has(asset)
    return html`<li data-find="${searchTextOf(asset)}"${booleanAttribute('hidden', isHidden)}>${entry(text, asset, amountZat, links)}</li>`
  })
  return html`<form class="asset-search" role="search" action="${links.swap}">${hiddenFields(links.swap)}
      <div class="field"><label for="q">${text.say('swap_search')}</label><div class="search-row"><input id="q" name="q" type="search" value="${query}" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"><noscript><button>${text.say('swap_find')}</button></noscript></div></div>
    </form>
    <div role="status"><p class="center" data-no-match${booleanAttribute('hidden', found.size > 0)}>${text.say('swap_no_match')}</p></div>
    <ul class="assets" id="assets" aria-label="${text.plain('swap_assets')}" data-shown="${SHOWN}">${items}</ul>
    <p class="hint center" data-more${booleanAttribute('hidden', found.size <= SHOWN)}>${text.say('swap_more')}</p>`
}

/** A form that is sent with GET drops the query of its address. */
function hiddenFields(path: string): Html[] {
  const fields = new URLSearchParams(path.split('?')[1])
  return [...fields].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

function entry(text: Text, asset: SwapAsset, amountZat: bigint, links: CheckoutLinks): Html {
  const { assetId, symbol, blockchain } = asset
  const estimate = estimateIn(asset, amountZat)
  return html`<a href="${links.swapWith({ asset: assetId })}" data-asset="${assetId}">${coin(symbol)}<span class="asset-name"><b><bdi>${symbol}</bdi></b> <span class="asset-chain"><bdi>${chainName(blockchain)}</bdi></span></span>${estimate !== null && html` <bdi class="asset-price">≈ ${text.money(estimate, symbol)}</bdi>`}</a>`
}

/** The first letters of a symbol, as its picture. */
export function coin(symbol: string): Html {
  const letters = symbol.replace(/[^\p{L}\p{N}]/gu, '') || symbol
  return html`<span class="coin" aria-hidden="true">${[...letters].slice(0, 2).join('').toUpperCase()}</span>`
}
