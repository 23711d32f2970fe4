import { Fault } from '../../domain/error.ts'
import type { App } from '../app.ts'
import { ErrorBody, IdParam } from '../schemas/invoice.ts'
import type { InvoiceStream } from '../websocket/stream.ts'
import type { Upgrades } from '../websocket/upgrade.ts'

export function streamRoutes(app: App, { stream, upgrades }: { stream: InvoiceStream; upgrades: Upgrades }): void {
  app.get(
    '/v1/invoices/:id/ws',
    {
      schema: {
        summary: 'Follow an invoice over a WebSocket',
        description:
          'Messages are `{"status": …}`, with `"swap_status"` when a swap exists: on connect, on each change of ' +
          'either, and when `received_zat` changes. After a final status, or `not_found`, it closes with 1000.',
        tags: ['invoices'],
        params: IdParam,
        response: { '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => {
      if (!stream.hasRoom())
        throw new Fault('unavailable', 'too_many_websockets', 'too many websockets', { retryAfterSecs: 5 })
      upgrades.accept(request, reply, socket => void stream.follow(socket, request.params.id))
    },
  )
}
