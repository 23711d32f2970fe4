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

export const ZEC: Token = {
  assetId: 'nep141:zec.omft.near',
  normalisedId: '1cs_v1:zec:native:coin',
  decimals: 8,
  blockchain: 'zec',
  symbol: 'ZEC',
  price: '1419.06',
  coingeckoId: 'zcash',
}

/** One asset of each kind that a client must handle. */
export const TOKENS: readonly Token[] = [
  ZEC,
  {
    assetId: 'nep141:btc.omft.near',
    normalisedId: '1cs_v1:btc:native:coin',
    decimals: 8,
    blockchain: 'btc',
    symbol: 'BTC',
    price: '83568',
    coingeckoId: 'bitcoin',
  },
  {
    assetId: 'nep141:eth.omft.near',
    normalisedId: '1cs_v1:eth:native:coin',
    decimals: 18,
    blockchain: 'eth',
    symbol: 'ETH',
    price: '2670.8',
    coingeckoId: 'ethereum',
  },
  usdc('eth', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  usdc('base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  {
    assetId: 'nep141:sol.omft.near',
    normalisedId: '1cs_v1:sol:native:coin',
    decimals: 9,
    blockchain: 'sol',
    symbol: 'SOL',
    price: '117.37',
    coingeckoId: 'solana',
  },
  // Deposits need a memo.
  {
    assetId: 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz',
    normalisedId: '1cs_v1:stellar:native:coin',
    decimals: 7,
    blockchain: 'stellar',
    symbol: 'XLM',
    price: '0.226476',
    coingeckoId: 'stellar',
  },
  // Deprecated, but still listed.
  {
    assetId: 'nep245:v2_1.omni.hot.tg:9745_11111111111111111111',
    normalisedId: '1cs_v1:plasma:native:coin',
    decimals: 18,
    blockchain: 'plasma',
    symbol: 'XPL_(DEPRECATED)',
    price: '0.091973',
    coingeckoId: 'plasma',
  },
  // JSON writes this price with an exponent.
  {
    assetId: 'nep141:blackdragon.tkn.near',
    normalisedId: 'nep141:blackdragon.tkn.near',
    decimals: 24,
    blockchain: 'near',
    symbol: 'BLACKDRAGON',
    price: '0.000000023434',
    coingeckoId: 'black-dragon',
    contractAddress: 'blackdragon.tkn.near',
  },
  // Unknown price.
  {
    assetId: 'nep141:abg-966.meme-cooking.near',
    normalisedId: 'nep141:abg-966.meme-cooking.near',
    decimals: 18,
    blockchain: 'near',
    symbol: 'ABG',
    price: '0',
    coingeckoId: 'abg',
    contractAddress: 'abg-966.meme-cooking.near',
  },
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

function usdc(blockchain: string, contractAddress: string): Token {
  const assetId = `nep141:${blockchain}-${contractAddress}.omft.near`
  const shared = { decimals: 6, symbol: 'USDC', price: '0.999783', coingeckoId: 'usd-coin' }
  return { ...shared, assetId, normalisedId: assetId, blockchain, contractAddress }
}
