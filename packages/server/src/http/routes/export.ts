import { Readable } from 'node:stream'
import type { InvoiceExports } from '../../services/export.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf, sessionOf } from '../auth.ts'
import { ExportFile, ExportQuery } from '../schemas/export.ts'
import { ErrorBody } from '../schemas/response.ts'

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
        response: { 200: ExportFile, '4xx': ErrorBody, '5xx': ErrorBody },
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
