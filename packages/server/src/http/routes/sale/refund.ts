import type * as Wire from '@zatgate/sdk/wire'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { wireFields } from '../../../domain/field.ts'
import { MAX_ZAT } from '../../../domain/money.ts'
import { memberTexts } from '../../../domain/raw-json.ts'
import { parsePriceMember } from '../../../domain/sale/invoice-request.ts'
import {
  MAX_REFUND_ADDRESS_CHARS,
  REFUND_FIELDS,
  REFUND_STATUSES,
  type Refund,
  type RefundWithInvoice,
  refundPayment,
  refundPaymentUri,
} from '../../../domain/sale/refund.ts'
import type { Refunds } from '../../../services/sale/refund.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf, mayDo } from '../../auth.ts'
import { bodyTextOf } from '../../create-app.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../../idempotency.ts'
import {
  fieldSchema,
  Id,
  IdParam,
  type MemberSchemas,
  PageQuery,
  parsePage,
  requestMembers,
  responses,
  stringEnum,
  wireBody,
  wireObject,
  wireQuery,
  Zat,
} from '../../schema.ts'
import { PriceRequestSchema } from './invoice.ts'

/** The schemas of the members that are fields. */
export const refundMembers = Object.fromEntries(
  [...wireFields(REFUND_FIELDS)].map(([name, [, field]]) => [name, fieldSchema(field)]),
) as MemberSchemas<Omit<Wire.Refund, 'invoice_id' | 'refund_url' | 'zip321_uri'>>

export const RefundAddressSchema = Type.String({
  minLength: 1,
  maxLength: MAX_REFUND_ADDRESS_CHARS,
  description: 'A unified address with a shielded receiver, of the network of the service.',
})

const CreateRefundSchema = wireBody<Wire.CreateRefundRequest>()('CreateRefundRequest', {
  amount_zat: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'Default: all that is left. Or give `price`.' }),
  ),
  price: Type.Optional(PriceRequestSchema),
  address: Type.Optional(RefundAddressSchema),
  ...requestMembers(REFUND_FIELDS),
})

const RefundSchema = wireObject<Wire.Refund>()('Refund', {
  ...refundMembers,
  invoice_id: Id,
  refund_url: Type.Optional(
    Type.String({
      description:
        'The page where the buyer gives an address; only while it is awaited, and not for a key that only reads.',
    }),
  ),
  zip321_uri: Type.Optional(Type.String({ description: 'ZIP 321 payment request; only while it is `ready`.' })),
})

const InvoiceRefundsSchema = wireObject<Wire.InvoiceRefunds>()('InvoiceRefunds', {
  left_zat: Zat('The amount that can still be refunded.'),
  refunds: Type.Array(RefundSchema),
})

const RefundQuery = wireQuery<Wire.RefundQuery>()({
  ...PageQuery.properties,
  status: Type.Optional(stringEnum(REFUND_STATUSES, 'Only refunds with this status.')),
})

const RefundSentSchema = wireBody<Wire.RefundSentRequest>()('RefundSentRequest', {
  txid: Type.String({ description: 'The transaction of your wallet, 64 hex characters.' }),
})

const RefundPaymentRequestSchema = wireBody<Wire.RefundPaymentRequest>()('RefundPaymentRequest', {
  ids: Type.Array(Id, { minItems: 1, maxItems: 50, description: 'Refunds that are `ready`.' }),
})

const RefundPaymentSchema = wireObject<Wire.RefundPayment>()('RefundPayment', {
  zip321_uri: Type.String({ description: 'ZIP 321 payment request with one payment for each refund.' }),
  amount_zat: Zat('The sum.'),
})

/** The page where the buyer gives the address. */
export function refundUrl({ linkId }: Pick<Refund, 'linkId'>, publicUrl: string): string {
  return `${publicUrl}/r/${linkId}`
}

/** @param request with a key that only reads, it gets no link: its holder decides where the refund goes */
function presentRefund(request: FastifyRequest, shown: RefundWithInvoice, publicUrl: string): Wire.Refund {
  const { refund } = shown
  const { status, address, amountZat, price, rate, reason } = refund
  const uri = refundPaymentUri(shown)
  return {
    id: refund.publicId,
    invoice_id: shown.invoice.publicId,
    status,
    amount_zat: Number(amountZat),
    ...(price && { price }),
    ...(rate && { rate }),
    ...(reason !== null && { reason }),
    address,
    ...(status === 'awaiting_address' &&
      mayDo(request, 'refunds:write') && { refund_url: refundUrl(refund, publicUrl) }),
    ...(uri !== null && { zip321_uri: uri }),
    txid: refund.txid,
    created_at: refund.createdAt,
    updated_at: refund.updatedAt,
  }
}

const WRITE = { scopes: ['refunds:write'], or: 'session' } as const
const READ = { scopes: ['refunds:write', 'invoices:read'], or: 'session' } as const

interface Deps {
  readonly refunds: Refunds
  readonly publicUrl: () => string
}

export function refundRoutes(app: App, { refunds, publicUrl }: Deps): void {
  const common = { tags: ['refunds'] }
  const present = (request: FastifyRequest, shown: RefundWithInvoice) => presentRefund(request, shown, publicUrl())

  app.post(
    '/v1/account/invoices/:id/refunds',
    {
      config: {
        rate: 'session',
        access: WRITE,
        keepsText: true,
        errors: [
          'no_such_invoice',
          'rate_unavailable',
          'refund_exceeds_received',
          'idempotency_key_reused',
          'account_being_deleted',
          'too_many_changes',
        ],
      },
      schema: {
        ...common,
        operationId: 'createRefund',
        summary: 'Create a refund',
        description:
          'An order that your own wallet pays. Without an amount it is all that is left; the refunds of an invoice never ' +
          'exceed its confirmed payments. Without an address, send `refund_url` to the buyer. Accepts an `Idempotency-Key`.',
        params: IdParam,
        headers: IdempotencyHeader,
        body: CreateRefundSchema,
        response: responses(RefundSchema),
      },
    },
    async request => {
      const { amount_zat, price, address, reason } = request.body
      const given = {
        ...(amount_zat !== undefined && { amountZat: BigInt(amount_zat) }),
        ...(price && { price: parsePriceMember(price, memberTexts(bodyTextOf(request)).get('price')) }),
        ...(address !== undefined && { address }),
        ...(reason !== undefined && { reason }),
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
      }
      return present(request, await refunds.create(accountOf(request), request.params.id, given, actorOf(request)))
    },
  )

  app.get(
    '/v1/account/invoices/:id/refunds',
    {
      config: { rate: 'session', access: READ, errors: ['no_such_invoice'] },
      schema: {
        ...common,
        operationId: 'listInvoiceRefunds',
        summary: 'List the refunds of an invoice',
        description: 'An address that the buyer gave cannot be changed any more once it is shown here.',
        params: IdParam,
        response: responses(InvoiceRefundsSchema),
      },
    },
    async request => {
      const { leftZat, refunds: shown } = await refunds.ofInvoice(accountOf(request), request.params.id)
      return { left_zat: Number(leftZat), refunds: shown.map(refund => present(request, refund)) }
    },
  )

  app.get(
    '/v1/account/refunds',
    {
      config: { rate: 'list', access: READ },
      schema: {
        ...common,
        operationId: 'listRefunds',
        summary: 'List the refunds, newest first',
        description: 'An address that the buyer gave cannot be changed any more once it is shown here.',
        querystring: RefundQuery,
        response: responses(Type.Array(RefundSchema)),
      },
    },
    async request =>
      (await refunds.list(accountOf(request), parsePage(request.query), request.query.status)).map(refund =>
        present(request, refund),
      ),
  )

  app.get(
    '/v1/account/refunds/:id',
    {
      config: { rate: 'session', access: READ, errors: ['no_such_refund'] },
      schema: {
        ...common,
        operationId: 'getRefund',
        summary: 'Read a refund',
        description: 'An address that the buyer gave cannot be changed any more once it is shown here.',
        params: IdParam,
        response: responses(RefundSchema),
      },
    },
    async request => present(request, await refunds.read(accountOf(request), request.params.id)),
  )

  app.post(
    '/v1/account/refunds/payment-request',
    {
      config: { rate: 'session', access: WRITE, errors: ['no_such_refund', 'refund_closed'] },
      schema: {
        ...common,
        operationId: 'refundPayment',
        summary: 'Get one payment request for several refunds',
        description: 'A ZIP 321 request with one payment for each refund. Each must be `ready`.',
        body: RefundPaymentRequestSchema,
        response: responses(RefundPaymentSchema),
      },
    },
    async request => {
      const { uri, totalZat } = refundPayment(await refunds.ready(accountOf(request), request.body.ids))
      return { zip321_uri: uri, amount_zat: Number(totalZat) }
    },
  )

  app.post(
    '/v1/account/refunds/:id/sent',
    {
      config: { rate: 'session', access: WRITE, errors: ['no_such_refund', 'refund_closed', 'too_many_changes'] },
      schema: {
        ...common,
        operationId: 'markRefundSent',
        summary: 'Mark a refund as sent',
        description: 'Notes the transaction by which your wallet has paid it. It is final.',
        params: IdParam,
        body: RefundSentSchema,
        response: responses(RefundSchema),
      },
    },
    async request =>
      present(
        request,
        await refunds.markSent(accountOf(request), request.params.id, request.body.txid, actorOf(request)),
      ),
  )

  app.post(
    '/v1/account/refunds/:id/cancel',
    {
      config: { rate: 'session', access: WRITE, errors: ['no_such_refund', 'refund_closed', 'too_many_changes'] },
      schema: {
        ...common,
        operationId: 'cancelRefund',
        summary: 'Cancel a refund',
        description: 'Possible until it is marked as sent. A canceled refund stays so.',
        params: IdParam,
        response: responses(RefundSchema),
      },
    },
    async request => present(request, await refunds.cancel(accountOf(request), request.params.id, actorOf(request))),
  )
}
