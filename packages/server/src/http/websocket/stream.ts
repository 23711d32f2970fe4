import type { InvoiceMessage } from '@zatgate/sdk/wire'
import type { WebSocket } from 'ws'
import { AppError } from '../../domain/error.ts'
import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import type { Invoices } from '../../services/invoice.ts'
import type { InvoiceFeed } from '../../services/invoice-feed.ts'
import type { Swaps } from '../../services/swap.ts'
import { createChangeReader } from './change-reader.ts'
import { CLOSE, createConnections } from './connection.ts'

/** Sends the status changes of invoices over WebSockets. */
export interface InvoiceStream {
  /** False if no further WebSocket can be accepted. */
  hasCapacity(): boolean
  /** Open WebSockets. */
  readonly size: number
  /** Sends the present status and every change of it until the invoice has a final status. */
  subscribe(socket: WebSocket, publicId: string): Promise<void>
  close(): Promise<void>
}

interface StreamOptions {
  readonly store: Pick<Store, 'listen'>
  readonly invoices: Pick<Invoices, 'read'>
  readonly invoiceFeed: InvoiceFeed
  readonly swaps: Pick<Swaps, 'currentByInvoice'>
  readonly log: Log
  /** Maximum number of open WebSockets. */
  readonly maxWebSockets: number
  /** Poll interval, in case a notification is missed. */
  readonly pollMs?: number
  /** Ping interval. A peer that does not respond within one interval is disconnected. */
  readonly heartbeatMs?: number
}

/**
 * One reader serves all sockets of the process. It reads the event table by cursor and sends the present state of each
 * invoice that has new events. Store notifications only make it read sooner.
 *
 * A new socket is registered first and gets its first message from the reader's next pass. So no change is lost in
 * between, and an older state never follows a newer one.
 */
export function createInvoiceStream(options: StreamOptions): InvoiceStream {
  const { store, invoices, invoiceFeed, swaps, log, maxWebSockets, pollMs = 1_000, heartbeatMs = 30_000 } = options
  const connections = createConnections(heartbeatMs)
  const reader = createChangeReader({ invoiceFeed, swaps, log })
  let closed = false

  const unlisten = store.listen('events', reader.poll)
  const polling = setInterval(reader.poll, pollMs).unref()

  return {
    hasCapacity: () => !closed && connections.size < maxWebSockets,

    get size() {
      return connections.size
    },

    async subscribe(socket, publicId) {
      const connection = connections.add(socket)
      try {
        const invoice = await invoices.read(publicId)
        if (closed) socket.close(CLOSE.goingAway)
        else if (socket.readyState === socket.OPEN) reader.subscribe(invoice.id, connection)
      } catch (error) {
        const unknown = error instanceof AppError && error.kind === 'not_found'
        if (unknown) socket.send(JSON.stringify({ status: 'not_found' } satisfies InvoiceMessage))
        else log.error({ err: error }, 'serving a WebSocket failed')
        socket.close(unknown ? CLOSE.normal : CLOSE.internal)
      }
    },

    async close() {
      closed = true
      unlisten()
      clearInterval(polling)
      await Promise.all([connections.close(), reader.close()])
    },
  }
}
