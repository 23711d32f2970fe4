import type * as Wire from '@zatgate/sdk/wire'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../../domain/error.ts'
import { MAX_ZAT } from '../../../domain/money.ts'
import { stringify } from '../../../domain/raw-json.ts'
import { EXPIRY_SECS, INVOICE_FIELDS, type Invoice, missingZat } from '../../../domain/sale/invoice.ts'
import { MAX_METADATA_BYTES, parseInvoiceBody } from '../../../domain/sale/invoice-request.ts'
import {
  FIELD_OF_MEMBER,
  INVOICE_VIEWS,
  type InvoiceAs,
  type InvoiceView,
  viewInvoice,
} from '../../../domain/sale/invoice-views.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import { type Clock, nowSecs } from '../../../ports/clock.ts'
import type { Webhooks } from '../../../services/notify/webhook.ts'
import type { Invoices } from '../../../services/sale/invoice.ts'
import type { InvoiceCancellations } from '../../../services/sale/invoice-cancellation.ts'
import type { PublicInvoices } from '../../../services/sale/public-invoice.ts'
import type { Swaps } from '../../../services/sale/swap.ts'
import type { App } from '../../app.ts'
import { type Auth, accountOf, ownerAccountOf, requireScopedKey } from '../../auth.ts'
import { bodyTextOf } from '../../create-app.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../../idempotency.ts'
import {
  fieldSchema,
  IdParam,
  type MemberSchemas,
  named,
  nullable,
  requestMembers,
  responses,
  stringEnum,
  wireBody,
  wireObject,
  wireQuery,
  Zat,
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

export const PriceRequestSchema = named(
  'PriceRequest',
  Type.Object(
    {
      amount: Type.Union([Type.String(), Type.Number()], {
        description: 'Above 0, at most 12 digits before and after the point. A number is taken as it is written.',
      }),
      currency: Type.String({ maxLength: 8, description: 'ISO 4217 in any case, or `BTC`, `SATS`, `ZEC`.' }),
    },
    { additionalProperties: false, description: 'Converted at a fresh rate, rounded up to the zat, and kept.' },
  ),
)

const CreateInvoiceSchema = wireBody<Wire.CreateInvoiceRequest>()('CreateInvoiceRequest', {
  amount_zat: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'Requested amount. Or give `price`.' }),
  ),
  price: Type.Optional(PriceRequestSchema),
  ...requestMembers(INVOICE_FIELDS),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: `An object of at most ${MAX_METADATA_BYTES} bytes, kept as the bytes given. Buyers never see it.`,
    }),
  ),
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
  checkout: Type.Optional(
    Type.Boolean({ description: 'Asks for `checkout_url` also without other members of a sale. Default false.' }),
  ),
})

/** The members that a request can have without asking for `checkout_url`. */
const PLAIN_MEMBERS: readonly string[] = ['amount_zat', 'expires_in_secs', 'checkout']

export const CreatedInvoiceSchema = wireObject<Wire.CreatedInvoice>()('CreatedInvoice', {
  ...invoiceMembers('created'),
  checkout_url: Type.Optional(Type.String({ description: 'The page where the buyer pays.' })),
})

const { created_at, paid_at, ...readMembers } = invoiceMembers('merchant')

export const InvoiceSchema = wireObject<Wire.Invoice>()('Invoice', {
  ...readMembers,
  created_at: Type.Optional(created_at),
  paid_at: Type.Optional(paid_at),
  missing_zat: Type.Optional(Zat('With `include=missing`: the rest to pay, while late money still counts.')),
  missing_uri: Type.Optional(Type.String({ description: 'With `missing_zat`: its ZIP 321 payment request.' })),
  swap: nullable(SwapSchema),
})

const ReadQuery = wireQuery<Wire.ReadInvoiceQuery>()({
  include: Type.Optional(stringEnum(['missing'], '`missing`: with the rest to pay.')),
})

/** The page where the buyer pays. */
export function checkoutUrl({ publicId }: Pick<Invoice, 'publicId'>, publicUrl: string): string {
  return `${publicUrl}/i/${publicId}`
}

/** The invoice as its merchant or anyone else may see it, with its swap. */
export async function presentInvoice(
  swaps: Pick<Swaps, 'currentByInvoice'>,
  view: 'public' | 'merchant',
  invoice: Invoice,
): Promise<Wire.Invoice> {
  const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
  return { ...viewInvoice(view, invoice), swap: swap ? presentSwap(swap) : null }
}

interface Deps {
  readonly auth: Pick<Auth, 'hasPlainKeyOf'>
  readonly invoices: Invoices
  readonly publicInvoices: Pick<PublicInvoices, 'isPublic'>
  readonly cancellations: InvoiceCancellations
  readonly swaps: Pick<Swaps, 'currentByInvoice'>
  readonly webhooks: Pick<Webhooks, 'requireOwnUrl'>
  readonly clock: Clock
  readonly publicUrl: () => string
}

export function invoiceRoutes(app: App, deps: Deps): void {
  const { auth, invoices, publicInvoices, cancellations, swaps, webhooks, clock, publicUrl } = deps

  app.post(
    '/v1/invoices',
    {
      config: {
        rate: 'create',
        access: { scopes: ['invoices:create'], or: 'api-key' },
        keepsText: true,
        errors: [
          'webhook_required',
          'rate_unavailable',
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
      schema: {
        operationId: 'createInvoice',
        summary: 'Create an invoice',
        description:
          'Checked in this order: API key, body, rate, viewing key, plan limit. A request with an amount and a time alone gets ' +
          'the address of the payment page as a `Link` header, one with more as `checkout_url`. With an `Idempotency-Key` header (1 to 255 ' +
          'printable characters), repeating the same request within 24 hours returns the same invoice and counts once. A scoped key needs `invoices:create`.',
        tags: ['invoices'],
        headers: IdempotencyHeader,
        body: CreateInvoiceSchema,
        response: responses(CreatedInvoiceSchema),
      },
    },
    async (request, reply) => {
      const { body } = request
      if (body.webhook_url !== undefined) {
        requireScopedKey(request, 'webhook_url')
        await webhooks.requireOwnUrl(accountOf(request), body.webhook_url)
      }
      const invoice = await invoices.create(accountOf(request), {
        ...parseInvoiceBody(body, bodyTextOf(request), publicUrl()),
        expiresInSecs: body.expires_in_secs,
        uniqueOrder: body.unique_order,
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
      })
      const url = checkoutUrl(invoice, publicUrl())
      const asksForCheckout = body.checkout || Object.keys(body).some(member => !PLAIN_MEMBERS.includes(member))
      if (!asksForCheckout) reply.header('link', `<${url}>; rel="payment"`)
      serializeMetadata(reply)
      return { ...viewInvoice('created', invoice), ...(asksForCheckout && { checkout_url: url }) }
    },
  )

  app.get(
    '/v1/invoices/:id',
    {
      config: {
        cors: true,
        rate: 'read',
        access: { scopes: ['invoices:read'], or: 'public' },
        errors: ['no_such_invoice', 'invoice_gone'],
      },
      schema: {
        operationId: 'getInvoice',
        summary: 'Read an invoice',
        description:
          'The invoice id is the access token. With a session token of its account, or a scoped key with `invoices:read`, the response has all that the merchant gave. 30 days after its late window (`PUBLIC_INVOICE_DAYS`) only a credential of its account gives access: a session token, such a key, or a key without scopes.',
        tags: ['invoices'],
        params: IdParam,
        querystring: ReadQuery,
        response: responses(InvoiceSchema),
      },
    },
    async (request, reply) => {
      const invoice = await invoices.read(request.params.id)
      const isOwn = ownerAccountOf(request)?.id === invoice.accountId
      if (!isOwn && !publicInvoices.isPublic(invoice) && !(await auth.hasPlainKeyOf(request, invoice)))
        throw new AppError('invoice_gone')
      const { swap, ...shown } = await presentInvoice(swaps, isOwn ? 'merchant' : 'public', invoice)
      const missing = request.query.include === 'missing' ? presentMissing(invoice, nowSecs(clock)) : {}
      if (isOwn) serializeMetadata(reply)
      return { ...shown, ...missing, swap }
    },
  )

  app.post(
    '/v1/invoices/:id/cancel',
    {
      config: {
        rate: 'session',
        access: { scopes: ['invoices:write'], or: 'session' },
        errors: ['no_such_invoice', 'invoice_not_cancelable'],
      },
      schema: {
        operationId: 'cancelInvoice',
        summary: 'Cancel an invoice',
        description:
          'Only of a pending invoice that has received nothing. It becomes `expired`. Its address stays watched: a payment on its way still counts.',
        tags: ['invoices'],
        params: IdParam,
        response: responses(InvoiceSchema),
      },
    },
    async (request, reply) => {
      const canceled = await cancellations.cancel(accountOf(request), request.params.id)
      const shown = await presentInvoice(swaps, 'merchant', canceled)
      serializeMetadata(reply)
      return shown
    },
  )
}

/** Sends metadata as it was given. Call it last: an error has its own serialiser. */
export function serializeMetadata(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer(payload => stringify(payload as object))
}

type Missing = Pick<Wire.Invoice, 'missing_zat' | 'missing_uri'>

function presentMissing(invoice: Invoice, now: number): Missing {
  const zat = missingZat(invoice, now)
  if (zat === null) return {}
  return { missing_zat: Number(zat), missing_uri: paymentUri(invoice.address, zat, invoice.publicId) }
}
