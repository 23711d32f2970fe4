import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceMessage } from '@zatgate/sdk/wire'
import type { WebSocket } from 'ws'
import { AppError } from '../../domain/error.ts'
import { isFinal } from '../../domain/invoice.ts'
import type { Log } from '../../ports/log.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import type { Store } from '../../ports/store.ts'
import type { Invoices } from '../../services/invoice.ts'
import type { InvoiceFeed } from '../../services/invoice-feed.ts'
import type { Swaps } from '../../services/swap.ts'

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

export interface StreamOptions {
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

interface Subscriber {
  readonly socket: WebSocket
  /** The last state sent. */
  lastState: string
  alive: boolean
  /** Frames received since the last heartbeat. */
  framesReceived: number
}

/** Messages sent before yielding to the event loop: one loop over 10,000 sockets would block everything else. */
const SEND_SLICE = 500
/** Invoices of new subscribers per read. */
const NEW_BATCH = 500
/** A client with more unsent data than this is disconnected. Messages are about 50 bytes. */
const MAX_BUFFERED_BYTES = 64 * 1024
/** Client frames are ignored; a client that sends more than this between two heartbeats is disconnected. */
const MAX_FRAMES = 100
const CLOSE_GRACE_MS = 2_000

const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008, internal: 1011 } as const

/**
 * One reader serves all sockets of the process. It reads the event table by cursor and sends the present state of each
 * invoice that has new events. Store notifications only make it read sooner.
 *
 * A new socket is registered first and gets its first message from the reader's next pass. So no change is lost in
 * between, and an older state never follows a newer one.
 */
export function createInvoiceStream(options: StreamOptions): InvoiceStream {
  const { store, invoices, invoiceFeed, swaps, log, maxWebSockets, pollMs = 1_000, heartbeatMs = 30_000 } = options
  const subscribers = new Map<number, Set<Subscriber>>()
  const sockets = new Map<WebSocket, Subscriber>()
  const newInvoices = new Set<number>()
  let cursor: number | null = null
  let pending = false
  let reading: Promise<void> | null = null
  let closed = false

  const unlisten = store.listen('events', poll)
  const polling = setInterval(poll, pollMs).unref()
  const heartbeats = setInterval(sendHeartbeats, heartbeatMs).unref()

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
      for (const subscriber of subscribers.get(invoice.id) ?? []) {
        send(subscriber, state, message)
        if (isFinal(invoice.status)) subscriber.socket.close(CLOSE.normal)
        sent += 1
        if (sent % SEND_SLICE === 0) await yieldToEventLoop()
      }
    }
  }

  function send(subscriber: Subscriber, state: string, message: string): void {
    if (subscriber.lastState === state) return
    subscriber.lastState = state
    if (subscriber.socket.bufferedAmount > MAX_BUFFERED_BYTES) subscriber.socket.terminate()
    else subscriber.socket.send(message)
  }

  function sendHeartbeats(): void {
    for (const subscriber of sockets.values()) {
      if (!subscriber.alive) {
        subscriber.socket.terminate()
        continue
      }
      subscriber.alive = false
      subscriber.framesReceived = 0
      subscriber.socket.ping()
    }
  }

  /** Registers a socket: starts its heartbeats, and counts and ignores what it sends. */
  function register(socket: WebSocket): Subscriber {
    const subscriber: Subscriber = { socket, lastState: '', alive: true, framesReceived: 0 }
    const countFrame = () => {
      subscriber.framesReceived += 1
      if (subscriber.framesReceived === MAX_FRAMES) socket.close(CLOSE.policy)
      if (subscriber.framesReceived > 2 * MAX_FRAMES) socket.terminate()
    }
    sockets.set(socket, subscriber)
    socket.on('message', countFrame)
    socket.on('ping', countFrame)
    socket.on('pong', () => {
      subscriber.alive = true
      countFrame()
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => sockets.delete(socket))
    return subscriber
  }

  function subscribeTo(invoiceId: number, subscriber: Subscriber): void {
    const group = subscribers.get(invoiceId) ?? new Set()
    subscribers.set(invoiceId, group.add(subscriber))
    subscriber.socket.on('close', () => {
      group.delete(subscriber)
      if (group.size === 0 && subscribers.get(invoiceId) === group) subscribers.delete(invoiceId)
    })
    newInvoices.add(invoiceId)
    poll()
  }

  return {
    hasCapacity: () => !closed && sockets.size < maxWebSockets,

    get size() {
      return sockets.size
    },

    async subscribe(socket, publicId) {
      const subscriber = register(socket)
      try {
        const invoice = await invoices.read(publicId)
        if (closed) socket.close(CLOSE.goingAway)
        else if (socket.readyState === socket.OPEN) subscribeTo(invoice.id, subscriber)
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
      clearInterval(heartbeats)
      const allClosed = Promise.all([...sockets.keys()].map(socket => new Promise(done => socket.once('close', done))))
      for (const socket of sockets.keys()) socket.close(CLOSE.goingAway)
      const timeout = setTimeout(() => sockets.forEach((_, socket) => void socket.terminate()), CLOSE_GRACE_MS)
      await Promise.all([allClosed, reading])
      clearTimeout(timeout)
    },
  }
}

function messageOf({ status }: Invoice, swap: Swap | undefined): InvoiceMessage {
  return swap ? { status, swap_status: swap.status } : { status }
}
