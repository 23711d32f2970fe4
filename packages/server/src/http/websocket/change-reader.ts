import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceMessage } from '@zatgate/sdk/wire'
import { followedUntil } from '../../domain/sale/checkout.ts'
import { type Invoice, isConfirming, isFinal } from '../../domain/sale/invoice.ts'
import { confirmationsSoFar } from '../../domain/sale/payment.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ChangeCursor } from '../../ports/repository/notify/invoice-change.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import type { Changes, InvoiceFeed } from '../../services/notify/invoice-feed.ts'
import { CLOSE, type Connection, PAGE_HINT } from './connection.ts'

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
  /** Has the next pass close the pages that no longer change. */
  closeEnded(): void
  /** Starts no further pass, and waits for the one in progress. */
  close(): Promise<void>
}

interface ChangeReaderOptions {
  readonly invoiceFeed: InvoiceFeed
  readonly clock: Clock
  readonly log: Log
}

export function createChangeReader({ invoiceFeed, clock, log }: ChangeReaderOptions): ChangeReader {
  /** By the row id of their invoice, each with the public id of it. */
  const subscribers = new Map<number, Map<Connection, string>>()
  const newInvoices = new Set<number>()
  /** Row ids of subscribed invoices that further blocks confirm. */
  const confirming = new Set<number>()
  /** By row id of invoices with an open page: Unix seconds until which that may change. */
  const pagesUntil = new Map<number, number>()
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

  async function sendChanges({ invoices, changed, swaps, confirmedTip }: Changes): Promise<void> {
    let sent = 0
    for (const invoice of invoices) {
      const { id, receivedZat } = invoice
      const swap = swaps.get(invoice)
      const message = JSON.stringify(messageOf(invoice, swap, confirmedTip))
      if (isConfirming(invoice) && subscribers.has(id)) confirming.add(id)
      else confirming.delete(id)
      const state = `${receivedZat} ${message}`
      const pageState = pageStateOf(invoice, swap, confirmedTip)
      const pageIsOver = isOver(invoice)
      // Its state does not have all that a page shows, such as the deposit of a swap, and the end of its changes.
      const pageHasChanged = changed.has(id) || pageIsOver
      for (const [connection, publicId] of subscribers.get(id) ?? []) {
        if (publicId !== invoice.publicId) connection.socket.close(CLOSE.goingAway)
        else if (connection.follows === 'page') connection.sendState(pageState, PAGE_HINT, pageHasChanged)
        else connection.sendState(state, message)
        if (connection.follows === 'page' ? pageIsOver : isFinal(invoice.status)) connection.socket.close(CLOSE.normal)
        sent += 1
        if (sent % SEND_SLICE === 0) await yieldToEventLoop()
      }
    }
  }

  /** Whether its page no longer changes. */
  function isOver(invoice: Invoice): boolean {
    const until = followedUntil(invoice)
    const isOver = nowSecs(clock) >= until
    if (isOver) pagesUntil.delete(invoice.id)
    else if (pagesUntil.has(invoice.id)) pagesUntil.set(invoice.id, until)
    return isOver
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

    closeEnded() {
      const now = nowSecs(clock)
      for (const [id, until] of pagesUntil) if (now >= until) newInvoices.add(id)
    },

    subscribe({ id, publicId }, connection) {
      const group = subscribers.get(id) ?? new Map<Connection, string>()
      subscribers.set(id, group.set(connection, publicId))
      connection.socket.on('close', () => {
        group.delete(connection)
        if (group.size > 0 || subscribers.get(id) !== group) return
        subscribers.delete(id)
        confirming.delete(id)
        pagesUntil.delete(id)
      })
      if (connection.follows === 'page') pagesUntil.set(id, pagesUntil.get(id) ?? Number.POSITIVE_INFINITY)
      newInvoices.add(id)
      poll()
    },

    async close() {
      closed = true
      await reading
    },
  }
}

/** Differs when the page does, as far as the invoice and the confirmations are concerned. */
function pageStateOf(invoice: Invoice, swap: Swap | undefined, confirmedTip: number): string {
  const { status, receivedZat, dueZat, overpaidZat, needsAttention, canceledAt, markedAs } = invoice
  const { confirmations, confirmsAtHeight } = invoice
  const confirmed = dueZat === 0n ? confirmationsSoFar(confirmations, confirmsAtHeight, confirmedTip) : null
  return [
    status,
    receivedZat,
    dueZat,
    overpaidZat,
    needsAttention,
    canceledAt,
    markedAs,
    confirmed,
    swap?.status,
  ].join()
}

function messageOf(invoice: Invoice, swap: Swap | undefined, confirmedTip: number): InvoiceMessage {
  const { status, confirmations, confirmsAtHeight } = invoice
  return {
    status,
    ...(swap && { swap_status: swap.status }),
    ...(status === 'detected' && { confirmations: confirmationsSoFar(confirmations, confirmsAtHeight, confirmedTip) }),
  }
}
