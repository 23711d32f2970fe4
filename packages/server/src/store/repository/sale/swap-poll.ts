import { type ExpressionBuilder, sql } from 'kysely'
import { ABANDONED_AFTER_SECS, MAX_POLL_DELAY_MS } from '../../../domain/sale/swap.ts'
import { takeTurns } from '../../../domain/turns.ts'
import { num } from '../../mapping.ts'
import type { Db, Tables } from '../../tables.ts'
import { isNotSetAside } from '../set-aside.ts'

/** Due swaps among which the accounts take turns. */
const MAX_CANDIDATES = 2_000
/** The part of the turns that swaps get which are not current, so that a late deposit is found under any load. */
const KEPT_PART = 8

/** Ids of the swaps to poll next, in the order that `claimDue` of the repository describes. */
export async function listDuePolls(db: Db, nowMs: number, limit: number): Promise<number[]> {
  const currentSince = Math.floor(nowMs / 1000) - ABANDONED_AFTER_SECS
  const due = (current: boolean) =>
    db
      .selectFrom('swaps')
      .innerJoin('invoices', 'invoices.id', 'swaps.invoice_id')
      .select(['swaps.id', 'invoices.account_id'])
      .where(isDue(nowMs))
      .where(({ or, and, not, eb }) => {
        const isCurrent = or([
          eb('swaps.status', '!=', 'PENDING_DEPOSIT'),
          and([eb('swaps.replaced_at', 'is', null), eb('swaps.deadline', '>', currentSince)]),
        ])
        return current ? isCurrent : not(isCurrent)
      })
      .where(isNotSetAside('swap', sql.ref('swaps.public_id')))
      .orderBy('next_poll_at_ms')
      .limit(MAX_CANDIDATES)
      .execute()
  const ids = (rows: Awaited<ReturnType<typeof due>>, count: number) =>
    takeTurns(rows, row => num(row.account_id), count).map(row => num(row.id))
  const others = ids(await due(false), limit)
  const current = ids(await due(true), limit - Math.min(others.length, Math.floor(limit / KEPT_PART)))
  return [...current, ...others.slice(0, limit - current.length)]
}

/** Claims those of the swaps that are still due. Returns their ids. */
export async function claimPolls(db: Db, ids: readonly number[], nowMs: number, untilMs: number): Promise<number[]> {
  if (ids.length === 0) return []
  const due = await db
    .selectFrom('swaps')
    .select('id')
    .where('id', 'in', ids)
    .where(isDue(nowMs))
    .forUpdate()
    .skipLocked()
    .execute()
  const claimed = due.map(row => num(row.id))
  if (claimed.length === 0) return []
  await db.updateTable('swaps').set({ next_poll_at_ms: untilMs }).where('id', 'in', claimed).execute()
  return claimed
}

function isDue(nowMs: number) {
  return ({ or, eb }: ExpressionBuilder<Tables, 'swaps'>) =>
    or([eb('next_poll_at_ms', '<=', nowMs), eb('next_poll_at_ms', '>', nowMs + MAX_POLL_DELAY_MS)])
}
