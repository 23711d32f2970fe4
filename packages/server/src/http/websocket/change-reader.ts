import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceMessage } from '@zatgate/sdk/wire'
import { type Invoice, isFinal } from '../../domain/sale/invoice.ts'
import { confirmationsSoFar } from '../../domain/sale/payment.ts'
import type { Log } from '../../ports/log.ts'
import type { ChangeCursor } from '../../ports/repository/notify/invoice-change.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import type { Changes, InvoiceFeed } from '../../services/notify/invoice-feed.ts'
import { CLOSE, type Connection } from './connection.ts'

/** Messages sent before yielding to the event loop: one loop over 10,000 sockets would block everything else. */
const SEND_SLICE = 500
/** Invoices of new subscribers per read. */
const NEW_BATCH = 500

/** Reads the changes of invoices and sends them to the subscribers. */
interface ChangeReader {
  /** Sends the present state of the invoice in the next pass, then each change of it. */
  subscribe(invoice: Pick<Invoice, 'id' | 'publicId'>, connection: Connection): void
  /** Reads now, or again after the pass in progress. */
  poll(): void
  /** Starts no further pass, and waits for the one in progress. */
  close(): Promise<void>
}

interface ChangeReaderOptions {
  readonly invoiceFeed: InvoiceFeed
  readonly log: Log
}

export function createChangeReader({ invoiceFeed, log }: ChangeReaderOptions): ChangeReader {
  /** By the row id of their invoice, each with the public id of it. */
  const subscribers = new Map<number, Map<Connection, string>>()
  const newInvoices = new Set<number>()
  /** Row ids of subscribed invoices that further blocks confirm. */
  const confirming = new Set<number>()
  let chainState: string | null = null
  let cursor: ChangeCursor | null = null
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
        cursor = changes.cursor
        if (changes.wentBack) for (const id of subscribers.keys()) newInvoices.add(id)
        for (const id of alwaysInclude) newInvoices.delete(id)
        if (changes.chainState !== chainState) for (const id of confirming) newInvoices.add(id)
        chainState = changes.chainState
        pending ||= changes.hasMore || newInvoices.size > 0
        await sendChanges(changes)
        closeLost(alwaysInclude, changes.invoices)
      } catch (error) {
        // The cursor has not moved: the next poll reads the same events again.
        pending = false
        log.error({ err: error }, 'reading invoice changes for WebSockets failed')
        return
      }
    }
  }

  async function sendChanges({ invoices, swaps, confirmedTip }: Changes): Promise<void> {
    let sent = 0
    for (const invoice of invoices) {
      const message = JSON.stringify(messageOf(invoice, swaps.get(invoice), confirmedTip))
      if (invoice.status === 'detected' && subscribers.has(invoice.id)) confirming.add(invoice.id)
      else confirming.delete(invoice.id)
      const state = `${invoice.receivedZat} ${message}`
      for (const [connection, publicId] of subscribers.get(invoice.id) ?? []) {
        if (publicId !== invoice.publicId) connection.socket.close(CLOSE.goingAway)
        else connection.sendState(state, message)
        if (isFinal(invoice.status)) connection.socket.close(CLOSE.normal)
        sent += 1
        if (sent % SEND_SLICE === 0) await yieldToEventLoop()
      }
    }
  }

  /** The database does not have these invoices any more. A client that connects again gets `not_found`, or its invoice. */
  function closeLost(ids: readonly number[], found: readonly Invoice[]): void {
    const present = new Set(found.map(({ id }) => id))
    for (const id of ids) {
      if (present.has(id)) continue
      for (const connection of subscribers.get(id)?.keys() ?? []) connection.socket.close(CLOSE.goingAway)
    }
  }

  return {
    poll,

    subscribe({ id, publicId }, connection) {
      const group = subscribers.get(id) ?? new Map<Connection, string>()
      subscribers.set(id, group.set(connection, publicId))
      connection.socket.on('close', () => {
        group.delete(connection)
        if (group.size > 0 || subscribers.get(id) !== group) return
        subscribers.delete(id)
        confirming.delete(id)
      })
      newInvoices.add(id)
      poll()
    },

    async close() {
      closed = true
      await reading
    },
  }
}

function messageOf(invoice: Invoice, swap: Swap | undefined, confirmedTip: number): InvoiceMessage {
  const { status, confirmations, confirmsAtHeight } = invoice
  return {
    status,
    ...(swap && { swap_status: swap.status }),
    ...(status === 'detected' && { confirmations: confirmationsSoFar(confirmations, confirmsAtHeight, confirmedTip) }),
  }
}
