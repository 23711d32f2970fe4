import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { invalidField } from '../../../domain/error.ts'
import { INVOICE_STATUSES, type InvoiceStatus } from '../../../domain/sale/invoice.ts'
import { viewInvoice } from '../../../domain/sale/invoice-views.ts'
import { MAX_DATE_SECS } from '../../../domain/time.ts'
import type { InvoiceFilter } from '../../../ports/repository/sale/invoice.ts'
import type { Invoices } from '../../../services/sale/invoice.ts'
import type { App } from '../../app.ts'
import { accountOf } from '../../auth.ts'
import { PageQuery, parsePage, responses, wireObject, wireQuery } from '../../schema.ts'
import { invoiceMembers, serializeMetadata } from './invoice.ts'

export const InvoiceListItemSchema = wireObject<Wire.InvoiceListItem>()('InvoiceListItem', invoiceMembers('list'))

const time = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_DATE_SECS, description }))

const ListQuery = wireQuery<Wire.InvoiceQuery>()({
  ...PageQuery.properties,
  status: Type.Optional(
    Type.String({ description: 'Only invoices with this status, or with one of several, separated by commas.' }),
  ),
  order_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only invoices of this order.' })),
  created_from: time('Unix seconds, inclusive.'),
  created_to: time('Unix seconds, exclusive.'),
})

/** @throws AppError `invalid_status` */
function parseStatuses(text: string): readonly InvoiceStatus[] {
  const statuses = INVOICE_STATUSES.filter(status => text.split(',').includes(status))
  if (statuses.length === 0 || statuses.length < new Set(text.split(',')).size)
    throw invalidField('status', `${INVOICE_STATUSES.join(', ')}, or several of them separated by commas`)
  return statuses
}

function parseFilter({ status, order_id, created_from, created_to }: Wire.InvoiceQuery): InvoiceFilter {
  return {
    ...(status !== undefined && { statuses: parseStatuses(status) }),
    ...(order_id !== undefined && { orderId: order_id }),
    ...(created_from !== undefined && { createdFrom: created_from }),
    ...(created_to !== undefined && { createdTo: created_to }),
  }
}

const LISTS = [
  {
    path: '/v1/invoices',
    access: { scopes: ['invoices:read'], or: 'session' },
    operationId: 'listInvoices',
    summary: 'List the invoices, newest first',
    tags: ['invoices'],
  },
  {
    path: '/v1/account/invoices',
    access: 'session',
    operationId: 'listAccountInvoices',
    summary: "List the account's invoices, newest first",
    tags: ['account'],
  },
] as const

export function invoiceListRoutes(app: App, { invoices }: { readonly invoices: Pick<Invoices, 'list'> }): void {
  for (const { path, access, operationId, summary, tags } of LISTS)
    app.get(
      path,
      {
        config: { rate: 'list', access },
        schema: {
          operationId,
          summary,
          tags: [...tags],
          querystring: ListQuery,
          response: responses(Type.Array(InvoiceListItemSchema)),
        },
      },
      async (request, reply) => {
        const { query } = request
        const found = await invoices.list(accountOf(request), parsePage(query), parseFilter(query))
        serializeMetadata(reply)
        return found.map(invoice => viewInvoice('list', invoice))
      },
    )
}
