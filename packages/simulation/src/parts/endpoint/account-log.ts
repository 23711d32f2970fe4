import type { World } from '../../world/world.ts'
import { type EventRow, NewEvents } from '../event/new-events.ts'
import { readPrunedSeqs } from './ledger.ts'

/** An event, and when the judge saw its commit. */
export interface SeenEvent extends EventRow {
  /** The true time, in Unix milliseconds. */
  readonly atMs: number
}

/** The events of the accounts in the present database, and all that were ever committed. */
export class AccountLog {
  readonly #world: World
  readonly #newEvents: NewEvents
  readonly #events = new Map<bigint, SeenEvent[]>()
  readonly #ever = new Map<string, EventRow>()
  #pruned = new Map<bigint, bigint>()
  /** The newest numbers when nothing was left to run: what was begun since then has seen these events. */
  #newestAtIdle = { idles: -1, newest: new Map<bigint, bigint>() }

  constructor(world: World) {
    this.#world = world
    this.#newEvents = new NewEvents(world)
  }

  restored(): void {
    this.#newEvents.restored()
    this.#events.clear()
  }

  /** Reads what a commit has added. @returns its events */
  read(): SeenEvent[] {
    const { idles, nowMs } = this.#world.scheduler
    const newest = new Map([...this.#events].map(([account, log]) => [account, log.at(-1)?.seq ?? 0n] as const))
    if (idles !== this.#newestAtIdle.idles) this.#newestAtIdle = { idles, newest }
    this.#pruned = readPrunedSeqs(this.#world)
    const events = this.#newEvents.read().map(event => ({ ...event, atMs: nowMs }))
    for (const event of events) {
      const log = this.#events.get(event.account_id) ?? []
      this.#events.set(event.account_id, log)
      log.push(event)
      this.#ever.set(event.public_id, event)
    }
    return events
  }

  /** The event with this public id, also of a database that was lost. */
  byPublicId(publicId: string): EventRow | undefined {
    return this.#ever.get(publicId)
  }

  bySeq(account: bigint, seq: bigint): SeenEvent | undefined {
    return this.#events.get(account)?.find(event => event.seq === seq)
  }

  /** Events that are still kept. */
  after(account: bigint, seq: bigint): SeenEvent[] {
    const pruned = this.prunedSeq(account)
    return (this.#events.get(account) ?? []).filter(event => event.seq > seq && event.seq > pruned)
  }

  newest(account: bigint): bigint {
    return this.#events.get(account)?.at(-1)?.seq ?? 0n
  }

  /** The newest number that whatever commits now must have seen, unless it has waited. */
  newestBeforeNow(account: bigint): bigint {
    return this.#newestAtIdle.newest.get(account) ?? 0n
  }

  prunedSeq(account: bigint): bigint {
    return this.#pruned.get(account) ?? 0n
  }
}
