import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ZAT } from '../../../domain/money.ts'
import { EXPIRY_SECS, INVOICE_STATUSES } from '../../../domain/sale/invoice.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import type { Invoice } from '../../../ports/repository/sale/invoice.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { invoiceListItem } from '../../../services/sale/export.ts'
import type { Invoices } from '../../../services/sale/invoice.ts'
import type { Swaps } from '../../../services/sale/swap.ts'
import type { App } from '../../app.ts'
import { type Auth, accountOf } from '../../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../../idempotency.ts'
import {
  Id,
  IdParam,
  named,
  nullable,
  PageQuery,
  parsePage,
  responses,
  stringEnum,
  Txid,
  UnixSecs,
  wireBody,
  wireObject,
  Zat,
} from '../../schema.ts'
import { presentSwap, SwapSchema } from './swap.ts'

/** Members of an invoice in lists and events. */
export const invoiceMembers = {
  status: named(
    'InvoiceStatus',
    stringEnum(
      INVOICE_STATUSES,
      '`detected`: the full amount is seen. `paid`: it is confirmed. `underpaid`: expired with a payment that is too small.',
    ),
  ),
  amount_zat: Zat('Requested amount.'),
  received_zat: Zat('Amount received, mempool included.'),
  overpaid_zat: Zat('Amount received above the requested amount.'),
}

const { status, amount_zat, received_zat, overpaid_zat } = invoiceMembers
const zip321_uri = Type.String({ description: 'ZIP 321 payment request.' })
const expires_at = UnixSecs('Expiry time.')

const CreateInvoiceSchema = wireBody<Wire.CreateInvoiceRequest>()('CreateInvoiceRequest', {
  amount_zat: Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'Requested amount.' }),
  expires_in_secs: Type.Optional(
    Type.Integer({
      minimum: EXPIRY_SECS.min,
      maximum: EXPIRY_SECS.max,
      description: `Seconds until the invoice expires. Default ${EXPIRY_SECS.default}.`,
    }),
  ),
})

export const CreatedInvoiceSchema = wireObject<Wire.CreatedInvoice>()('CreatedInvoice', {
  id: Id,
  address: Type.String({ description: 'Unified address with one Orchard receiver.' }),
  amount_zat,
  zip321_uri,
  status,
  expires_at,
})

const InvoiceSchema = wireObject<Wire.Invoice>()('Invoice', {
  id: Id,
  status,
  amount_zat,
  address: Type.String(),
  zip321_uri,
  expires_at,
  txid: Txid,
  received_zat,
  overpaid_zat,
  swap: nullable(SwapSchema),
})

export const InvoiceListItemSchema = wireObject<Wire.InvoiceListItem>()('InvoiceListItem', {
  id: Id,
  ...invoiceMembers,
  address: Type.String(),
  txid: Txid,
  created_at: UnixSecs('Creation time.'),
  expires_at,
  paid_at: nullable(UnixSecs('Payment time; null until paid.')),
})

export function presentCreatedInvoice(invoice: Invoice): Wire.CreatedInvoice {
  return {
    id: invoice.publicId,
    address: invoice.address,
    amount_zat: Number(invoice.amountZat),
    zip321_uri: paymentUri(invoice.address, invoice.amountZat, invoice.publicId),
    status: invoice.status,
    expires_at: invoice.expiresAt,
  }
}

/** @param swap the current swap of the invoice */
function presentInvoice(invoice: Invoice, swap: Swap | null): Wire.Invoice {
  return {
    ...presentCreatedInvoice(invoice),
    txid: invoice.txid,
    received_zat: Number(invoice.receivedZat),
    overpaid_zat: Number(invoice.overpaidZat),
    swap: swap && presentSwap(swap),
  }
}

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
        amountZat: BigInt(request.body.amount_zat),
        expiresInSecs: request.body.expires_in_secs,
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
      })
      return presentCreatedInvoice(invoice)
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
      return presentInvoice(invoice, (await swaps.currentByInvoice([invoice])).get(invoice.id) ?? null)
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
        querystring: PageQuery,
        response: responses(Type.Array(InvoiceListItemSchema)),
      },
    },
    async request => (await invoices.list(accountOf(request), parsePage(request.query))).map(invoiceListItem),
  )
}
