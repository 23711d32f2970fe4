import { type Zat, ZEC_DECIMALS } from '../money.ts'

/** An asset as a list shows it. */
interface ListedAsset {
  readonly symbol: string
  /** Code of the chain, as the provider names it. */
  readonly blockchain: string
}

/** Display names of chains. A chain that is not listed is shown by its code. */
const CHAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['aleo', 'Aleo'],
  ['aptos', 'Aptos'],
  ['arb', 'Arbitrum'],
  ['avax', 'Avalanche'],
  ['base', 'Base'],
  ['bch', 'Bitcoin Cash'],
  ['bera', 'Berachain'],
  ['bsc', 'BNB Chain'],
  ['btc', 'Bitcoin'],
  ['cardano', 'Cardano'],
  ['dash', 'Dash'],
  ['doge', 'Dogecoin'],
  ['eth', 'Ethereum'],
  ['gnosis', 'Gnosis'],
  ['ltc', 'Litecoin'],
  ['monad', 'Monad'],
  ['near', 'NEAR'],
  ['op', 'Optimism'],
  ['plasma', 'Plasma'],
  ['pol', 'Polygon'],
  ['sol', 'Solana'],
  ['starknet', 'Starknet'],
  ['stellar', 'Stellar'],
  ['sui', 'Sui'],
  ['ton', 'TON'],
  ['tron', 'Tron'],
  ['xlayer', 'X Layer'],
  ['xrp', 'XRP Ledger'],
])

export function chainName(blockchain: string): string {
  return CHAIN_NAMES.get(blockchain) ?? blockchain
}

/** Assets that many buyers have, the most common first. */
const COMMON = [
  'BTC btc',
  'ETH eth',
  'USDC eth',
  'USDT eth',
  'USDT tron',
  'USDC base',
  'USDC sol',
  'SOL sol',
  'LTC ltc',
  'DOGE doge',
  'XRP xrp',
  'BNB bsc',
  'TRX tron',
  'TON ton',
  'ADA cardano',
  'XLM stellar',
]

/** The words that an asset is found by. */
export function searchTextOf({ symbol, blockchain }: ListedAsset): string {
  return `${symbol} ${chainName(blockchain)} ${blockchain}`.toLowerCase()
}

const MAX_QUERY_CHARS = 64

/** The assets whose symbol and chain have all words of a query, in any case. Those whose symbol is the first word lead. */
export function findAssets<A extends ListedAsset>(assets: readonly A[], query: string): A[] {
  const words = query.toLowerCase().slice(0, MAX_QUERY_CHARS).split(/\s+/).filter(Boolean)
  const found = assets.filter(asset => words.every(word => searchTextOf(asset).includes(word)))
  const weight = ({ symbol, blockchain }: A) => {
    const common = COMMON.indexOf(`${symbol} ${blockchain}`)
    return (symbol.toLowerCase() === words[0] ? 0 : 100) + (common === -1 ? COMMON.length : common)
  }
  return found.sort(
    (a, b) =>
      weight(a) - weight(b) ||
      a.symbol.localeCompare(b.symbol, 'en') ||
      chainName(a.blockchain).localeCompare(chainName(b.blockchain), 'en'),
  )
}

const ESTIMATE_DIGITS = 4

/**
 * The estimated cost of an amount of ZEC in an asset, to four digits: `0.0004246`. Null without a price.
 * @param perZec units of the asset for one ZEC, by the provider's listed prices; 0: not known
 */
export function estimateIn({ perZec }: { readonly perZec: number }, amountZat: Zat): string | null {
  const units = (Number(amountZat) / 10 ** ZEC_DECIMALS) * perZec
  if (!Number.isFinite(units) || units <= 0) return null
  const places = ESTIMATE_DIGITS - 1 - Math.floor(Math.log10(units))
  const text = units.toFixed(Math.min(20, Math.max(0, places)))
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/**
 * The difference between what a deposit is worth and what the shop gets, in US cents, rounded up. Null where a value is
 * not known, or nothing is lost.
 * @param amountInUsd decimal @param amountOutUsd decimal; null: not known
 */
export function feeCents(amountInUsd: string, amountOutUsd: string | null): bigint | null {
  if (amountOutUsd === null) return null
  const difference = microUsd(amountInUsd) - microUsd(amountOutUsd)
  return difference <= 0n ? null : (difference + 9_999n) / 10_000n
}

function microUsd(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}
