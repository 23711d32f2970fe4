import { Gauge, type Registry } from 'prom-client'
import { Type } from 'typebox'
import { requireRefundTo } from '../../domain/swap.ts'
import type { Invoices } from '../../services/invoice.ts'
import type { Swaps } from '../../services/swap.ts'
import type { AnyRequest, App } from '../app.ts'
import { presentAsset, presentSwapQuote } from '../presenters/swap.ts'
import { IdParam } from '../schemas/common.ts'
import { responses } from '../schemas/response.ts'
import { Asset, StartSwap, SwapQuote } from '../schemas/swap.ts'

interface SwapDeps {
  readonly swaps: Swaps
  readonly invoices: Pick<Invoices, 'read'>
}

export function swapRoutes(app: App, { swaps, invoices }: SwapDeps): void {
  app.get(
    '/v1/swap/assets',
    {
      config: { cors: true, rate: 'read', errors: ['swap_provider_unavailable'] },
      schema: {
        operationId: 'listSwapAssets',
        summary: 'List the assets that buyers can pay with',
        description: 'Cached for five minutes, or longer while the swap provider is unavailable.',
        tags: ['swaps'],
        response: responses(Type.Array(Asset)),
      },
    },
    async () => (await swaps.assets()).map(presentAsset),
  )

  /** Reports an unknown invoice, then a missing refund address, before other problems of the body. */
  async function checkBeforeBody(request: AnyRequest): Promise<void> {
    await invoices.read((request.params as { id: string }).id)
    const { body } = request
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return
    const { refund_to: refundTo } = body as Record<string, unknown>
    if (refundTo === undefined || typeof refundTo === 'string') requireRefundTo(refundTo)
  }

  app.post(
    '/v1/invoices/:id/swap',
    {
      config: {
        cors: true,
        rate: 'swap',
        errors: [
          'no_such_invoice',
          'refund_to_required',
          'unsupported_asset_id',
          'swap_refused',
          'invoice_not_pending',
          'swap_in_progress',
          'too_many_swap_requests',
          'swap_provider_unavailable',
        ],
      },
      preValidation: checkBeforeBody,
      schema: {
        operationId: 'startSwap',
        summary: 'Start a swap to pay the invoice with another asset',
        description:
          'Returns a firm quote for the whole amount. It replaces the earlier swap of the invoice. The invoice id is the ' +
          'access token. At most 5 requests per invoice in 10 minutes, those that the provider refuses or does not answer ' +
          'included; all invoices of an account, and all accounts, share further limits.',
        tags: ['swaps'],
        params: IdParam,
        body: StartSwap,
        response: responses(SwapQuote),
      },
    },
    async request => {
      const { asset_id: assetId, refund_to: refundTo } = request.body
      return presentSwapQuote(await swaps.start(request.params.id, { assetId, refundTo }))
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
