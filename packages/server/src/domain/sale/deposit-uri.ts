import { formatUnits } from '../money.ts'

/** A deposit as a wallet is asked for it. */
export interface DepositTerms {
  /** Code of the chain, as the provider names it. */
  readonly blockchain: string
  readonly symbol: string
  readonly decimals: number
  /** The contract of a token. Null: the chain's own coin, or not known. */
  readonly contractAddress: string | null
  readonly depositAddress: string
  readonly depositMemo: string | null
}

/** Schemes of BIP 21. */
const BITCOIN_LIKE: ReadonlyMap<string, readonly [scheme: string, symbol: string]> = new Map([
  ['btc', ['bitcoin', 'BTC']],
  ['ltc', ['litecoin', 'LTC']],
  ['doge', ['dogecoin', 'DOGE']],
])

/** Chain ids (EIP-155), and the coins that transactions carry themselves. */
const EVM: ReadonlyMap<string, readonly [chainId: number, symbol: string]> = new Map([
  ['eth', [1, 'ETH']],
  ['op', [10, 'ETH']],
  ['bsc', [56, 'BNB']],
  ['gnosis', [100, 'XDAI']],
  ['pol', [137, 'POL']],
  ['base', [8453, 'ETH']],
  ['arb', [42161, 'ETH']],
  ['avax', [43114, 'AVAX']],
])

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/**
 * The payment request of a deposit, exact to the last decimal: BIP 21, EIP-681 (with EIP-20 tokens) or Solana Pay.
 * Null where the chain has none that carries the asset and the memo. A coin is named by its symbol too: a token whose
 * contract is not known must not be asked for as the coin of its chain.
 * @param amount in the asset's smallest unit
 */
export function depositUri(terms: DepositTerms, amount: bigint): string | null {
  if (terms.depositMemo !== null) return null
  return bitcoinUri(terms, amount) ?? ethereumUri(terms, amount) ?? solanaUri(terms, amount)
}

function bitcoinUri(terms: DepositTerms, amount: bigint): string | null {
  const { blockchain, symbol, contractAddress, depositAddress, decimals } = terms
  const [scheme, coin] = BITCOIN_LIKE.get(blockchain) ?? []
  if (scheme === undefined || symbol !== coin || contractAddress !== null || !/^\w+$/.test(depositAddress)) return null
  return `${scheme}:${depositAddress}?amount=${formatUnits(amount, decimals)}`
}

function ethereumUri(terms: DepositTerms, amount: bigint): string | null {
  const { blockchain, symbol, contractAddress, depositAddress } = terms
  const [chainId, coin] = EVM.get(blockchain) ?? []
  if (chainId === undefined || !EVM_ADDRESS.test(depositAddress)) return null
  if (contractAddress === null) return symbol === coin ? `ethereum:${depositAddress}@${chainId}?value=${amount}` : null
  if (!EVM_ADDRESS.test(contractAddress)) return null
  return `ethereum:${contractAddress}@${chainId}/transfer?address=${depositAddress}&uint256=${amount}`
}

function solanaUri(terms: DepositTerms, amount: bigint): string | null {
  const { blockchain, symbol, contractAddress, depositAddress, decimals } = terms
  if (blockchain !== 'sol' || !BASE58.test(depositAddress)) return null
  const request = `solana:${depositAddress}?amount=${formatUnits(amount, decimals)}`
  if (contractAddress === null) return symbol === 'SOL' ? request : null
  return BASE58.test(contractAddress) ? `${request}&spl-token=${contractAddress}` : null
}
