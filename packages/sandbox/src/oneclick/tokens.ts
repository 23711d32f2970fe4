/** An asset of the stand-in's list. Figures are as of an ordinary day; nothing depends on them. */
export interface Token {
  readonly assetId: string
  /** the form in which quotes echo it */
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

/** An asset of each kind that a client must cope with. */
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
  // Its deposits need a memo.
  {
    assetId: 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz',
    normalisedId: '1cs_v1:stellar:native:coin',
    decimals: 7,
    blockchain: 'stellar',
    symbol: 'XLM',
    price: '0.226476',
    coingeckoId: 'stellar',
  },
  // No longer offered, and still listed.
  {
    assetId: 'nep245:v2_1.omni.hot.tg:9745_11111111111111111111',
    normalisedId: '1cs_v1:plasma:native:coin',
    decimals: 18,
    blockchain: 'plasma',
    symbol: 'XPL_(DEPRECATED)',
    price: '0.091973',
    coingeckoId: 'plasma',
  },
  // JSON gives this price with an exponent.
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
  // Nobody knows what it is worth.
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

/** By either form of its id. */
export function findToken(assetId: string): Token | undefined {
  return TOKENS.find(token => token.assetId === assetId || token.normalisedId === assetId)
}

/** Chains on which many deposits share an address, so that each needs a memo. */
export function needsMemo({ blockchain }: Token): boolean {
  return blockchain === 'stellar'
}

/** A row of GET /v0/tokens. */
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
