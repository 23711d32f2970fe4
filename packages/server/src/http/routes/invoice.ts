import { Type } from 'typebox'
import { invoiceListItem } from '../../services/export.ts'
import type { Invoices } from '../../services/invoice.ts'
import type { Swaps } from '../../services/swap.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf } from '../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../idempotency.ts'
import { presentCreatedInvoice, presentInvoice } from '../presenters/invoice.ts'
import { IdParam } from '../schemas/common.ts'
import { CreatedInvoice, CreateInvoice, Invoice, InvoiceListItem } from '../schemas/invoice.ts'
import { PageQuery, parsePage } from '../schemas/page.ts'
import { responses } from '../schemas/response.ts'

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
        body: CreateInvoice,
        response: responses(CreatedInvoice),
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
        response: responses(Invoice),
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
        response: responses(Type.Array(InvoiceListItem)),
      },
    },
    async request => (await invoices.list(accountOf(request), parsePage(request.query))).map(invoiceListItem),
  )
}
