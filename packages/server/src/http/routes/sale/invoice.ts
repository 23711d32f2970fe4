import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import {
  EXPIRY_SECS,
  FIELD_OF_MEMBER,
  INVOICE_FIELDS,
  INVOICE_VIEWS,
  type InvoiceAs,
  type InvoiceView,
  parseGiven,
  viewInvoice,
} from '../../../domain/sale/invoice.ts'
import type { Invoices } from '../../../services/sale/invoice.ts'
import type { Swaps } from '../../../services/sale/swap.ts'
import type { App } from '../../app.ts'
import { type Auth, accountOf } from '../../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../../idempotency.ts'
import {
  fieldSchema,
  IdParam,
  type MemberSchemas,
  nullable,
  PageQuery,
  parsePage,
  requestMembers,
  responses,
  wireBody,
  wireObject,
  wireQuery,
} from '../../schema.ts'
import { presentSwap, SwapSchema } from './swap.ts'

/** The schemas of the members that a view shows. */
export function invoiceMembers<V extends InvoiceView>(view: V) {
  const schemas = INVOICE_VIEWS[view].map(member => [
    member,
    member === 'zip321_uri'
      ? Type.String({ description: 'ZIP 321 payment request.' })
      : fieldSchema(FIELD_OF_MEMBER.get(member)![1]),
  ])
  return Object.fromEntries(schemas) as MemberSchemas<InvoiceAs<V>>
}

const CreateInvoiceSchema = wireBody<Wire.CreateInvoiceRequest>()('CreateInvoiceRequest', {
  ...requestMembers(INVOICE_FIELDS),
  expires_in_secs: Type.Optional(
    Type.Integer({
      minimum: EXPIRY_SECS.min,
      maximum: EXPIRY_SECS.max,
      description: `Seconds until the invoice expires. Default ${EXPIRY_SECS.default}.`,
    }),
  ),
  unique_order: Type.Optional(
    Type.Boolean({ description: 'Refuses a second open or paid invoice of the same `order_id`. Default false.' }),
  ),
})

export const CreatedInvoiceSchema = wireObject<Wire.CreatedInvoice>()('CreatedInvoice', invoiceMembers('created'))

const InvoiceSchema = wireObject<Wire.Invoice>()('Invoice', {
  ...invoiceMembers('public'),
  swap: nullable(SwapSchema),
})

export const InvoiceListItemSchema = wireObject<Wire.InvoiceListItem>()('InvoiceListItem', invoiceMembers('list'))

const ListQuery = wireQuery<Wire.InvoiceQuery>()({
  ...PageQuery.properties,
  order_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only invoices of this order.' })),
})

interface Deps {
  readonly invoices: Invoices
  readonly swaps: Pick<Swaps, 'currentByInvoice'>
  readonly auth: Auth
}

export function invoiceRoutes(app: App, { invoices, swaps, auth }: Deps): void {
  app.post(
    '/v1/invoices',
    {
      config: {
        rate: 'create',
        errors: [
          'viewing_key_not_set',
          'monthly_invoice_limit_reached',
          'idempotency_key_reused',
          'account_being_deleted',
          'order_exists',
          'viewing_key_expired',
          'viewing_key_expires_too_soon',
          'too_many_watched_keys',
          'watched_key_capacity_reached',
          'viewing_key_exhausted',
        ],
      },
      onRequest: auth.requireApiKey,
      schema: {
        operationId: 'createInvoice',
        summary: 'Create an invoice',
        description:
          'Checked in this order: API key, body, viewing key, plan limit. With an `Idempotency-Key` header (1 to 255 ' +
          'printable characters), repeating the same request within 24 hours returns the same invoice and counts once.',
        tags: ['invoices'],
        security: [{ apiKeyAuth: [] }],
        headers: IdempotencyHeader,
        body: CreateInvoiceSchema,
        response: responses(CreatedInvoiceSchema),
      },
    },
    async request => {
      const invoice = await invoices.create(accountOf(request), {
        ...parseGiven(request.body),
        expiresInSecs: request.body.expires_in_secs,
        uniqueOrder: request.body.unique_order,
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
      })
      return viewInvoice('created', invoice)
    },
  )

  app.get(
    '/v1/invoices/:id',
    {
      config: { cors: true, rate: 'read', errors: ['no_such_invoice'] },
      schema: {
        operationId: 'getInvoice',
        summary: 'Read an invoice',
        description: 'The invoice id is the access token.',
        tags: ['invoices'],
        params: IdParam,
        response: responses(InvoiceSchema),
      },
    },
    async request => {
      const invoice = await invoices.read(request.params.id)
      const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
      return { ...viewInvoice('public', invoice), swap: swap ? presentSwap(swap) : null }
    },
  )

  app.get(
    '/v1/account/invoices',
    {
      config: { rate: 'list' },
      onRequest: auth.requireSession,
      schema: {
        operationId: 'listInvoices',
        summary: "List the account's invoices, newest first",
        tags: ['account'],
        security: [{ sessionAuth: [] }],
        querystring: ListQuery,
        response: responses(Type.Array(InvoiceListItemSchema)),
      },
    },
    async request => {
      const { order_id: orderId } = request.query
      const filter = orderId === undefined ? {} : { orderId }
      const found = await invoices.list(accountOf(request), parsePage(request.query), filter)
      return found.map(invoice => viewInvoice('list', invoice))
    },
  )
}
