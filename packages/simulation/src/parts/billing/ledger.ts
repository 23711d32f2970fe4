import { query } from '../../world/query.ts'
import type { World } from '../../world/world.ts'
import type { EventRow } from '../event/new-events.ts'

export interface AccountRow {
  readonly id: bigint
  readonly email: string
  readonly plan: string
  readonly plan_expires_at: bigint | null
}

/** A purchase of a plan with the state of its invoice. */
export interface PurchaseRow {
  readonly invoice_id: bigint
  readonly public_id: string
  readonly account_id: bigint
  readonly plan: string
  readonly price_zat: bigint
  readonly period_days: bigint
  readonly status: 'open' | 'granted' | 'needs_attention'
  readonly decided_at: bigint | null
  readonly granted_until: bigint | null
  readonly invoice_status: string
}

/** Invoices of a calendar month, counted or limited. */
export interface MonthRow {
  readonly account_id: bigint
  readonly month: string
  readonly used: bigint
}

/** A `plan.updated` event. */
export interface PlanEvent {
  readonly accountId: bigint
  readonly plan: string
  readonly expiresAt: number
}

/** A queued reminder mail, or the last reminder of an account. */
export interface ReminderRow {
  readonly id: bigint
  readonly recipient: string
  /** Names the plan and its end, to the minute. */
  readonly detail: string
  /** How many reminders it stands for. */
  readonly events: bigint
}

/** The committed state of plans, purchases and reminders. */
export interface PlanLedger {
  readonly accounts: readonly AccountRow[]
  readonly purchases: readonly PurchaseRow[]
  /** The end of the plan that each account was last reminded of. */
  readonly reminded: ReadonlyMap<bigint, bigint>
}

const ACCOUNTS = 'SELECT id, email, plan, plan_expires_at FROM accounts ORDER BY id'
const PURCHASES = `SELECT p.invoice_id, i.public_id, p.account_id, p.plan, p.price_zat, p.period_days, p.status,
  p.decided_at, p.granted_until, i.status AS invoice_status
  FROM plan_purchases p JOIN invoices i ON i.id = p.invoice_id ORDER BY p.invoice_id`
const REMINDED = 'SELECT account_id, plan_expires_at FROM plan_announcements'
const REMINDERS = "SELECT id, recipient, detail, events FROM mails WHERE about = 'plan_ends'"
const TOTALS = `SELECT (SELECT count(*) FROM invoices WHERE purpose = 'sale') AS sales,
  (SELECT coalesce(sum(used), 0) FROM monthly_usage) AS used`
const USAGE = 'SELECT account_id, month, used FROM monthly_usage ORDER BY account_id, month'
/** Those of deleted accounts are no longer counted. */
const SALES = `SELECT account_id, strftime('%Y-%m', invoices.created_at, 'unixepoch') AS month, count(*) AS used
  FROM invoices JOIN accounts ON accounts.id = account_id
  WHERE purpose = 'sale' AND erased_at IS NULL GROUP BY 1, 2 ORDER BY 1, 2`

export function readPlans({ database }: World): PlanLedger {
  const reminded = database.committed<{ account_id: bigint; plan_expires_at: bigint }>(REMINDED)
  return {
    accounts: database.committed<AccountRow>(ACCOUNTS),
    purchases: database.committed<PurchaseRow>(PURCHASES),
    reminded: new Map(reminded.map(row => [row.account_id, row.plan_expires_at])),
  }
}

export const readReminders = query<ReminderRow>(REMINDERS)

/** The `plan.updated` events among these, in their order. */
export function planEventsOf(events: readonly EventRow[]): PlanEvent[] {
  return events.flatMap(({ account_id: accountId, type, body }) => {
    if (type !== 'plan.updated') return []
    const { plan, expires_at: expiresAt } = JSON.parse(body) as { plan: string; expires_at: number }
    return [{ accountId, plan, expiresAt }]
  })
}

/** Changes whenever a sale is created or counted. */
export function readTotals({ database }: World): string {
  const [row] = database.committed<{ sales: bigint; used: bigint }>(TOTALS)
  return `${row?.sales} ${row?.used}`
}

export function readUsage({ database }: World): { counted: MonthRow[]; created: MonthRow[] } {
  return { counted: database.committed<MonthRow>(USAGE), created: database.committed<MonthRow>(SALES) }
}
