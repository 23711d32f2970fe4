import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_REFUND_TO_CHARS, SWAP_STATUSES } from '../../domain/swap.ts'
import { Id, named, noExtraFields, nullable, stringEnum, wireSchema } from './common.ts'

export const SwapStatus = wireSchema<Wire.SwapStatus>()(
  named('SwapStatus', stringEnum(SWAP_STATUSES, 'Status reported by the swap provider.')),
)

export const Swap = wireSchema<Wire.Swap>()(
  named(
    'Swap',
    Type.Object({
      status: SwapStatus,
      symbol: Type.String(),
      blockchain: Type.String(),
      deposit_address: Type.String(),
      amount_in_formatted: Type.String({ description: 'Decimal.' }),
      deadline: Type.String({ description: 'ISO 8601, UTC.' }),
    }),
  ),
)

export const Asset = wireSchema<Wire.Asset>()(
  named(
    'Asset',
    Type.Object({
      asset_id: Type.String({ description: 'Identifier for starting a swap.' }),
      symbol: Type.String(),
      blockchain: Type.String({ description: 'Origin chain code.' }),
      decimals: Type.Integer(),
      price_usd: Type.Number({ description: '0 if unknown.' }),
    }),
  ),
)

export const StartSwap = wireSchema<Wire.StartSwapRequest>()(
  named(
    'StartSwapRequest',
    Type.Object(
      {
        asset_id: Type.String({ description: 'An `asset_id` from GET /v1/swap/assets.' }),
        refund_to: Type.String({
          maxLength: MAX_REFUND_TO_CHARS,
          description: "The buyer's refund address on the origin chain. Not empty.",
        }),
      },
      noExtraFields,
    ),
  ),
)

export const SwapQuote = wireSchema<Wire.SwapQuote>()(
  named(
    'SwapQuote',
    Type.Object({
      swap_id: Id,
      deposit_address: Type.String(),
      deposit_memo: nullable(Type.String({ description: 'Memo that the deposit must carry; null if none is needed.' })),
      amount_in: Type.String({ description: "Integer amount in the asset's smallest unit." }),
      amount_in_formatted: Type.String({ description: 'Decimal.' }),
      amount_in_usd: Type.String({ description: 'Decimal.' }),
      symbol: Type.String(),
      blockchain: Type.String(),
      deadline: Type.String({ description: 'ISO 8601, UTC.' }),
      time_estimate: Type.Integer({ description: 'Seconds.' }),
    }),
  ),
)
