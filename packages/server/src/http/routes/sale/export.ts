import { Readable } from 'node:stream'
import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { EXPORT_FORMATS } from '../../../domain/sale/export.ts'
import type { InvoiceExports } from '../../../services/sale/export.ts'
import type { App } from '../../app.ts'
import { type Auth, accountOf, sessionOf } from '../../auth.ts'
import { ERROR_RESPONSES, stringEnum, wireQuery } from '../../schema.ts'
import { InvoiceListItemSchema } from './invoice.ts'

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

/** The file is streamed: these describe it, and do not serialise it. */
const CsvFile = Type.Unsafe<Readable>(Type.String({ description: 'The file, with a line of column names.' }))
const JsonFile = Type.Unsafe<Readable>(Type.Array(InvoiceListItemSchema))

const ExportFile = {
  description: 'The file, in the requested format.',
  content: { 'application/json': { schema: JsonFile }, 'text/csv': { schema: CsvFile } },
}

export function exportRoutes(app: App, { exports, auth }: { exports: InvoiceExports; auth: Auth }): void {
  app.get(
    '/v1/account/export',
    {
      config: { rate: 'export', errors: ['export_in_progress'] },
      // A HEAD would run the export without a reader.
      exposeHeadRoute: false,
      onRequest: auth.requireSession,
      schema: {
        tags: ['account'],
        security: [{ sessionAuth: [] }],
        operationId: 'exportInvoices',
        summary: 'Export the invoices created in a period',
        description:
          'Oldest first. CSV follows RFC 4180 and is safe to open in a spreadsheet. JSON has the members of the invoice ' +
          'list. A response that ends early is incomplete. One export of an account at a time.',
        querystring: ExportQuery,
        response: { 200: ExportFile, ...ERROR_RESPONSES },
      },
    },
    async (request, reply) => {
      const { format, from = 0, to } = request.query
      const period = { from, ...(to === undefined ? {} : { to }) }
      const { type, fileName, chunks } = exports.exportInvoices(accountOf(request), sessionOf(request), format, period)
      reply.type(type).header('content-disposition', `attachment; filename="${fileName}"`)
      return Readable.from(chunks)
    },
  )
}
