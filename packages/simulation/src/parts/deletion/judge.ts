import type { World } from '../../world/world.ts'
import {
  type AccountRow,
  countInvoices,
  DELETION_WAIT_MS,
  openWork,
  owedPayout,
  personalDataOf,
  readAccounts,
} from './ledger.ts'

/** Payments that were mined or unmined around the end of the watch are looked for this long after it, in seconds. */
const SETTLING_SECS = 3 * 86_400
/** The cleanup runs every ten minutes, and after failures later. */
const PATIENCE_SECS = 1_800

interface KnownAccount {
  readonly row: AccountRow
  /** When its deletion was requested; Unix milliseconds. */
  readonly requestedMs: number | null
  readonly invoices: number
}

/** Checks the deletion of accounts after every commit. */
export class DeletionJudge {
  readonly #world: World
  readonly #known = new Map<bigint, KnownAccount>()
  /** When each deletion was requested, by email and stored time. An older database may have it too. */
  readonly #requests = new Map<string, number>()
  /** Words that name the owner of each account, by its email. */
  readonly words = new Map<string, string[]>()
  /** The emails of owners who were answered that their accounts are kept. */
  readonly keepers = new Set<string>()

  constructor(world: World) {
    this.#world = world
    // The restored content is taken as it is.
    world.onRestore(() => {
      this.#known.clear()
      this.keepers.clear()
    })
  }

  check(): void {
    for (const row of readAccounts(this.#world)) {
      const before = this.#known.get(row.id)
      if (row.erased_at === null) this.#known.set(row.id, this.#note(row, before))
      else if (before) this.#checkErased(before, row)
    }
  }

  #note(row: AccountRow, before: KnownAccount | undefined): KnownAccount {
    const isRequested = row.deletion_requested_at !== null
    const requestedMs = isRequested ? (before?.requestedMs ?? this.#requestedMs(row)) : null
    if (isRequested && before && before.requestedMs === null) this.#world.transition('account', 'open', 'being deleted')
    if (!isRequested && before && before.requestedMs !== null)
      this.#world.transition('account', 'being deleted', 'open')
    return { row, requestedMs, invoices: countInvoices(this.#world, row.id) }
  }

  /** When the owner asked for it. A process that stands still commits it later, and a clock that is behind hides that. */
  #requestedMs({ email, deletion_requested_at: at }: AccountRow): number {
    const { scheduler, clockErrors } = this.#world
    const request = `${email} ${at}`
    const leastMs = clockErrors.minMs < 0 ? scheduler.nowMs : Number(at) * 1000 - clockErrors.maxMs
    const requestedMs = this.#requests.get(request) ?? Math.min(scheduler.nowMs, leastMs)
    this.#requests.set(request, requestedMs)
    return requestedMs
  }

  #checkErased({ row: earlier, requestedMs, invoices }: KnownAccount, row: AccountRow): void {
    const world = this.#world
    const { id } = row
    this.#known.delete(id)
    world.transition('account', 'being deleted', 'deleted')
    world.story.tell('database', `the account of ${earlier.email} is deleted`)
    const about = `account of ${earlier.email}`
    if (requestedMs === null || this.keepers.has(earlier.email))
      world.fail('only an account whose owner wants it is deleted', about)
    const aheadMs = Math.max(world.maxClockAheadMs, 0)
    if (requestedMs !== null && world.scheduler.nowMs + aheadMs < requestedMs + DELETION_WAIT_MS)
      world.fail('an account is kept for a week after the request of its deletion', about)
    const owed = owedPayout(world, id)
    if (owed !== null) world.fail('an account that is owed a payout is kept', `${about}: ${owed}`)
    const open = openWork(world, id, world.nowSecs + Math.ceil(aheadMs / 1000))
    if (open !== null) world.fail('nothing that can still change is deleted', `${about}: ${open}`)
    if (countInvoices(world, id) !== invoices) world.fail('the invoices of a deleted account are kept', about)
    const left = personalDataOf(world, id, this.words.get(earlier.email) ?? [earlier.email])
    if (left !== null) world.fail('the personal data of a deleted account are gone', `${about}: ${left}`)
  }

  /** Why a deletion has not settled: an account that is due and has nothing open. */
  unsettled(): string | null {
    const world = this.#world
    for (const { row, requestedMs } of this.#known.values()) {
      if (requestedMs === null) continue
      // A clock that was ahead has put the deletion off.
      const requestedAt = Math.max(Number(row.deletion_requested_at), requestedMs / 1000)
      const dueAt = requestedAt + DELETION_WAIT_MS / 1000 + PATIENCE_SECS
      if (world.nowSecs > dueAt && openWork(world, row.id, world.nowSecs - SETTLING_SECS) === null)
        return `the account of ${row.email} is not deleted`
    }
    return null
  }
}
