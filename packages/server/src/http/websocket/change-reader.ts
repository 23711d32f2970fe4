import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceMessage } from '@zatgate/sdk/wire'
import { isFinal } from '../../domain/invoice.ts'
import type { Log } from '../../ports/log.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import type { InvoiceFeed } from '../../services/invoice-feed.ts'
import type { Swaps } from '../../services/swap.ts'
import { CLOSE, type Connection } from './connection.ts'

/** Messages sent before yielding to the event loop: one loop over 10,000 sockets would block everything else. */
const SEND_SLICE = 500
/** Invoices of new subscribers per read. */
const NEW_BATCH = 500

/** Reads the changes of invoices and sends them to the subscribers. */
interface ChangeReader {
  /** Sends the present state of the invoice in the next pass, then each change of it. */
  subscribe(invoiceId: number, connection: Connection): void
  /** Reads now, or again after the pass in progress. */
  poll(): void
  /** Starts no further pass, and waits for the one in progress. */
  close(): Promise<void>
}

interface ChangeReaderOptions {
  readonly invoiceFeed: InvoiceFeed
  readonly swaps: Pick<Swaps, 'currentByInvoice'>
  readonly log: Log
}

export function createChangeReader({ invoiceFeed, swaps, log }: ChangeReaderOptions): ChangeReader {
  const subscribers = new Map<number, Set<Connection>>()
  const newInvoices = new Set<number>()
  let cursor: number | null = null
  let pending = false
  let reading: Promise<void> | null = null
  let closed = false

  function poll(): void {
    pending = true
    if (closed) return
    reading ??= readChanges().finally(() => {
      reading = null
      if (pending) poll()
    })
  }

  async function readChanges(): Promise<void> {
    while (pending && !closed) {
      pending = false
      // Without subscribers no change can be missed: the next subscriber starts at the present.
      if (subscribers.size === 0) {
        cursor = null
        return
      }
      const alwaysInclude = [...newInvoices].slice(0, NEW_BATCH)
      try {
        const changes = await invoiceFeed.changesSince({ cursor, includes: id => subscribers.has(id), alwaysInclude })
        const swapsByInvoice = await swaps.currentByInvoice(changes.invoices)
        cursor = changes.cursor
        for (const id of alwaysInclude) newInvoices.delete(id)
        pending ||= changes.hasMore || newInvoices.size > 0
        await sendChanges(changes.invoices, swapsByInvoice)
      } catch (error) {
        // The cursor has not moved: the next poll reads the same events again.
        pending = false
        log.error({ err: error }, 'reading invoice changes for WebSockets failed')
        return
      }
    }
  }

  async function sendChanges(changed: readonly Invoice[], swapsByInvoice: ReadonlyMap<number, Swap>): Promise<void> {
    let sent = 0
    for (const invoice of changed) {
      const message = JSON.stringify(messageOf(invoice, swapsByInvoice.get(invoice.id)))
      const state = `${invoice.receivedZat} ${message}`
      for (const connection of subscribers.get(invoice.id) ?? []) {
        connection.sendState(state, message)
        if (isFinal(invoice.status)) connection.socket.close(CLOSE.normal)
        sent += 1
        if (sent % SEND_SLICE === 0) await yieldToEventLoop()
      }
    }
  }

  return {
    poll,

    subscribe(invoiceId, connection) {
      const group = subscribers.get(invoiceId) ?? new Set()
      subscribers.set(invoiceId, group.add(connection))
      connection.socket.on('close', () => {
        group.delete(connection)
        if (group.size === 0 && subscribers.get(invoiceId) === group) subscribers.delete(invoiceId)
      })
      newInvoices.add(invoiceId)
      poll()
    },

    async close() {
      closed = true
      await reading
    },
  }
}

function messageOf({ status }: Invoice, swap: Swap | undefined): InvoiceMessage {
  return swap ? { status, swap_status: swap.status } : { status }
}
