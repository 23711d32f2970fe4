import type { Rule } from '../../rules.ts'
import { type Order, stateOf } from '../../world/swap-provider/order.ts'
import type { SwapProviderServer } from '../../world/swap-provider/provider.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import { SwapEventJudge } from './event-judge.ts'
import {
  hasDeposit,
  maxClockErrorMs,
  readSwapLedger,
  type SwapChange,
  type SwapInvoiceRow,
  type SwapLedger,
  type SwapRow,
} from './ledger.ts'
import { SwapStartJudge } from './start-judge.ts'

const FINAL = new Set(['SUCCESS', 'REFUNDED', 'FAILED'])
const KNOWN = new Set([...FINAL, 'PENDING_DEPOSIT', 'KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING'])
/** How old a signed quote may be. */
const MAX_QUOTE_AGE_MS = 300_000
/** A report whose time is further ahead of the clock of the service comes from a wrong clock. */
const MAX_AHEAD_MS = 300_000
/** How long such a report makes later ones older. */
const AHEAD_COUNTS_MS = 600_000
/** How long after its expiry an invoice waits for a provider that does not answer. */
const SILENCE_MS = 120_000
/** How long an invoice waits for the coins of a successful swap. */
const DELIVERY_MS = 3_600_000
/** How long a swap without a deposit is kept. */
const ABANDONED_KEPT_MS = 45 * 86_400_000
/** The longest time for which a swap is polled. */
const MAX_POLLED_MS = 14 * 86_400_000
/** How long a swap is polled after the provider's deadline. */
const POLLED_PAST_DEADLINE_MS = 86_400_000

/** Checks swaps and the invoices that have one after every commit. */
export class SwapJudge {
  readonly starts: SwapStartJudge
  readonly #world: World
  readonly #provider: SwapProviderServer
  readonly #events: SwapEventJudge
  /** Null after a restore. */
  #before: SwapLedger | null = { swaps: new Map(), invoices: new Map(), starts: [] }

  constructor(world: World, provider: SwapProviderServer) {
    this.#world = world
    this.#provider = provider
    this.starts = new SwapStartJudge(world)
    this.#events = new SwapEventJudge(world, provider)
    // The state may go back once.
    world.onRestore(() => {
      this.#before = null
    })
  }

  check(): void {
    const ledger = readSwapLedger(this.#world)
    const changes = [...ledger.swaps.values()].flatMap(swap => this.#changeOf(swap, ledger) ?? [])
    for (const change of changes) this.#checkChange(change)
    for (const swap of this.#before?.swaps.values() ?? []) if (!ledger.swaps.has(swap.id)) this.#checkDeleted(swap)
    for (const invoice of ledger.invoices.values()) this.#checkInvoice(invoice, changes)
    this.starts.check(ledger)
    this.#events.check(changes, this.#before !== null)
    this.#before = ledger
  }

  #changeOf(swap: SwapRow, ledger: SwapLedger): SwapChange | null {
    const order = this.#provider.orders.get(swap.deposit_address)
    const invoice = ledger.invoices.get(swap.invoice_id)
    if (!order) this.#fail('a swap is a quote of the provider', swap)
    if (!invoice) this.#fail('an invoice with swaps has a current one', swap)
    return order && invoice ? { before: this.#before?.swaps.get(swap.id), swap, invoice, order } : null
  }

  #checkChange(change: SwapChange): void {
    const { before, swap, order } = change
    if (!before) this.#checkQuote(change)
    if (!before && this.#before) this.#checkReplaced(change)
    if (before?.status !== swap.status) {
      this.#world.transition('swap', before?.status ?? null, swap.status)
      this.#world.story.tell('database', `swap ${short(swap.public_id)}: ${before?.status ?? 'new'} → ${swap.status}`)
    }
    if (!KNOWN.has(swap.status)) this.#fail('an unknown word of the provider changes nothing', swap, swap.status)
    if (before && before.status !== swap.status && FINAL.has(before.status))
      this.#fail('a final status of a swap does not change', swap, `${before.status} → ${swap.status}`)
    // To a clock that is minutes behind, the stored time is one that an honest provider cannot have sent.
    const isComparable = maxClockErrorMs(this.#world) <= MAX_AHEAD_MS
    const wentBack = before !== undefined && swap.updated_at_ms < before.updated_at_ms
    if (wentBack && isComparable && !this.#mayGoBack(before, swap))
      this.#fail('an older answer of the provider changes nothing', swap)
    if ((before?.updated_at_ms ?? 0n) !== swap.updated_at_ms) this.#checkAnswered(swap, order)
    else if (swap.status !== (before?.status ?? 'PENDING_DEPOSIT'))
      this.#fail('a status of a swap comes with its time', swap, swap.status)
    if (
      (before?.provider_status ?? '') !== swap.provider_status ||
      (before?.updated_at_ms ?? 0n) !== swap.updated_at_ms
    )
      this.#checkRawAnswer(swap, order)
  }

  /** The stored quote is one that the provider sent, and that the service may trust. */
  #checkQuote({ swap, invoice, order }: SwapChange): void {
    const [row] = this.#world.database.committed<{ quote_raw: string }>(
      'SELECT quote_raw FROM swaps WHERE id = ?',
      swap.id,
    )
    const serving = this.#provider.servings.get(row?.quote_raw ?? '')
    if (serving?.order !== order) this.#fail('the response with a quote is kept', swap)
    if (serving && !serving.valid) this.#fail('a quote with other terms than the requested ones is refused', swap)
    if (serving && serving.ageMs > MAX_QUOTE_AGE_MS + maxClockErrorMs(this.#world))
      this.#fail('an old quote is refused', swap, `${serving.ageMs / 1000} s`)
    const isAsQuoted =
      order.recipient === invoice.address &&
      order.amountZat === invoice.amount_zat &&
      order.depositMemo === swap.deposit_memo &&
      order.refundTo === swap.refund_to &&
      String(order.amountIn) === swap.amount_in
    if (!isAsQuoted) this.#fail('a swap delivers the amount of its invoice to its address', swap)
  }

  /** A swap with a deposit has no successor. */
  #checkReplaced({ swap, invoice }: SwapChange): void {
    if (invoice.status === 'expired' || invoice.status === 'underpaid')
      this.#fail('only a pending invoice gets a swap', swap, invoice.status)
    const earlier = this.#before?.invoices.get(invoice.id)
    const replaced = earlier && this.#before?.swaps.get(earlier.swap_id)
    if (replaced && hasDeposit(replaced.status))
      this.#fail('a swap with a deposit is not replaced', swap, `the earlier one was ${replaced.status}`)
  }

  /** The provider has given this status with this time, for this order. */
  #checkAnswered(swap: SwapRow, order: Order): void {
    const answered = this.#provider
      .answersAbout(order)
      .some(({ state, updatedAtMs }) => state.status === swap.status && updatedAtMs === Number(swap.updated_at_ms))
    if (!answered) this.#fail('a swap has the status that the provider has given', swap, swap.status)
  }

  /** After a report that was dated ahead, one that is not minutes older may follow, and any after ten minutes. */
  #mayGoBack(
    { updated_at_ms: beforeMs, last_report_at: heardAt }: SwapRow,
    { updated_at_ms: afterMs }: SwapRow,
  ): boolean {
    const errorMs = maxClockErrorMs(this.#world) + 1_000
    const appliedMs = Number(heardAt) * 1000
    const { nowMs } = this.#world.scheduler
    if (Number(beforeMs) <= appliedMs + MAX_AHEAD_MS - errorMs) return false
    if (nowMs >= appliedMs + AHEAD_COUNTS_MS - 2 * errorMs) return true
    const isPlausible = Number(afterMs) <= nowMs + MAX_AHEAD_MS + errorMs
    return isPlausible && Number(afterMs) >= appliedMs - MAX_AHEAD_MS - errorMs
  }

  #checkRawAnswer(swap: SwapRow, order: Order): void {
    const [row] = this.#world.database.committed<{ status_raw: string | null }>(
      'SELECT status_raw FROM swaps WHERE id = ?',
      swap.id,
    )
    const answer = this.#provider.answers.get(row?.status_raw ?? '')
    if (answer?.order !== order || answer.state.status !== swap.provider_status)
      this.#fail('the response with a status is kept', swap, swap.provider_status)
  }

  #checkDeleted(swap: SwapRow): void {
    const order = this.#provider.orders.get(swap.deposit_address)
    const { nowMs } = this.#world.scheduler
    const isOld = order !== undefined && nowMs >= order.quotedAtMs + ABANDONED_KEPT_MS - maxClockErrorMs(this.#world)
    if (!isOld || swap.status !== 'PENDING_DEPOSIT' || hadDeposit(order, maxClockErrorMs(this.#world)))
      this.#fail('only a swap that was abandoned weeks ago is deleted', swap, swap.status)
  }

  #checkInvoice(invoice: SwapInvoiceRow, changes: readonly SwapChange[]): void {
    const own = changes.filter(({ swap }) => swap.invoice_id === invoice.id)
    if (own.at(-1)?.swap.id !== invoice.swap_id)
      this.#world.fail('the current swap of an invoice is the newest one', `invoice ${short(invoice.public_id)}`)
    if (invoice.kept_open === 1n || (invoice.status !== 'pending' && invoice.status !== 'detected')) return
    for (const change of own) {
      const reason = this.#reasonToWait(change)
      if (reason !== null) this.#fail('a swap keeps its invoice open', change.swap, reason)
    }
  }

  /** Why the invoice must not close yet; null when it may. */
  #reasonToWait({ swap: { status }, invoice, order }: SwapChange): string | null {
    const { nowMs } = this.#world.scheduler
    const errorMs = maxClockErrorMs(this.#world)
    const answers = this.#provider.answersAbout(order)
    const expiresMs = Number(invoice.expires_at) * 1000
    if (status === 'PENDING_DEPOSIT') {
      const asked = answers.some(({ state, atMs }) => state.status === status && atMs >= expiresMs - errorMs)
      const waits = !asked && nowMs < expiresMs + SILENCE_MS - errorMs
      return waits ? `the provider was not asked at its expiry, ${(nowMs - expiresMs) / 1000} s ago` : null
    }
    if (status === 'SUCCESS') {
      const succeededMs = Math.min(...answers.filter(({ state }) => state.status === status).map(({ atMs }) => atMs))
      return nowMs < succeededMs + DELIVERY_MS - 2 * errorMs ? 'the coins of a successful swap are due' : null
    }
    const isPolled = nowMs < order.quoteDeadlineMs + POLLED_PAST_DEADLINE_MS - errorMs
    return hasDeposit(status) && isPolled ? `the provider has a deposit: ${status}` : null
  }

  #fail(rule: Rule, { public_id: id }: SwapRow, detail = ''): void {
    this.#world.fail(rule, `swap ${short(id)}${detail && `: ${detail}`}`)
  }

  /** Why the swaps have not settled: a status that is not the provider's, or an invoice that stays open. */
  unsettled(): string | null {
    const { swaps, invoices } = readSwapLedger(this.#world)
    const { scheduler, maxClockAheadMs } = this.#world
    const { nowMs } = scheduler
    for (const { public_id: id, invoice_id: invoiceId, deposit_address: address, status } of swaps.values()) {
      const order = this.#provider.orders.get(address)
      // Polling has ended for good by a clock that was so far ahead.
      if (!order || nowMs + maxClockAheadMs > order.quoteDeadlineMs + POLLED_PAST_DEADLINE_MS) continue
      const truth = stateOf(order).status
      // Its poll is set aside, because its invoice cannot be changed.
      const isLeftOut = this.#world.poison.isPoisoned('invoice', invoices.get(invoiceId)?.public_id ?? '')
      if (status !== truth && !isLeftOut) return `swap ${short(id)} is ${status}, although the provider has ${truth}`
    }
    for (const { public_id: id, status, kept_open: keptOpen, expires_at: expiresAt } of invoices.values()) {
      const isOverdue = status === 'pending' && nowMs > Number(expiresAt) * 1000 + SILENCE_MS
      // The poll of its swap is set aside, because the invoice cannot be changed.
      if (this.#world.poison.isPoisoned('invoice', id)) continue
      if (isOverdue && keptOpen === 1n) return `invoice ${short(id)} is overdue and still kept open by its swap`
    }
    return null
  }
}

/** Whether the provider had received something while the service still asked about the order, at least once an hour. */
function hadDeposit(order: Order, errorMs: number): boolean {
  const end = Math.min(order.quoteDeadlineMs + POLLED_PAST_DEADLINE_MS, order.quotedAtMs + MAX_POLLED_MS)
  return order.states.some(
    ({ status, updatedAtMs }) => status !== 'PENDING_DEPOSIT' && updatedAtMs < end - 2 * 3_600_000 - errorMs,
  )
}
