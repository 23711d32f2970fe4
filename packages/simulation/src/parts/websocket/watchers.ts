import type { Container } from '@zatgate/server/container'
import type { Invoice } from '@zatgate/server/domain/sale/invoice'
import { createChangeReader } from '@zatgate/server/http/websocket/change-reader'
import { Connection } from '@zatgate/server/http/websocket/connection'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { ServiceProcess } from '../../service/process.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure, type KnownInvoice, short } from '../sale/shop.ts'
import { BuyerSocket } from './socket.ts'

/** A notification can be lost: the service reads the changes this often too, in milliseconds. */
const POLL_MS = 5_000

const STATUS = 'SELECT status FROM invoices WHERE public_id = ?'

/** A buyer who watches an invoice. */
interface Watcher {
  readonly process: ServiceProcess
  readonly socket: BuyerSocket
  readonly publicId: string
  /** Every status that the invoice has had since the WebSocket was requested. */
  readonly had: Set<string>
  /** The last status that was received. */
  heard: string | null
}

type ServerSocket = ConstructorParameters<typeof Connection>[0]
type ChangeReader = ReturnType<typeof createChangeReader>

/** Open WebSockets: each reports the statuses of its invoice and of no other, in every state of the database. */
export class Watchers {
  readonly #world: World
  #watchers: Watcher[] = []
  readonly #readers = new WeakMap<ServiceProcess, ChangeReader>()

  constructor(world: World) {
    this.#world = world
  }

  get actions(): readonly Action[] {
    return [
      action('open a WebSocket', 8, draw => {
        const invoice = this.#target(draw)
        return invoice && this.#open(draw, invoice)
      }),
    ]
  }

  /** Watches the newest invoices, which an older database does not have, and others, which it has. */
  openMany(draw: Draw): void {
    const { invoices } = this.#world.shop
    if (invoices.length === 0) return
    for (let i = 0; i < 3; i++) {
      this.#open(draw, draw.pick(invoices.slice(-4)))
      this.#open(draw, draw.pick(invoices))
    }
  }

  /** Buyers pay the invoices that they watch. */
  payMany(draw: Draw): void {
    for (const publicId of new Set(this.#watchers.map(watcher => watcher.publicId))) {
      const invoice = this.#world.shop.invoices.find(known => known.publicId === publicId)
      if (!invoice || draw.chance(0.3)) continue
      pay(this.#world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }], { expiryHeight: 0 })
    }
  }

  /** Notes the statuses after a commit. */
  check(): void {
    this.#watchers = this.#watchers.filter(({ process, socket }) => process.alive && socket.isOpen)
    for (const watcher of this.#watchers) this.#note(watcher)
  }

  /** A WebSocket that has not received the present status; null: none. */
  unsettled(): string | null {
    for (const { process, socket, publicId, heard } of this.#watchers) {
      const status = this.#statusOf(publicId)
      if (process.services && socket.isOpen && status !== null && status !== heard)
        return `the WebSocket of invoice ${short(publicId)} at ${process.name} has received ${heard}, not ${status}`
    }
    return null
  }

  #target(draw: Draw): KnownInvoice | undefined {
    const { invoices } = this.#world.shop
    if (invoices.length === 0) return undefined
    return draw.pick(draw.chance(0.7) ? invoices.slice(-4) : invoices)
  }

  #open(draw: Draw, { publicId }: KnownInvoice): string | undefined {
    const world = this.#world
    if (world.running.length === 0) return undefined
    const process = draw.pick(world.running)
    world.client('open a WebSocket', () =>
      process
        .call(async ({ invoices }, container) => {
          const invoice = await invoices.read(publicId)
          this.#subscribe(process, container, invoice)
        })
        .catch(error => {
          if (!isExpectedFailure(error)) throw error
        }),
    )
    return `a WebSocket of invoice ${short(publicId)} is opened at ${process.name}`
  }

  #subscribe(process: ServiceProcess, container: Container, invoice: Pick<Invoice, 'id' | 'publicId'>): void {
    const { publicId } = invoice
    const socket = new BuyerSocket(message => this.#received(watcher, JSON.parse(message).status))
    const watcher: Watcher = { process, socket, publicId, had: new Set(), heard: null }
    this.#note(watcher)
    this.#watchers.push(watcher)
    this.#readerOf(process, container).subscribe(invoice, new Connection(socket as unknown as ServerSocket, 'status'))
  }

  #received(watcher: Watcher, status: string): void {
    const { process, publicId, had } = watcher
    if (!process.alive) return
    watcher.heard = status
    if (had.has(status)) return
    const detail = `invoice ${short(publicId)}: ${status}, it was ${[...had].join(', ') || 'never there'}`
    this.#world.fail('a WebSocket reports its own invoice', detail)
  }

  /** One reader serves all sockets of a process. */
  #readerOf(process: ServiceProcess, { services, infrastructure: { store, clock, log } }: Container): ChangeReader {
    const known = this.#readers.get(process)
    if (known) return known
    const reader = createChangeReader({ invoiceFeed: services.invoiceFeed, clock, log })
    this.#readers.set(process, reader)
    store.listen('invoices', reader.poll)
    const { scheduler } = this.#world
    const poll = () => {
      reader.poll()
      if (process.services) scheduler.startTimer(POLL_MS, poll)
    }
    poll()
    return reader
  }

  #note({ publicId, had }: Watcher): void {
    const status = this.#statusOf(publicId)
    if (status !== null) had.add(status)
  }

  #statusOf(publicId: string): string | null {
    return this.#world.database.committed<{ status: string }>(STATUS, publicId)[0]?.status ?? null
  }
}
