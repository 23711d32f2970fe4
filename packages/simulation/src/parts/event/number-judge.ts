import type { World } from '../../world/world.ts'
import { readPrunedSeq } from '../webhook/ledger.ts'
import { NewEvents } from './new-events.ts'

/** A copy of the database skips at least this many numbers. */
const LEAST_SKIP = 2n ** 16n

const DELETED = 'SELECT id FROM accounts WHERE id = ? AND erased_at IS NOT NULL'

/** Checks after every commit that the events of each account are numbered in the order of the commits. */
export class NumberJudge {
  readonly #world: World
  readonly #newEvents: NewEvents
  /** By account, the number of its last event. */
  readonly #last = new Map<bigint, bigint>()
  /** The events that are there already are taken as they are. */
  #isFirst = true

  constructor(world: World) {
    this.#world = world
    this.#newEvents = new NewEvents(world)
    // The numbers may go back once.
    world.onRestore(() => {
      this.#last.clear()
      this.#isFirst = true
    })
  }

  check(): void {
    for (const { account_id: account, seq } of this.#newEvents.read()) {
      const last = this.#last.get(account) ?? 0n
      const isNext = seq === last + 1n || (seq - last > LEAST_SKIP && this.#world.databaseReplacements > 0)
      if (!isNext && !this.#isFirst && !this.#isDeleted(account) && !this.#isPruned(account, last, seq))
        this.#world.fail(
          'the events of an account are numbered in the order of the commits',
          `account ${account}: ${seq} follows ${last}`,
        )
      this.#last.set(account, seq)
    }
    this.#isFirst = false
  }

  /** Whether the events between these were deleted in the commit that added them: their requests began too long ago. */
  #isPruned(account: bigint, last: bigint, seq: bigint): boolean {
    return seq > last && readPrunedSeq(this.#world, account) >= seq - 1n
  }

  /** The events of a deleted account, as of a payment that is missing later, have no readers. */
  #isDeleted(account: bigint): boolean {
    return this.#world.database.committed(DELETED, account).length > 0
  }
}
