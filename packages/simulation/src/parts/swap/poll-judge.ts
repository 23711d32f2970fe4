import type { Order } from '../../world/swap-provider/order.ts'
import type { World } from '../../world/world.ts'
import { maxClockErrorMs } from './ledger.ts'

/** A larger error of a clock makes the service poll at other times. */
const MAX_CLOCK_ERROR_MS = 5_000
const POLLED_PAST_DEADLINE_SECS = 86_400
const ABANDONED_AFTER_SECS = 600
const CHANGES = `SELECT count(*) AS changes FROM invoice_changes
  WHERE invoice_id = (SELECT id FROM invoices WHERE address = ?)`

/**
 * Checks how often the provider is asked about an order: every 5 s for two minutes, every 15 s for half an hour, then
 * every minute, and every hour once its deadline has passed without a deposit, and not after the end of its deadline. A poll whose result was lost is repeated after 30 s.
 */
export class SwapPollJudge {
  readonly #world: World
  readonly #startsOf: (address: string) => number
  #wasRestored = false
  /** By address, how often its invoice has changed. The log of the changes is kept for a day. */
  readonly #changes = new Map<string, number>()

  /** @param startsOf the number of requests to start a swap for an address; each may ask the provider */
  constructor(world: World, startsOf: (address: string) => number) {
    this.#world = world
    this.#startsOf = startsOf
    world.onRestore(() => {
      this.#wasRestored = true
    })
  }

  /** The provider is asked for the status of an order. */
  check(order: Order): void {
    if (this.#wasRestored || maxClockErrorMs(this.#world) > MAX_CLOCK_ERROR_MS) return
    const planned = plannedPolls(order, this.#world.scheduler.nowMs)
    if (order.statusRequests <= planned) return
    // A payment of the invoice, and the process that is about to ask, cause further polls.
    const [row] = this.#world.database.committed<{ changes: bigint }>(CHANGES, order.recipient)
    const changes = Math.max(this.#changes.get(order.recipient) ?? 0, Number(row?.changes ?? 0n))
    this.#changes.set(order.recipient, changes)
    const others = this.#startsOf(order.recipient) + changes + this.#world.processes.length
    if (order.statusRequests > planned + others)
      this.#world.fail(
        'the provider is not asked more often than allowed',
        `${order.statusRequests} requests about ${order.depositAddress}, planned ${planned}, other reasons ${others}`,
      )
  }
}

/** The greatest number of polls up to now. */
export function plannedPolls({ quotedAtMs, deadlineMs, quoteDeadlineMs, states }: Order, nowMs: number): number {
  const abandonedMs = states.length === 1 ? deadlineMs + ABANDONED_AFTER_SECS * 1000 : Number.POSITIVE_INFINITY
  const endMs = Math.min(nowMs, quoteDeadlineMs + POLLED_PAST_DEADLINE_SECS * 1000, abandonedMs)
  // After 10, 20, 40 and 60 minutes, then every hour; as often again for lost results.
  const rarely = nowMs <= abandonedMs ? 0 : 2 * (4 + (nowMs - abandonedMs) / 3_600_000)
  const age = Math.max(0, endMs - quotedAtMs) / 1000
  const often = Math.min(age, 120) / 5
  const seldom = Math.min(Math.max(age - 120, 0), 1_680) / 15
  // Once at the expiry of the invoice, which is at the deadline or later, and once 120 s after it.
  const atExpiry = nowMs < deadlineMs ? 0 : nowMs < deadlineMs + 120_000 ? 1 : 2
  return Math.ceil(often + seldom + Math.max(age - 1_800, 0) / 30 + rarely) + atExpiry + 1
}
