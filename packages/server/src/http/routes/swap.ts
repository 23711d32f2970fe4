import { Gauge, type Registry } from 'prom-client'
import { Type } from 'typebox'
import { requireRefundTo } from '../../domain/swap.ts'
import type { Invoices } from '../../services/invoice.ts'
import type { Swaps } from '../../services/swap.ts'
import type { AnyRequest, App } from '../app.ts'
import { assetOf, quoteOf } from '../presenters/swap.ts'
import { Asset, answers, IdParam, StartSwap, SwapQuote } from '../schemas/invoice.ts'

export interface SwapDeps {
  readonly swaps: Swaps
  readonly invoices: Pick<Invoices, 'read'>
}

export function swapRoutes(app: App, { swaps, invoices }: SwapDeps): void {
  app.get(
    '/v1/swap/assets',
    {
      config: { cors: true },
      schema: {
        summary: 'List what buyers can pay with',
        description: 'At most five minutes old, or older while the swap provider is down.',
        tags: ['swaps'],
        response: answers(Type.Array(Asset)),
      },
    },
    async () => (await swaps.assets()).map(assetOf),
  )

  /** An unknown invoice, and then a missing refund address, are said before anything else about the body. */
  async function judgeFirst(request: AnyRequest): Promise<void> {
    await invoices.read((request.params as { id: string }).id)
    const { body } = request
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return
    const { refund_to: refundTo } = body as Record<string, unknown>
    if (refundTo === undefined || typeof refundTo === 'string') requireRefundTo(refundTo)
  }

  app.post(
    '/v1/invoices/:id/swap',
    {
      config: { cors: true },
      preValidation: judgeFirst,
      schema: {
        summary: 'Start a swap: pay the invoice in another asset',
        description:
          'A firm quote for the whole amount; it replaces the earlier swap of the invoice. The invoice’s id is the ' +
          'access token. At most 5 in 10 minutes for one invoice.',
        tags: ['swaps'],
        params: IdParam,
        body: StartSwap,
        response: answers(SwapQuote),
      },
    },
    async request => {
      const { asset_id: assetId, refund_to: refundTo } = request.body
      return quoteOf(await swaps.start(request.params.id, { assetId, refundTo }))
    },
  )
}

/** Counted anew at each look at the metrics. */
export function measureSwaps(registry: Registry, swaps: Pick<Swaps, 'countNeedingAttention'>): void {
  new Gauge({
    name: 'zatgate_swaps_needing_attention',
    help: 'Swaps under way or done for an hour whose coins have not come.',
    registers: [registry],
    async collect() {
      this.set(await swaps.countNeedingAttention())
    },
  })
}
