import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { mayGiveAddress, type RefundWithInvoice } from '../../../domain/sale/refund.ts'
import type { RefundLinks } from '../../../services/sale/refund-link.ts'
import type { App } from '../../app.ts'
import { responses, wireBody, wireObject } from '../../schema.ts'
import { RefundAddressSchema, refundMembers } from './refund.ts'

const BuyerRefundSchema = wireObject<Wire.BuyerRefund>()('BuyerRefund', {
  status: refundMembers.status,
  amount_zat: refundMembers.amount_zat,
  price: refundMembers.price,
  order_id: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  address: refundMembers.address,
  can_change: Type.Boolean({ description: 'Whether the address can be given or changed.' }),
})

const GiveAddressSchema = wireBody<Wire.GiveAddressRequest>()('GiveAddressRequest', { address: RefundAddressSchema })

/** The secret of a link has no format constraint: a malformed one gets the 404 of an unknown one. */
const LinkParam = Type.Object({ link: Type.String({ description: 'The secret at the end of `refund_url`.' }) })

function presentToBuyer({ refund, invoice }: RefundWithInvoice): Wire.BuyerRefund {
  const { orderId, description } = invoice
  return {
    status: refund.status,
    amount_zat: Number(refund.amountZat),
    ...(refund.price && { price: refund.price }),
    ...(orderId !== null && { order_id: orderId }),
    ...(description !== null && { description }),
    address: refund.addressFromBuyer ? refund.address : null,
    can_change: mayGiveAddress(refund),
  }
}

export function refundLinkRoutes(app: App, refundLinks: RefundLinks): void {
  app.get(
    '/v1/refunds/:link',
    {
      config: { rate: 'read', access: 'public', errors: ['no_such_refund', 'refund_gone'] },
      schema: {
        operationId: 'getBuyerRefund',
        summary: 'Read a refund as its buyer',
        description: 'The secret in the link is the credential.',
        tags: ['refunds'],
        params: LinkParam,
        response: responses(BuyerRefundSchema),
      },
    },
    async request => presentToBuyer(await refundLinks.read(request.params.link)),
  )

  app.put(
    '/v1/refunds/:link/address',
    {
      config: { rate: 'swap', access: 'public', errors: ['no_such_refund', 'refund_gone', 'refund_address_fixed'] },
      schema: {
        operationId: 'giveRefundAddress',
        summary: 'Give the address of a refund',
        description: 'It can be changed until the shop has seen it.',
        tags: ['refunds'],
        params: LinkParam,
        body: GiveAddressSchema,
        response: responses(BuyerRefundSchema),
      },
    },
    async request => presentToBuyer(await refundLinks.giveAddress(request.params.link, request.body.address)),
  )
}
