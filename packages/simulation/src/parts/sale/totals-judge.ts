import type { World } from '../../world/world.ts'

/** Sums of an account's paid sales by day, counted from the rows, and as the table has them. Deleted accounts have none. */
const COUNTED = `SELECT account_id, paid_at / 86400 * 86400 AS day, sum(received_zat) AS received_zat, count(*) AS invoices
  FROM invoices WHERE purpose = 'sale' AND paid_at IS NOT NULL
  AND account_id IN (SELECT id FROM accounts WHERE erased_at IS NULL) GROUP BY 1, 2`
const KEPT = `SELECT account_id, day, received_zat, invoices FROM daily_totals WHERE received_zat <> 0 OR invoices <> 0`

interface Total {
  readonly account_id: bigint
  readonly day: bigint
  readonly received_zat: bigint
  readonly invoices: bigint
}

/** Checks that the totals of each day are those of the sales that became paid on it. */
export function checkDailyTotals(world: World): void {
  const kept = textsOf(world.database.committed<Total>(KEPT))
  const counted = textsOf(world.database.committed<Total>(COUNTED))
  const wrong = [...kept].find(text => !counted.has(text))
  const missing = [...counted].find(text => !kept.has(text))
  if (wrong === undefined && missing === undefined) return
  const rule = 'the totals of a day are those of the sales that were paid on it'
  world.fail(rule, `kept: ${wrong ?? 'nothing'}; counted: ${missing ?? 'nothing'}`)
}

function textsOf(rows: readonly Total[]): ReadonlySet<string> {
  return new Set(
    rows.map(
      ({ account_id: account, day, received_zat: zat, invoices }) =>
        `account ${account}, ${day}: ${zat} zat of ${invoices}`,
    ),
  )
}
