import type * as Wire from '@zatgate/sdk/wire'
import { Gauge, type Registry } from 'prom-client'
import { Type } from 'typebox'
import { formatUnits } from '../../../domain/money.ts'
import { MAX_REFUND_TO_CHARS, requireRefundTo, SWAP_STATUSES } from '../../../domain/sale/swap.ts'
import { formatIsoMs } from '../../../domain/time.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import type { SwapAsset } from '../../../ports/swap-provider.ts'
import type { Invoices } from '../../../services/sale/invoice.ts'
import type { Swaps } from '../../../services/sale/swap.ts'
import type { App } from '../../app.ts'
import { Id, IdParam, named, nullable, responses, stringEnum, wireBody, wireObject } from '../../schema.ts'

/** Members of a swap in events. */
export const swapMembers = {
  blockchain: Type.String({ description: 'Origin chain code.' }),
  amount_in_formatted: Type.String({ description: 'Decimal.' }),
  status: named('SwapStatus', stringEnum(SWAP_STATUSES, 'Status reported by the swap provider.')),
}

const { blockchain, amount_in_formatted, status } = swapMembers
const deadline = Type.String({ description: 'ISO 8601, UTC.' })

export const SwapSchema = wireObject<Wire.Swap>()('Swap', {
  status,
  symbol: Type.String(),
  blockchain: Type.String(),
  deposit_address: Type.String(),
  amount_in_formatted,
  deadline,
})

const AssetSchema = wireObject<Wire.Asset>()('Asset', {
  asset_id: Type.String({ description: 'Identifier for starting a swap.' }),
  symbol: Type.String(),
  blockchain,
  decimals: Type.Integer(),
  price_usd: Type.Number({ description: '0 if unknown.' }),
})

const StartSwapSchema = wireBody<Wire.StartSwapRequest>()('StartSwapRequest', {
  asset_id: Type.String({ description: 'An `asset_id` from GET /v1/swap/assets.' }),
  refund_to: Type.String({
    maxLength: MAX_REFUND_TO_CHARS,
    description: "The buyer's refund address on the origin chain. Not empty.",
  }),
})

const SwapQuoteSchema = wireObject<Wire.SwapQuote>()('SwapQuote', {
  swap_id: Id,
  deposit_address: Type.String(),
  deposit_memo: nullable(Type.String({ description: 'Memo that the deposit must carry; null if none is needed.' })),
  amount_in: Type.String({ description: "Integer amount in the asset's smallest unit." }),
  amount_in_formatted,
  amount_in_usd: Type.String({ description: 'Decimal.' }),
  symbol: Type.String(),
  blockchain: Type.String(),
  deadline,
  time_estimate: Type.Integer({ description: 'Seconds.' }),
})

/** The members that an invoice and a quote show alike. */
function presentDeposit(swap: Swap) {
  return {
    symbol: swap.symbol,
    blockchain: swap.blockchain,
    deposit_address: swap.depositAddress,
    amount_in_formatted: formatUnits(swap.amountIn, swap.decimals),
    deadline: formatIsoMs(swap.deadline),
  }
}

/** The swap object inside an invoice. */
export function presentSwap(swap: Swap): Wire.Swap {
  return { status: swap.status, ...presentDeposit(swap) }
}

function presentSwapQuote(swap: Swap): Wire.SwapQuote {
  return {
    ...presentDeposit(swap),
    swap_id: swap.publicId,
    deposit_memo: swap.depositMemo,
    amount_in: swap.amountIn.toString(),
    amount_in_usd: swap.amountInUsd,
    time_estimate: swap.timeEstimate,
  }
}

function presentAsset(asset: SwapAsset): Wire.Asset {
  return {
    asset_id: asset.assetId,
    symbol: asset.symbol,
    blockchain: asset.blockchain,
    decimals: asset.decimals,
    price_usd: asset.priceUsd,
  }
}

/** In the order of the judgement; other problems of the body come before `invoice_not_pending`. */
export const SWAP_START_ERRORS = [
  'no_such_invoice',
  'refund_to_required',
  'invoice_not_pending',
  'swap_needs_amount',
  'swap_in_progress',
  'too_many_swap_requests',
  'unsupported_asset_id',
  'swap_refused',
  'swap_provider_unavailable',
] as const

/** @param body one that its schema refuses */
function requireRefundToIn(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  const { refund_to: refundTo } = body as { refund_to?: unknown }
  if (refundTo === undefined || typeof refundTo === 'string') requireRefundTo(refundTo)
}

interface SwapDeps {
  readonly swaps: Swaps
  readonly invoices: Pick<Invoices, 'read'>
}

export function swapRoutes(app: App, { swaps, invoices }: SwapDeps): void {
  app.get(
    '/v1/swap/assets',
    {
      config: { cors: true, rate: 'read', access: 'public', errors: ['swap_provider_unavailable'] },
      schema: {
        operationId: 'listSwapAssets',
        summary: 'List the assets that buyers can pay with',
        description: 'Cached for five minutes, or longer while the swap provider is unavailable.',
        tags: ['swaps'],
        response: responses(Type.Array(AssetSchema)),
      },
    },
    async () => (await swaps.assets()).map(presentAsset),
  )

  app.post(
    '/v1/invoices/:id/swap',
    {
      config: {
        cors: true,
        rate: 'swap',
        access: 'public',
        errors: SWAP_START_ERRORS,
      },
      // The handler reports what is wrong with the body after an unknown invoice and a missing refund address.
      attachValidation: true,
      schema: {
        operationId: 'startSwap',
        summary: 'Start a swap to pay the invoice with another asset',
        description:
          'Returns a firm quote for the whole amount. It replaces the earlier swap of the invoice. The invoice id is the ' +
          'access token. At most 5 requests per invoice in 10 minutes, those that the provider refuses or does not answer ' +
          'included; all invoices of an account, and all accounts, share further limits.',
        tags: ['swaps'],
        params: IdParam,
        body: StartSwapSchema,
        response: responses(SwapQuoteSchema),
      },
    },
    async request => {
      const { params, body, validationError } = request
      const invoice = await invoices.read(params.id)
      if (validationError) {
        requireRefundToIn(body)
        throw validationError
      }
      const { asset_id: assetId, refund_to: refundTo } = body
      return presentSwapQuote(await swaps.start(invoice, { assetId, refundTo }))
    },
  )
}

/** Adds a gauge that is counted on each scrape. */
export function addSwapMetrics(registry: Registry, swaps: Pick<Swaps, 'countNeedingAttention'>): void {
  new Gauge({
    name: 'zatgate_swaps_needing_attention',
    help: 'Swaps processing or completed for an hour without a payment on chain.',
    registers: [registry],
    async collect() {
      this.set(await swaps.countNeedingAttention())
    },
  })
}
