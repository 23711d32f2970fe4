import type { Plan } from '@zatgate/server/domain/account/plan'
import type { World } from '../../world/world.ts'
import { type MonthRow, readPlans, readTotals, readUsage } from './ledger.ts'

/** A request may have read its account this long before its commit. */
const MAX_REQUEST_MS = 4 * 3_600_000

/** Checks the monthly limits after every commit. */
export class UsageJudge {
  readonly #world: World
  readonly #limits: ReadonlyMap<string, number>
  readonly #plan = new Map<bigint, string>()
  /** Until when each account has had each plan, in Unix milliseconds. */
  readonly #held = new Map<bigint, Map<string, number>>()
  #totals = ''
  #used = new Map<string, bigint>()

  constructor(world: World, plans: readonly Plan[]) {
    this.#world = world
    this.#limits = new Map(
      plans.map(({ name, monthlyInvoiceLimit: limit }) => [name, limit ?? Number.POSITIVE_INFINITY]),
    )
    // The state may go back once.
    world.onRestore(() => {
      this.#totals = ''
      this.#used.clear()
    })
  }

  check(): void {
    this.#notePlans()
    const totals = readTotals(this.#world)
    if (totals === this.#totals) return
    this.#totals = totals
    const { counted, created } = readUsage(this.#world)
    if (textOf(counted) !== textOf(created))
      this.#world.fail('every created sale is counted once', `counted ${textOf(counted)}, created ${textOf(created)}`)
    for (const row of counted) this.#checkLimit(row)
    this.#used = new Map(counted.map(row => [keyOf(row), row.used]))
  }

  #notePlans(): void {
    const { nowMs } = this.#world.scheduler
    for (const { id, plan } of readPlans(this.#world).accounts) {
      const held = this.#held.get(id) ?? new Map<string, number>()
      // The earlier plan was held up to this commit.
      for (const name of [this.#plan.get(id) ?? plan, plan]) held.set(name, nowMs)
      this.#held.set(id, held)
      this.#plan.set(id, plan)
    }
  }

  #checkLimit(row: MonthRow): void {
    if (row.used <= (this.#used.get(keyOf(row)) ?? 0n)) return
    let limit = this.#limits.get('Free') ?? 0
    for (const [plan, heldMs] of this.#held.get(row.account_id) ?? [])
      if (heldMs > this.#world.scheduler.nowMs - MAX_REQUEST_MS) limit = Math.max(limit, this.#limits.get(plan) ?? 0)
    if (Number(row.used) > limit)
      this.#world.fail('no more invoices than the plan allows', `${row.used} of ${limit} in ${row.month}`)
    else if (Number(row.used) === limit) this.#world.transition('monthly usage', 'below', 'the limit')
  }
}

function keyOf({ account_id: account, month }: MonthRow): string {
  return `${account} ${month}`
}

function textOf(rows: readonly MonthRow[]): string {
  return rows.map(row => `${keyOf(row)} ${row.used}`).join(', ')
}
