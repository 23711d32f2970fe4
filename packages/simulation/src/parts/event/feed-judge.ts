import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import { type EventRow, NewEvents } from './new-events.ts'

/** A reader's request, and the state of the feed when it was sent. */
export interface Asked {
  readonly accountId: bigint
  /** Undefined: from the oldest that is kept. */
  readonly after: bigint | undefined
  /** Undefined: all. */
  readonly types: readonly string[] | undefined
  /** How often the database had been replaced. */
  readonly replacements: number
  /** The number of the newest event then. */
  readonly newest: bigint
}

/** The response to a reader's request. */
export interface Page {
  readonly events: readonly Pick<EventRow, 'seq' | 'public_id' | 'type' | 'body'>[]
  readonly nextAfter: bigint
}

interface Counter {
  readonly account_id: bigint
  readonly seq: bigint
  readonly pruned_seq: bigint
}

interface LoggedEvent extends EventRow {
  /** It was in the copy that has replaced the database. */
  readonly isCopied: boolean
}

/** A copy numbers its events from the time of its clock on: this many numbers for each millisecond. */
const NUMBERS_PER_MS = 1_024n

const COUNTERS = 'SELECT account_id, seq, pruned_seq FROM event_counters'

/** Checks that a reader of the feed of an account sees each of its committed events once, in their order. */
export class FeedJudge {
  readonly #world: World
  readonly #newEvents: NewEvents
  /** By account, the events of the present database, also those that are no longer kept. */
  readonly #log = new Map<bigint, LoggedEvent[]>()
  /** All that were ever committed, also to a database that was lost, by their public ids. */
  readonly #ever = new Map<string, EventRow>()
  /** By account, the highest number that a reader has passed. */
  readonly #passed = new Map<bigint, bigint>()
  #counters = new Map<bigint, Counter>()
  #isCopied = false
  #identity: string

  constructor(world: World) {
    this.#world = world
    this.#newEvents = new NewEvents(world)
    this.#identity = world.databaseIdentity
  }

  /**
   * The database was replaced.
   * @returns whether by a copy that looks like the original. Its readers begin again: it skips no numbers by itself
   */
  restored(): boolean {
    const isUnnoticed = this.#world.databaseIdentity === this.#identity
    this.#identity = this.#world.databaseIdentity
    this.#log.clear()
    if (isUnnoticed) this.#passed.clear()
    this.#isCopied = true
    return isUnnoticed
  }

  check(): void {
    const isCopied = this.#isCopied
    this.#isCopied = false
    this.#counters = new Map(this.#world.database.committed<Counter>(COUNTERS).map(row => [row.account_id, row]))
    for (const event of this.#newEvents.read()) {
      const { account_id: account, seq } = event
      const log = this.#log.get(account) ?? []
      this.#log.set(account, log)
      log.push({ ...event, isCopied })
      this.#ever.set(event.public_id, event)
      if (!isCopied && seq <= (this.#passed.get(account) ?? -1n) - this.#clockRange())
        this.#fail(
          'no event is added behind a number that was read',
          account,
          `${seq} after ${this.#passed.get(account)}`,
        )
    }
  }

  /** The numbers of a copy are ordered by time, as far as the clocks of the processes agree, to a second. */
  #clockRange(): bigint {
    const { minMs, maxMs } = this.#world.clockErrors
    return this.#world.databaseReplacements > 1 ? BigInt(maxMs - minMs + 1_000) * NUMBERS_PER_MS : 0n
  }

  /** A reader has a page. */
  received(asked: Asked, page: Page): void {
    const { accountId: account, types, replacements } = asked
    const { events, nextAfter } = page
    const pruned = this.#counters.get(account)?.pruned_seq ?? 0n
    const first = events[0]?.seq
    const after = asked.after ?? (first !== undefined && first <= pruned ? first - 1n : pruned)
    let last = asked.after ?? -1n
    for (const event of events) {
      const known = this.#ever.get(event.public_id)
      const isKnown = known?.account_id === account && known.seq === event.seq && known.type === event.type
      if (!isKnown || known.body !== event.body)
        this.#fail('a reader sees only committed events of its account', account, `${event.seq} ${event.type}`)
      if (types && !types.includes(event.type))
        this.#fail('a reader sees only the types it asks for', account, event.type)
      if (event.seq <= last || event.seq > nextAfter)
        this.#fail('a reader sees each event once, in their order', account, `${event.seq} after ${last}`)
      last = event.seq
    }
    // A page of a lost database need not have what the copy had, but nothing newer is passed.
    const isSame = replacements === this.#world.databaseReplacements
    const seen = new Set(events.map(({ public_id: id }) => id))
    const missed = this.#unread(account, after, types).find(
      ({ seq, public_id: id, isCopied }) => seq <= nextAfter && !seen.has(id) && (isSame || !isCopied),
    )
    if (missed)
      this.#fail('a reader sees each event once, in their order', account, `${missed.seq} is missing after ${after}`)
    if (nextAfter > (this.#passed.get(account) ?? -1n)) this.#passed.set(account, nextAfter)
  }

  /** A reader was answered that what it asks for is no longer kept. @param firstSeq where it can go on */
  refused({ accountId: account, after, replacements }: Asked, firstSeq: bigint): void {
    if (replacements !== this.#world.databaseReplacements) return
    const pruned = this.#counters.get(account)?.pruned_seq ?? 0n
    // One that begins at the oldest may wait until what it would have read is no longer kept.
    const from = after ?? 0n
    if (from >= pruned || firstSeq > pruned + 1n || firstSeq <= from + 1n)
      this.#fail('only an event that is no longer kept is refused', account, `${after}, ${firstSeq} of ${pruned}`)
  }

  /** A reader was answered that no event has the number that it goes on after. */
  unknown({ accountId: account, after, replacements, newest }: Asked): void {
    if (replacements === this.#world.databaseReplacements && after !== undefined && after <= newest)
      this.#fail('a reader goes on after what it has read', account, `after ${after} of ${newest}`)
  }

  newestOf(account: bigint | null): bigint {
    return (account !== null && this.#counters.get(account)?.seq) || 0n
  }

  /** Whether there is an event for a reader after a number. */
  hasUnread(account: bigint, after: bigint | undefined, types: readonly string[] | undefined): boolean {
    const pruned = this.#counters.get(account)?.pruned_seq ?? 0n
    return this.#unread(account, after ?? 0n, types).some(({ seq }) => seq > pruned)
  }

  #unread(account: bigint, after: bigint, types: readonly string[] | undefined): LoggedEvent[] {
    const log = this.#log.get(account) ?? []
    return log.filter(({ seq, type }) => seq > after && (types === undefined || types.includes(type)))
  }

  #fail(rule: Rule, account: bigint, detail: string): void {
    this.#world.fail(rule, `account ${account}: ${detail}`)
  }
}
