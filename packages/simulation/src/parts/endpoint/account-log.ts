import type { World } from '../../world/world.ts'
import { type EventRow, NewEvents } from '../event/new-events.ts'
import { type EventCounter, readCounters } from './ledger.ts'

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
  #counters = new Map<bigint, EventCounter>()
  /** The counters when nothing was left to run: what was begun since then has seen these events. */
  #atIdle = { idles: -1, counters: new Map<bigint, EventCounter>() }

  constructor(world: World) {
    this.#world = world
    this.#newEvents = new NewEvents(world)
    world.onRestore(() => {
      this.#events.clear()
      this.#counters = new Map()
      this.#atIdle = { idles: -1, counters: new Map() }
    })
  }

  /** Reads what a commit has added. @returns its events */
  read(): SeenEvent[] {
    const { idles, nowMs } = this.#world.scheduler
    if (idles !== this.#atIdle.idles) this.#atIdle = { idles, counters: this.#counters }
    this.#counters = readCounters(this.#world)
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
    return this.#counters.get(account)?.seq ?? 0n
  }

  /** The newest number that whatever commits now must have seen, unless it has waited. */
  newestBeforeNow(account: bigint): bigint {
    return this.#atIdle.counters.get(account)?.seq ?? 0n
  }

  prunedSeq(account: bigint): bigint {
    return this.#counters.get(account)?.pruned_seq ?? 0n
  }
}
