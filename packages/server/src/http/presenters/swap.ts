import type * as Wire from '@zatgate/sdk/wire'
import { formatUnits } from '../../domain/money.ts'
import { formatIsoMs } from '../../domain/time.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import type { SwapAsset } from '../../ports/swap-provider.ts'

/** The swap object inside an invoice. */
export function presentSwap(swap: Swap): Wire.Swap {
  return {
    status: swap.status,
    symbol: swap.symbol,
    blockchain: swap.blockchain,
    deposit_address: swap.depositAddress,
    amount_in_formatted: formatUnits(swap.amountIn, swap.decimals),
    deadline: formatIsoMs(swap.deadline),
  }
}

/** The response of starting a swap. */
export function presentSwapQuote(swap: Swap): Wire.SwapQuote {
  return {
    swap_id: swap.publicId,
    deposit_address: swap.depositAddress,
    deposit_memo: swap.depositMemo,
    amount_in: swap.amountIn.toString(),
    amount_in_formatted: formatUnits(swap.amountIn, swap.decimals),
    amount_in_usd: swap.amountInUsd,
    symbol: swap.symbol,
    blockchain: swap.blockchain,
    deadline: formatIsoMs(swap.deadline),
    time_estimate: swap.timeEstimate,
  }
}

export function presentAsset(asset: SwapAsset): Wire.Asset {
  return {
    asset_id: asset.assetId,
    symbol: asset.symbol,
    blockchain: asset.blockchain,
    decimals: asset.decimals,
    price_usd: asset.priceUsd,
  }
}
