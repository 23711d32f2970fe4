import { Readable } from 'node:stream'
import type * as Wire from '@zatgate/sdk/wire'
import { type TSchema, Type } from 'typebox'
import { EXPORT_FORMATS } from '../../../domain/sale/export.ts'
import type { Exports } from '../../../services/sale/export.ts'
import type { App } from '../../app.ts'
import { accountOf, sessionOf } from '../../auth.ts'
import { ERROR_RESPONSES, Id, stringEnum, wireObject, wireQuery } from '../../schema.ts'
import { InvoiceListItemSchema } from './invoice-list.ts'
import { refundMembers } from './refund.ts'

/** The latest time of a period, in Unix seconds. */
const MAX_UNIX_SECS = 2 ** 40

const ExportQuery = wireQuery<Wire.ExportQuery>()({
  format: stringEnum(
    EXPORT_FORMATS,
    'File format. `csv_semicolon` has semicolons and decimal commas, for spreadsheets of languages that write them.',
  ),
  from: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_SECS, description: 'Unix seconds, inclusive.' })),
  to: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_SECS, description: 'Unix seconds, exclusive.' })),
})

const { address: _, ...exportedMembers } = refundMembers

const ExportedRefundSchema = wireObject<Wire.ExportedRefund>()('ExportedRefund', {
  ...exportedMembers,
  invoice_id: Id,
  order_id: Type.Optional(Type.String({ description: 'The order of the invoice.' })),
})

/** The file is streamed: the schemas describe it, and do not serialise it. */
const CsvFile = Type.Unsafe<Readable>(Type.String({ description: 'The file, with a line of column names.' }))

const fileOf = (row: TSchema) => ({
  description: 'The file, in the requested format.',
  content: {
    'application/json': { schema: Type.Unsafe<Readable>(Type.Array(row)) },
    'text/csv': { schema: CsvFile },
  },
})

const SAFE_CSV = 'CSV follows RFC 4180 and is safe to open in a spreadsheet.'
const ONE_AT_A_TIME = 'A response that ends early is incomplete. One export of an account at a time.'

const EXPORTS = [
  {
    path: '/v1/account/export',
    kind: 'invoices',
    operationId: 'exportInvoices',
    row: InvoiceListItemSchema,
    tags: ['account'],
    summary: 'Export the invoices created in a period',
    description: `Oldest first. ${SAFE_CSV} JSON has the members of the invoice list. ${ONE_AT_A_TIME}`,
  },
  {
    path: '/v1/account/refunds/export',
    kind: 'refunds',
    operationId: 'exportRefunds',
    row: ExportedRefundSchema,
    tags: ['refunds'],
    summary: 'Export the refunds created in a period',
    description: `Oldest first, canceled ones included, without addresses. ${SAFE_CSV} ${ONE_AT_A_TIME}`,
  },
] as const

export function exportRoutes(app: App, { exports }: { exports: Exports }): void {
  for (const { path, kind, operationId, row, tags, summary, description } of EXPORTS)
    app.get(
      path,
      {
        config: { rate: 'export', isLong: true, access: 'session', errors: ['export_in_progress'] },
        // A HEAD would run the export without a reader.
        exposeHeadRoute: false,
        schema: {
          tags: [...tags],
          operationId,
          summary,
          description,
          querystring: ExportQuery,
          response: { 200: fileOf(row), ...ERROR_RESPONSES },
        },
      },
      async (request, reply) => {
        const { format, from = 0, to } = request.query
        const period = { from, ...(to === undefined ? {} : { to }) }
        const { type, fileName, chunks } = exports[kind](accountOf(request), sessionOf(request), format, period)
        reply.type(type).header('content-disposition', `attachment; filename="${fileName}"`)
        return Readable.from(chunks)
      },
    )
}
