import { AppError } from '../domain/error.ts'
import { lowest } from '../domain/extreme.ts'
import {
  isGeneralFault,
  isRowFault,
  MAX_SET_ASIDE,
  type RowReference,
  retrySetAsideSecs,
  type SetAsideKind,
  setAsideError,
} from '../domain/set-aside.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { SetAside, SetAsideCount } from '../ports/repository/set-aside.ts'
import type { Store, Tx } from '../ports/store.ts'

/** Rows that background work leaves out because it fails for them alone. */
export interface SetAsides {
  /**
   * Runs `work` on the items, as a rule once for all of them. When it fails, each half runs alone, down to single items,
   * and an item that fails alone is set aside. `work` is repeated, so it must be one transaction.
   * @returns the items that succeeded
   * @throws the error, when the database is unavailable, or the failures show a fault that is not of the rows
   */
  forEachBisected<T>(
    items: readonly T[],
    rowOf: (item: T) => RowReference,
    work: (items: readonly T[]) => Promise<void>,
  ): Promise<T[]>
  /** As `forEachBisected`, for work that is not a transaction and runs for each item alone, all at once. */
  forEachAlone<T>(
    items: readonly T[],
    rowOf: (item: T) => RowReference,
    work: (item: T) => Promise<unknown>,
  ): Promise<void>
  /**
   * Sets a row aside, or counts a further failure. In a separate transaction.
   * @throws the error, when the row is not at fault; AppError `too_many_set_aside`
   */
  record(row: RowReference, error: unknown): Promise<void>
  /** As `record`, in a transaction. Report it after the commit. @param fromHeight of a scan key, see `SetAside` */
  put(tx: Tx, row: RowReference, error: unknown, fromHeight?: number | null): Promise<SetAside>
  /** Logs and counts what `put` returned. */
  report(entry: SetAside): void
  /**
   * Tries due rows again, each alone. A row whose `work` resolves to true is no longer set aside.
   * @returns whether there may be more
   * @throws the error, when the database is unavailable, or the failures show a fault that is not of the rows
   */
  retryDue(kind: SetAsideKind, work: (entry: SetAside) => Promise<boolean>): Promise<boolean>
  /** Whether rows of any kind are due. */
  isAnyDue(): Promise<boolean>
  /** Makes all rows due once, as after an update that may have repaired what they failed with. */
  makeAllDue(): Promise<void>
  /** Entries of one account. */
  countByKindOf(accountId: number): Promise<SetAsideCount[]>
  countByKind(): Promise<SetAsideCount[]>
}

/**
 * Puts the work on rows off in a transaction, because the transaction failed with one of them. Each is done alone as soon
 * as the transaction has committed; one that fails then is set aside. The others do not count against `MAX_SET_ASIDE`.
 */
export async function defer(tx: Tx, rows: readonly FailedRow[], now: number): Promise<void> {
  const times = { firstAt: now, nextAttemptAt: now }
  await tx.setAside.putNew(
    rows.map(({ row, error }) => ({ ...row, ...times, error: setAsideError(error), failures: 0, fromHeight: null })),
  )
}

/** Rows that cannot be written, after which the fault is not theirs. */
const MAX_SKIPPED = 20

/**
 * Does work that takes rows away in batches. When one fails, smaller ones are tried, and the rows that cannot be written
 * are passed.
 * @param options.limit of rows. Default: all
 * @param options.onBad called for each row that is passed
 * @param work takes away at most `size` rows, without the first `skip` of them, and returns their number
 * @returns whether there may be more
 * @throws the error, when the database is unavailable, or more than `MAX_SKIPPED` rows fail
 */
export async function passBadRows(
  options: { readonly page: number; readonly limit?: number; onBad(error: unknown): void },
  work: (size: number, skip: number) => Promise<number>,
): Promise<boolean> {
  const { page, limit = Number.POSITIVE_INFINITY, onBad } = options
  let left = limit
  let size = page
  let skip = 0
  while (left > 0) {
    try {
      const asked = Math.min(size, left)
      const count = await work(asked, skip)
      left -= count
      if (count < asked) return false
    } catch (error) {
      if (!isRowFault(error) || skip === MAX_SKIPPED) throw error
      if (size > 1) size = Math.ceil(size / 2)
      else {
        skip += 1
        size = page
        onBad(error)
      }
    }
  }
  return true
}

/**
 * Runs `work` on the items, as a rule once for all of them. When it fails, each half runs alone, down to single items.
 * @param work one transaction, because it is repeated
 * @throws the error, when it may not be the fault of an item
 */
export async function bisect<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<void>,
): Promise<{ succeeded: T[]; failed: { item: T; error: unknown }[] }> {
  const succeeded: T[] = []
  const failed: { item: T; error: unknown }[] = []
  async function run(part: readonly T[]): Promise<void> {
    const [item] = part
    if (item === undefined) return
    try {
      await work(part)
      for (const done of part) succeeded.push(done)
    } catch (error) {
      if (!isRowFault(error)) throw error
      if (part.length === 1) failed.push({ item, error })
      else {
        const middle = Math.ceil(part.length / 2)
        await run(part.slice(0, middle))
        await run(part.slice(middle))
      }
    }
  }
  await run(items)
  return { succeeded, failed }
}

/** A row that a transaction failed with. */
interface FailedRow {
  readonly row: RowReference
  readonly error: unknown
}

async function requireSpace(tx: Tx, accountId: number | null): Promise<void> {
  const { ofAccount, inAll } = MAX_SET_ASIDE
  const isFull =
    (accountId !== null && (await tx.setAside.count(accountId, ofAccount)) >= ofAccount) ||
    (await tx.setAside.count(null, inAll)) >= inAll
  if (isFull) throw new AppError('too_many_set_aside')
}

function isSameAttempt(current: SetAside | null, entry: SetAside): boolean {
  return current?.failures === entry.failures && current.nextAttemptAt === entry.nextAttemptAt
}

/** Rows tried again in one call. */
const RETRIES = 50

export function createSetAsides(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'rowSetAside'>
}): SetAsides {
  const { store, clock, log, metrics } = deps

  async function put(tx: Tx, row: RowReference, error: unknown, fromHeight: number | null = null): Promise<SetAside> {
    const now = nowSecs(clock)
    const before = await tx.setAside.lock(row)
    if (!before) await requireSpace(tx, row.accountId)
    const failures = (before?.failures ?? 0) + 1
    const heights = [before?.fromHeight, fromHeight].filter(height => height !== null && height !== undefined)
    const entry: SetAside = {
      ...row,
      error: setAsideError(error),
      failures,
      firstAt: before?.firstAt ?? now,
      nextAttemptAt: now + retrySetAsideSecs(failures),
      fromHeight: heights.length > 0 ? lowest(heights) : null,
    }
    await tx.setAside.put(entry)
    return entry
  }

  function report({ kind, reference, accountId, failures, error, nextAttemptAt }: SetAside): void {
    if (failures === 1) metrics.rowSetAside(kind)
    const details = { kind, row: reference.slice(0, 8), account: accountId, failures, error, retryAt: nextAttemptAt }
    const level = failures === 1 ? 'error' : 'debug'
    log[level](details, 'a row was set aside, because work failed for it alone; it is tried again later')
  }

  async function record(row: RowReference, error: unknown): Promise<void> {
    if (!isRowFault(error)) throw error
    report(await store.write(tx => put(tx, row, error)))
  }

  /** Sets aside what has failed, unless the fault is general. */
  async function recordAll<T>(
    failed: readonly { readonly item: T; readonly error: unknown }[],
    rowOf: (item: T) => RowReference,
    succeeded: number,
  ): Promise<void> {
    const failedAccounts = failed.map(({ item }) => rowOf(item).accountId)
    if (failed[0] && isGeneralFault({ succeeded, failedAccounts })) throw failed[0].error
    for (const { item, error } of failed) await record(rowOf(item), error)
  }

  /** Leaves an entry that was written again meanwhile. */
  async function removeUnchanged(entry: SetAside): Promise<void> {
    const isRemoved = await store.write(async tx => {
      const isUnchanged = isSameAttempt(await tx.setAside.lock(entry), entry)
      if (isUnchanged) await tx.setAside.remove(entry)
      return isUnchanged
    })
    const details = { kind: entry.kind, row: entry.reference.slice(0, 8), failures: entry.failures }
    if (isRemoved) log.info(details, 'a row that was set aside is processed again')
  }

  /** Tries the rows again soon, without a further failure: the fault is not theirs. Others get their turn before. */
  async function postpone(entries: readonly SetAside[]): Promise<void> {
    const nextAttemptAt = nowSecs(clock) + retrySetAsideSecs(1)
    await store.write(async tx => {
      for (const entry of entries)
        if (isSameAttempt(await tx.setAside.lock(entry), entry)) await tx.setAside.put({ ...entry, nextAttemptAt })
    })
  }

  return {
    async forEachBisected(items, rowOf, work) {
      const { succeeded, failed } = await bisect(items, work)
      await recordAll(failed, rowOf, succeeded.length)
      return succeeded
    },

    async forEachAlone(items, rowOf, work) {
      const outcomes = await Promise.allSettled(items.map(item => work(item)))
      const failed = outcomes.flatMap((outcome, index) =>
        outcome.status === 'rejected' ? [{ item: items[index] as (typeof items)[number], error: outcome.reason }] : [],
      )
      const notOfRow = failed.find(({ error }) => !isRowFault(error))
      await recordAll(
        failed.filter(({ error }) => isRowFault(error)),
        rowOf,
        items.length - failed.length,
      )
      if (notOfRow) throw notOfRow.error
    },

    record,
    put,
    report,

    async retryDue(kind, work) {
      const due = await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))
      const failed: { item: SetAside; error: unknown }[] = []
      for (const entry of due) {
        try {
          if (await work(entry)) await removeUnchanged(entry)
        } catch (error) {
          if (!isRowFault(error)) throw error
          failed.push({ item: entry, error })
        }
      }
      try {
        await recordAll(failed, entry => entry, due.length - failed.length)
      } catch (error) {
        await postpone(failed.map(({ item }) => item))
        throw error
      }
      return due.length === RETRIES
    },

    isAnyDue: () => store.query(tx => tx.setAside.isAnyDue(nowSecs(clock))),
    makeAllDue: () => store.write(tx => tx.setAside.makeAllDue(nowSecs(clock))),

    countByKindOf: accountId => store.query(tx => tx.setAside.countByKindOf(accountId)),
    countByKind: () => store.query(tx => tx.setAside.countByKind()),
  }
}
