/** An asset of the simulated provider. The prices are examples. */
export interface Token {
  readonly assetId: string
  /** the id that quotes return */
  readonly normalisedId: string
  readonly decimals: number
  readonly blockchain: string
  readonly symbol: string
  /** USD, plain decimal digits */
  readonly price: string
  readonly coingeckoId?: string
  readonly contractAddress?: string
}

export const ZEC = coin('zec', 8, 'ZEC', '1419.06', 'zcash')

/** One asset of each kind that a client must handle. */
export const TOKENS: readonly Token[] = [
  ZEC,
  coin('btc', 8, 'BTC', '83568', 'bitcoin'),
  coin('eth', 18, 'ETH', '2670.8', 'ethereum'),
  usdc('eth', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  usdc('base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  coin('sol', 9, 'SOL', '117.37', 'solana'),
  // Deposits need a memo.
  {
    ...coin('stellar', 7, 'XLM', '0.226476', 'stellar'),
    assetId: 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz',
  },
  // Deprecated, but still listed.
  {
    ...coin('plasma', 18, 'XPL_(DEPRECATED)', '0.091973', 'plasma'),
    assetId: 'nep245:v2_1.omni.hot.tg:9745_11111111111111111111',
  },
  // JSON writes this price with an exponent.
  nearToken('blackdragon.tkn.near', 24, 'BLACKDRAGON', '0.000000023434', 'black-dragon'),
  // Unknown price.
  nearToken('abg-966.meme-cooking.near', 18, 'ABG', '0', 'abg'),
]

/** Finds a token by its asset id or by its normalised id. */
export function findToken(assetId: string): Token | undefined {
  return TOKENS.find(token => token.assetId === assetId || token.normalisedId === assetId)
}

/** Whether deposits need a memo, because the chain shares one address among deposits. */
export function needsMemo({ blockchain }: Token): boolean {
  return blockchain === 'stellar'
}

/** An entry of GET /v0/tokens. */
export function tokenRow(token: Token, updatedAt: string) {
  const { assetId, decimals, blockchain, symbol, price, coingeckoId, contractAddress } = token
  return {
    assetId,
    decimals,
    blockchain,
    symbol,
    price: Number(price),
    priceUpdatedAt: updatedAt,
    ...(contractAddress !== undefined && { contractAddress }),
    ...(coingeckoId !== undefined && { coingeckoId }),
  }
}

/** The native coin of a blockchain, with the asset id that most have. */
function coin(blockchain: string, decimals: number, symbol: string, price: string, coingeckoId: string): Token {
  const ids = { assetId: `nep141:${blockchain}.omft.near`, normalisedId: `1cs_v1:${blockchain}:native:coin` }
  return { ...ids, decimals, blockchain, symbol, price, coingeckoId }
}

/** A token of a contract on NEAR itself. */
function nearToken(contract: string, decimals: number, symbol: string, price: string, coingeckoId: string): Token {
  const assetId = `nep141:${contract}`
  const blockchain = 'near'
  return { assetId, normalisedId: assetId, decimals, blockchain, symbol, price, coingeckoId, contractAddress: contract }
}

function usdc(blockchain: string, contractAddress: string): Token {
  const assetId = `nep141:${blockchain}-${contractAddress}.omft.near`
  const shared = { decimals: 6, symbol: 'USDC', price: '0.999783', coingeckoId: 'usd-coin' }
  return { ...shared, assetId, normalisedId: assetId, blockchain, contractAddress }
}
