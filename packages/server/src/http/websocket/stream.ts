import { setImmediate as breathe } from 'node:timers/promises'
import type { InvoiceMessage } from '@zatgate/sdk/wire'
import type { WebSocket } from 'ws'
import { Fault } from '../../domain/error.ts'
import { isFinal } from '../../domain/invoice.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import type { Log, Store } from '../../ports.ts'
import type { Invoices } from '../../services/invoice.ts'
import type { Swaps } from '../../services/swap.ts'

/** Follows invoices over WebSockets. */
export interface InvoiceStream {
  /** False when no further one can be taken. */
  hasRoom(): boolean
  readonly size: number
  follow(socket: WebSocket, publicId: string): Promise<void>
  close(): Promise<void>
}

export interface StreamOptions {
  readonly store: Pick<Store, 'listen'>
  readonly invoices: Pick<Invoices, 'read' | 'follow'>
  readonly swaps: Pick<Swaps, 'ofInvoices'>
  readonly log: Log
  /** WebSockets at a time. */
  readonly most: number
  /** How often to look without being woken. */
  readonly pollMs?: number
  /** How often a peer must show that it is there. */
  readonly heartbeatMs?: number
}

interface Watcher {
  readonly socket: WebSocket
  /** What it was told last. */
  told: string
  alive: boolean
  /** Frames it has sent since the last heartbeat. */
  heard: number
}

/** Sends between two turns of the event loop: a loop over 10,000 sockets would hold up everything else. */
const SLICE = 500
const FRESH_BATCH = 500
/** A reader with more than this unread is gone, or as good as. Messages are some 50 bytes. */
const MOST_UNREAD_BYTES = 64 * 1024
/** Nothing a client sends is of use; one that sends more than this between two heartbeats is sent away. */
const MOST_HEARD = 100
const CLOSE_GRACE_MS = 2_000

const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008, internal: 1011 } as const

/**
 * One reader for all sockets of the process. It follows the table of events by its cursor and sends the present state
 * of each invoice that something happened to; notifications from the store only tell it to look sooner.
 *
 * A new socket is entered among the watchers first, and its first message comes from the reader's next look: between
 * the two no change can be lost, and no older state can overtake a newer one.
 */
export function createInvoiceStream(options: StreamOptions): InvoiceStream {
  const { store, invoices, swaps, log, most, pollMs = 1_000, heartbeatMs = 30_000 } = options
  const watchers = new Map<number, Set<Watcher>>()
  const sockets = new Map<WebSocket, Watcher>()
  const fresh = new Set<number>()
  let cursor: number | null = null
  let woken = false
  let reading: Promise<void> | null = null
  let closed = false

  const unlisten = store.listen('events', look)
  const polling = setInterval(look, pollMs).unref()
  const heartbeats = setInterval(beat, heartbeatMs).unref()

  function look(): void {
    woken = true
    if (closed) return
    reading ??= readOn().finally(() => {
      reading = null
      if (woken) look()
    })
  }

  async function readOn(): Promise<void> {
    while (woken && !closed) {
      woken = false
      // With nobody watching there is nothing to miss: start from the present when somebody comes.
      if (watchers.size === 0) {
        cursor = null
        return
      }
      const also = [...fresh].slice(0, FRESH_BATCH)
      try {
        const seen = await invoices.follow({ cursor, wanted: id => watchers.has(id), also })
        const present = await swaps.ofInvoices(seen.invoices)
        cursor = seen.cursor
        for (const id of also) fresh.delete(id)
        woken ||= seen.more || fresh.size > 0
        await tellAll(seen.invoices, present)
      } catch (error) {
        // The cursor has not moved: the next look, a poll away at most, reads the same again.
        woken = false
        log.error({ err: error }, 'the WebSocket stream could not read')
        return
      }
    }
  }

  async function tellAll(changed: readonly Invoice[], present: ReadonlyMap<number, Swap>): Promise<void> {
    let sent = 0
    for (const invoice of changed) {
      const message = JSON.stringify(messageOf(invoice, present.get(invoice.id)))
      const state = `${invoice.receivedZat} ${message}`
      for (const watcher of watchers.get(invoice.id) ?? []) {
        tell(watcher, state, message)
        if (isFinal(invoice.status)) watcher.socket.close(CLOSE.normal)
        sent += 1
        if (sent % SLICE === 0) await breathe()
      }
    }
  }

  function tell(watcher: Watcher, state: string, message: string): void {
    if (watcher.told === state) return
    watcher.told = state
    if (watcher.socket.bufferedAmount > MOST_UNREAD_BYTES) watcher.socket.terminate()
    else watcher.socket.send(message)
  }

  function beat(): void {
    for (const watcher of sockets.values()) {
      if (!watcher.alive) {
        watcher.socket.terminate()
        continue
      }
      watcher.alive = false
      watcher.heard = 0
      watcher.socket.ping()
    }
  }

  /** Enters a socket among those that are looked after: heartbeats, and what it sends counted and ignored. */
  function admit(socket: WebSocket): Watcher {
    const watcher: Watcher = { socket, told: '', alive: true, heard: 0 }
    const hear = () => {
      watcher.heard += 1
      if (watcher.heard === MOST_HEARD) socket.close(CLOSE.policy)
      if (watcher.heard > 2 * MOST_HEARD) socket.terminate()
    }
    sockets.set(socket, watcher)
    socket.on('message', hear)
    socket.on('ping', hear)
    socket.on('pong', () => {
      watcher.alive = true
      hear()
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => sockets.delete(socket))
    return watcher
  }

  function watch(invoiceId: number, watcher: Watcher): void {
    const group = watchers.get(invoiceId) ?? new Set()
    watchers.set(invoiceId, group.add(watcher))
    watcher.socket.on('close', () => {
      group.delete(watcher)
      if (group.size === 0 && watchers.get(invoiceId) === group) watchers.delete(invoiceId)
    })
    fresh.add(invoiceId)
    look()
  }

  return {
    hasRoom: () => !closed && sockets.size < most,

    get size() {
      return sockets.size
    },

    async follow(socket, publicId) {
      const watcher = admit(socket)
      try {
        const invoice = await invoices.read(publicId)
        if (closed) socket.close(CLOSE.goingAway)
        else if (socket.readyState === socket.OPEN) watch(invoice.id, watcher)
      } catch (error) {
        const unknown = error instanceof Fault && error.kind === 'not_found'
        if (unknown) socket.send(JSON.stringify({ status: 'not_found' } satisfies InvoiceMessage))
        else log.error({ err: error }, 'a WebSocket could not be served')
        socket.close(unknown ? CLOSE.normal : CLOSE.internal)
      }
    },

    async close() {
      closed = true
      unlisten()
      clearInterval(polling)
      clearInterval(heartbeats)
      const gone = Promise.all([...sockets.keys()].map(socket => new Promise(done => socket.once('close', done))))
      for (const socket of sockets.keys()) socket.close(CLOSE.goingAway)
      const late = setTimeout(() => sockets.forEach((_, socket) => void socket.terminate()), CLOSE_GRACE_MS)
      await Promise.all([gone, reading])
      clearTimeout(late)
    },
  }
}

function messageOf({ status }: Invoice, swap: Swap | undefined): InvoiceMessage {
  return swap ? { status, swap_status: swap.status } : { status }
}
