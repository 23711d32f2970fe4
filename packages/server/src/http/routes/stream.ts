import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/error.ts'
import type { PublicInvoices } from '../../services/sale/public-invoice.ts'
import type { App } from '../app.ts'
import { clientPrefix } from '../client-prefix.ts'
import { ERROR_RESPONSES, IdParam } from '../schema.ts'
import type { Follows } from '../websocket/connection.ts'
import { type InvoiceStream, sendNotFound } from '../websocket/stream.ts'
import type { Upgrades } from '../websocket/upgrade.ts'

interface Deps {
  readonly publicInvoices: Pick<PublicInvoices, 'read'>
  readonly stream: InvoiceStream
  readonly upgrades: Upgrades
}

interface IdParams {
  readonly id: string
}

export function streamRoutes(app: App, { publicInvoices, stream, upgrades }: Deps): void {
  app.get(
    '/v1/invoices/:id/ws',
    {
      config: {
        rate: 'websocket',
        access: 'public',
        errors: ['invoice_gone', 'upgrade_required', 'too_many_websockets', 'too_many_websockets_of_client'],
      },
      schema: {
        operationId: 'followInvoice',
        summary: 'Subscribe to an invoice over a WebSocket',
        description:
          'Messages are `{"status": …}`, with `"swap_status"` if a swap exists, and while the status is `detected` with ' +
          '`"confirmations"`: those that the payment has so far. They are sent on connect, on each change of one of them, ' +
          'and when `received_zat` changes. The connection closes with 1000 after a final status or `not_found`.',
        tags: ['invoices'],
        params: IdParam,
        response: ERROR_RESPONSES,
      },
    },
    (request, reply) => accept(request, reply, 'status'),
  )

  /** For the script of an open checkout page: a message says only that the page has changed. */
  app.get<{ Params: IdParams }>('/i/:id/ws', { config: { rate: 'websocket', access: 'public' } }, (request, reply) =>
    accept(request, reply, 'page'),
  )

  async function accept(request: FastifyRequest<{ Params: IdParams }>, reply: FastifyReply, follows: Follows) {
    const invoice = await publicInvoices.read(request.params.id).catch(nullIfUnknown)
    if (invoice === null) return upgrades.accept(request, reply, sendNotFound)
    const client = clientPrefix(request.ip)
    stream.checkCapacity(client)
    upgrades.accept(request, reply, socket => stream.subscribe(socket, invoice, client, follows))
  }
}

function nullIfUnknown(error: unknown): null {
  if (error instanceof AppError && error.kind === 'not_found') return null
  throw error
}
