/** An asset in the list of the simulated provider. */
export interface ProviderAsset {
  readonly assetId: string
  /** The form in which quotes return the id. */
  readonly normalisedId: string
  readonly symbol: string
  readonly blockchain: string
  readonly decimals: number
  readonly price: number
}

const ZEC = {
  assetId: 'nep141:zec.omft.near',
  normalisedId: '1cs_v1:zec:native:coin',
  symbol: 'ZEC',
  blockchain: 'zec',
}

/** The assets that buyers can pay with. Deposits of the last one need a memo. */
export const ASSETS: readonly ProviderAsset[] = [
  asset('nep141:btc.omft.near', '1cs_v1:btc:native:coin', 'BTC', 'btc', 8),
  asset('nep141:eth.omft.near', 'nep141:eth.omft.near', 'ETH', 'eth', 18),
  asset('nep245:v2_1.omni.hot.tg:1100_XLM', '1cs_v1:stellar:native:coin', 'XLM', 'stellar', 7),
]

/** An id that is not in the list. */
export const UNKNOWN_ASSET_ID = 'nep141:unknown.near'

export const ZEC_NORMALISED_ID = ZEC.normalisedId

/** The body of `GET /v0/tokens`: the assets, ZEC itself and a deprecated row. */
export const TOKENS_BODY = JSON.stringify([
  ...ASSETS,
  { ...ZEC, decimals: 8, price: 40 },
  { assetId: 'nep141:old.near', symbol: 'OLD_(DEPRECATED)', blockchain: 'near', decimals: 6, price: 0 },
])

function asset(
  assetId: string,
  normalisedId: string,
  symbol: string,
  blockchain: string,
  decimals: number,
): ProviderAsset {
  return { assetId, normalisedId, symbol, blockchain, decimals, price: 1 }
}
