import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import { maxClockErrorMs, type StartRow, type SwapLedger } from './ledger.ts'

const MAX_STARTS = 5
const WINDOW_SECS = 600
/** Older starts are deleted. */
const KEPT_SECS = 86_400

interface Start extends StartRow {
  /** The service no longer counts it, because it led to no swap. */
  takenBack: boolean
}

/** Checks the limit of starts: five for an invoice in any ten minutes. */
export class SwapStartJudge {
  readonly #world: World
  /** Every start that was ever stored, by `keyOf`. SQLite may use the id of a removed row again. */
  readonly #starts = new Map<string, Start>()
  /** The invoices of which a start may have been stored and forgotten in the same commit. */
  readonly #mayHaveUnseen = new Set<bigint>()
  #isFirstCheck = false
  #wasRestored = false

  constructor(world: World) {
    this.#world = world
    // Starts are forgotten.
    world.onRestore(() => {
      this.#starts.clear()
      this.#isFirstCheck = true
      this.#wasRestored = true
    })
  }

  check({ starts, swaps, invoices }: SwapLedger): void {
    const present = new Set(starts.map(keyOf))
    for (const start of this.#starts.values())
      if (!present.has(keyOf(start)) && !start.takenBack) start.takenBack = !this.#isForgotten(start, starts)
    for (const row of starts) {
      const known = this.#starts.get(keyOf(row))
      if (known && !known.takenBack) continue
      const start = { ...row, takenBack: false }
      this.#starts.set(keyOf(row), start)
      if (!this.#isFirstCheck) this.#checkLimit(start)
    }
    this.#isFirstCheck = false
    if (this.#mayForgetAtOnce) for (const start of starts) this.#mayHaveUnseen.add(start.invoice_id)
    // A restored copy has swaps whose starts it has already forgotten.
    if (this.#wasRestored) return
    for (const { id, public_id: publicId } of invoices.values()) {
      const stored = [...swaps.values()].filter(swap => swap.invoice_id === id).length
      const counted = this.#of(id).filter(({ takenBack }) => !takenBack).length
      if (stored > counted && !this.#mayHaveUnseen.has(id))
        this.#world.fail(
          'every stored swap is counted as a start',
          `invoice ${short(publicId)}: ${counted} starts, ${stored} swaps`,
        )
    }
  }

  /** The number of starts that can have counted against a request, including those that are no longer counted. */
  countSince(invoiceId: bigint, requestedAtMs: number): number {
    const since = requestedAtMs / 1000 - WINDOW_SECS - this.#toleranceSecs - 1
    return this.#of(invoiceId).filter(({ started_at: at }) => Number(at) > since).length
  }

  #checkLimit(start: Start): void {
    const counted = this.#of(start.invoice_id).filter(
      ({ started_at: at, takenBack }) =>
        !takenBack && at <= start.started_at && Number(start.started_at - at) < WINDOW_SECS - this.#toleranceSecs,
    )
    if (counted.length > MAX_STARTS)
      this.#world.fail(
        'an invoice has at most five starts of a swap in ten minutes',
        `${counted.length} up to ${start.started_at}: ${counted.map(({ started_at: at }) => at).join(', ')}`,
      )
  }

  /** Whether the service has forgotten the start because it lies before the window of a later one, or is a day old. */
  #isForgotten({ invoice_id: invoiceId, started_at: at }: Start, starts: readonly StartRow[]): boolean {
    const isOld = this.#world.scheduler.nowMs / 1000 - Number(at) >= KEPT_SECS - this.#toleranceSecs
    const later = [...this.#of(invoiceId), ...starts.filter(start => start.invoice_id === invoiceId)]
    return isOld || later.some(start => Number(start.started_at - at) >= WINDOW_SECS)
  }

  /** Whether starts in the commit may have read clock times a window apart. */
  get #mayForgetAtOnce(): boolean {
    const { useCases, scheduler, clocksChangedMs, clockErrors } = this.#world
    const { nowMs, idleAtMs } = scheduler
    const clockRangeMs = clocksChangedMs >= idleAtMs ? clockErrors.maxMs - clockErrors.minMs : 0
    // Times are stored in whole seconds: 599.001 s apart may be stored as 600.
    return useCases > 1 && nowMs - idleAtMs + clockRangeMs > (WINDOW_SECS - 1) * 1_000
  }

  #of(invoiceId: bigint): Start[] {
    return [...this.#starts.values()].filter(start => start.invoice_id === invoiceId)
  }

  /** How far the clocks of two processes can be apart. */
  get #toleranceSecs(): number {
    return (2 * maxClockErrorMs(this.#world)) / 1000
  }
}

function keyOf({ id, invoice_id: invoiceId, started_at: at }: StartRow): string {
  return `${id} ${invoiceId} ${at}`
}
