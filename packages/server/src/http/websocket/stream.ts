import type { InvoiceMessage } from '@zatgate/sdk/wire'
import type { WebSocket } from 'ws'
import { AppError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import type { InvoiceFeed } from '../../services/notify/invoice-feed.ts'
import type { Readiness } from '../../services/readiness.ts'
import { createChainNotice } from './chain-notice.ts'
import { createChangeReader } from './change-reader.ts'
import { CLOSE, createConnections, type Follows } from './connection.ts'

/** Sends the status changes of invoices over WebSockets, and tells open checkout pages that they have changed. */
export interface InvoiceStream {
  /**
   * Checks whether a further WebSocket of a client can be accepted.
   * @throws AppError 503 `too_many_websockets` in total, 429 `too_many_websockets_of_client`
   */
  checkCapacity(client: string): void
  /** Open WebSockets. */
  readonly size: number
  /**
   * Sends the present status and every change of it until the invoice has a final status. To a page it sends a hint
   * without content, at first and after every change of what the page shows, until that no longer changes.
   */
  subscribe(socket: WebSocket, invoice: Pick<Invoice, 'id' | 'publicId'>, client: string, follows: Follows): void
  close(): Promise<void>
}

interface StreamOptions {
  readonly store: Pick<Store, 'listen'>
  readonly invoiceFeed: InvoiceFeed
  readonly readiness: Pick<Readiness, 'isChainSeen'>
  readonly clock: Clock
  readonly log: Log
  /** Maximum number of open WebSockets. */
  readonly maxWebSockets: number
  /** Maximum number of those of one client. */
  readonly maxWebSocketsPerClient: number
  /** Poll interval, in case a notification is missed. */
  readonly pollMs?: number
  /** Ping interval. A peer that does not respond within one interval is disconnected. */
  readonly heartbeatMs?: number
}

/** Answers a WebSocket for an unknown invoice. It is not admitted: the client has two seconds to close. */
export function sendNotFound(socket: WebSocket): void {
  socket.on('error', () => socket.terminate())
  socket.send(JSON.stringify({ status: 'not_found' } satisfies InvoiceMessage))
  socket.close(CLOSE.normal)
}

/**
 * One reader serves all sockets of the process. It reads the event table by cursor and sends the present state of each
 * invoice that has new events. Store notifications only make it read sooner.
 *
 * A new socket is registered first and gets its first message from the reader's next pass. So no change is lost in
 * between, and an older state never follows a newer one.
 */
export function createInvoiceStream(options: StreamOptions): InvoiceStream {
  const { store, invoiceFeed, readiness, clock, log, pollMs = 1_000, heartbeatMs = 30_000 } = options
  const { maxWebSockets, maxWebSocketsPerClient } = options
  const connections = createConnections(heartbeatMs)
  const reader = createChangeReader({ invoiceFeed, clock, log })
  const chainNotice = createChainNotice(readiness)
  let closed = false

  const unlisten = store.listen('invoices', reader.poll)
  const polling = setInterval(() => {
    reader.closeEnded()
    reader.poll()
    chainNotice.poll()
  }, pollMs).unref()

  return {
    checkCapacity(client) {
      const retry = { retryAfterSecs: 5 }
      if (closed || connections.size >= maxWebSockets) throw new AppError('too_many_websockets', retry)
      if (connections.sizeOf(client) >= maxWebSocketsPerClient)
        throw new AppError('too_many_websockets_of_client', retry)
    },

    get size() {
      return connections.size
    },

    subscribe(socket, invoice, client, follows) {
      const connection = connections.add(socket, client, follows)
      reader.subscribe(invoice, connection)
      if (follows === 'page') chainNotice.add(connection)
    },

    async close() {
      closed = true
      unlisten()
      clearInterval(polling)
      await Promise.all([connections.close(), reader.close()])
    },
  }
}
