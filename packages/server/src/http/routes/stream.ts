import { AppError } from '../../domain/error.ts'
import type { App } from '../app.ts'
import { IdParam } from '../schemas/common.ts'
import { ErrorBody } from '../schemas/response.ts'
import type { InvoiceStream } from '../websocket/stream.ts'
import type { Upgrades } from '../websocket/upgrade.ts'

export function streamRoutes(app: App, { stream, upgrades }: { stream: InvoiceStream; upgrades: Upgrades }): void {
  app.get(
    '/v1/invoices/:id/ws',
    {
      config: { rate: 'websocket' },
      schema: {
        summary: 'Subscribe to an invoice over a WebSocket',
        description:
          'Messages are `{"status": …}`, with `"swap_status"` if a swap exists. They are sent on connect, on each change ' +
          'of either, and when `received_zat` changes. The connection closes with 1000 after a final status or `not_found`.',
        tags: ['invoices'],
        params: IdParam,
        response: { '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    (request, reply) => {
      if (!stream.hasCapacity())
        throw new AppError('unavailable', 'too_many_websockets', 'too many websockets', { retryAfterSecs: 5 })
      upgrades.accept(request, reply, socket => void stream.subscribe(socket, request.params.id))
    },
  )
}
