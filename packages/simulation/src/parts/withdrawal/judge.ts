import { blockSpacingSecs } from '@zatgate/server/domain/chain/network-upgrade'
import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import { NewEvents } from '../event/new-events.ts'
import { short } from '../sale/shop.ts'
import {
  type DepositRow,
  readDeposits,
  readWithdrawals,
  recordedTip,
  type UpdateEvent,
  updatesOf,
  type WithdrawalRow,
} from './ledger.ts'
import { ENDS, expectedFiat, GRACE_BLOCKS, isAllowedStep } from './rules.ts'

/** The run does not wait for orders that expire later than this, by a clock that was ahead. */
const MAX_WAIT_SECS = 3_660

/** Checks orders, their deposits and their closings after every commit. */
export class WithdrawalJudge {
  /** Called when an order is to be paid out. */
  onDue: (order: WithdrawalRow) => void = () => {}
  readonly #world: World
  readonly #spreadBps: number
  #before: ReadonlyMap<string, WithdrawalRow> | null = null
  readonly #newEvents: NewEvents
  /** By order, the committed closings that are not answered yet. */
  readonly #unanswered = new Map<string, number>()
  /** By closed order, what it had received. Unknown after a restore and a shared commit. */
  readonly #receivedAtClose = new Map<string, bigint>()

  constructor(world: World, spreadBps: number) {
    this.#world = world
    this.#spreadBps = spreadBps
    this.#newEvents = new NewEvents(world)
    // The state may go back once.
    world.onRestore(() => {
      this.#before = null
      this.#unanswered.clear()
      this.#receivedAtClose.clear()
    })
  }

  check(): void {
    const rows = readWithdrawals(this.#world)
    const before = this.#before
    if (before && rows.length === before.size && rows.every(row => isSame(before.get(row.public_id), row))) return
    const events = updatesOf(this.#newEvents.read())
    this.#before = new Map(rows.map(row => [row.public_id, row]))
    for (const row of rows) {
      if (before) this.#checkChange(before.get(row.public_id) ?? null, row, events)
      // This commit may hold a closing.
      else this.#unanswered.set(row.public_id, 1)
      this.#checkState(row)
    }
  }

  #checkState(row: WithdrawalRow): void {
    if (row.received_zat !== row.invoice_received)
      this.#fail('an order knows all coins at its address', row, `${row.received_zat} of ${row.invoice_received}`)
    const isConfirmed = row.invoice_status === 'paid' && row.needs_attention === 0n
    if (row.status === 'payout_processing' && !(isConfirmed && row.invoice_received === row.amount_zat))
      this.#fail(
        'only an order with its whole confirmed deposit is paid out',
        row,
        `the invoice is ${row.invoice_status}`,
      )
    if (row.received_zat > this.#endedWith(row))
      this.#fail('no deposit of an ended order is forgotten', row, row.status)
  }

  /** The most that an order with this status has received. */
  #endedWith({ public_id, status, received_zat }: WithdrawalRow): bigint {
    if (status === 'canceled' || status === 'expired') return 0n
    return (CLOSED.has(status) ? this.#receivedAtClose.get(public_id) : undefined) ?? received_zat
  }

  #checkChange(before: WithdrawalRow | null, row: WithdrawalRow, events: readonly UpdateEvent[]): void {
    if (!before) this.#checkNew(row)
    const own = events.filter(event => event.withdrawal_id === row.public_id)
    let status = before?.status ?? 'awaiting_deposit'
    for (const event of own) {
      if (event.status === status) this.#fail('withdrawal.updated is raised once for a change', row, status)
      this.#checkStep(status, event.status, before ?? row, row)
      status = event.status
    }
    if (status !== row.status)
      this.#fail('a change of an order and withdrawal.updated are one commit', row, `${status} → ${row.status}`)
  }

  #checkNew(row: WithdrawalRow): void {
    const expected = expectedFiat(row.amount_zat, row.rate, this.#spreadBps)
    if (row.fiat_amount !== expected)
      this.#fail('an order is worth its amount at its rate', row, `${row.fiat_amount}, not ${expected}`)
    if (row.invoice_amount !== row.amount_zat) this.#fail('the deposit of an order is its amount', row)
  }

  #checkStep(from: string, to: string, before: WithdrawalRow, row: WithdrawalRow): void {
    this.#world.transition('withdrawal', from, to)
    this.#world.story.tell('database', `withdrawal ${short(row.public_id)}: ${from} → ${to}`)
    if (!isAllowedStep(from, to)) this.#fail('an order takes only the lawful steps', row, `${from} → ${to}`)
    // A shared commit may hold the step, and a deposit after it.
    const isLast = row.status === to || this.#world.useCases === 1
    if (to === 'payout_processing' && isLast) this.#checkDeposit(row)
    if (to === 'payout_processing') this.onDue(row)
    // A shared commit may hold the cancellation, and a deposit before or after it.
    const hadCoins = before.invoice_received > 0n || row.status === 'canceled'
    if (to === 'canceled' && hadCoins && row.invoice_received > 0n)
      this.#fail('only an order without a deposit is canceled', row)
    if (to === 'expired' && isLast && row.invoice_status !== 'expired')
      this.#fail('an order expires with its address', row)
    if (CLOSED.has(to)) this.#checkClosing(to, row)
    const earlier = this.#receivedAtClose.get(row.public_id) ?? -1n
    if (CLOSED.has(from) && this.#world.useCases === 1 && row.received_zat <= earlier)
      this.#fail('only more coins reopen a closed order', row, `${earlier} → ${row.received_zat}`)
  }

  #checkDeposit(row: WithdrawalRow): void {
    const deposits = readDeposits(this.#world, row.invoice_id).filter(({ location }) => location !== 'dropped')
    const tip = recordedTip(this.#world)
    const cutoff = (height: number) =>
      Number(row.expires_at) + GRACE_BLOCKS * blockSpacingSecs(this.#world.params, height)
    let sum = 0n
    for (const deposit of deposits) {
      if (confirmationsOf(deposit, tip) < Number(row.confirmations))
        this.#fail('no payout begins before the deposit is confirmed', row)
      const time = deposit.location === 'mined' ? deposit.time : deposit.seen_at
      if (time === null || Number(time) > cutoff(Number(deposit.height ?? tip)))
        this.#fail('a late deposit is not paid out at the old rate', row, `${time}, valid until ${row.expires_at}`)
      sum += deposit.value_zat
    }
    if (sum !== row.amount_zat) this.#fail('only an order with its whole confirmed deposit is paid out', row, `${sum}`)
  }

  #checkClosing(to: string, row: WithdrawalRow): void {
    const id = row.public_id
    this.#unanswered.set(id, (this.#unanswered.get(id) ?? 0) + 1)
    // A shared commit may hold the closing, and other coins before and after it.
    if (this.#world.useCases > 1) {
      this.#receivedAtClose.delete(id)
      return
    }
    this.#receivedAtClose.set(id, row.received_zat)
    if (to !== 'completed') return
    const tip = recordedTip(this.#world)
    const open = readDeposits(this.#world, row.invoice_id).find(
      deposit => deposit.location !== 'dropped' && confirmationsOf(deposit, tip) < Number(row.confirmations),
    )
    if (open) this.#fail('no payout is settled before the deposit is confirmed', row)
  }

  /** An operator's command has closed the order. */
  answered(id: string): void {
    const unanswered = this.#unanswered.get(id) ?? 0
    this.#unanswered.set(id, unanswered - 1)
    if (unanswered === 0) this.#world.fail('an order is closed by one command', short(id))
  }

  /** Why the orders have not settled: those that neither ended nor wait for coins or for a person. */
  unsettled(): string | null {
    const { nowSecs } = this.#world
    for (const row of readWithdrawals(this.#world)) {
      if (ENDS.has(row.status)) continue
      const isOpen = Number(row.expires_at) > nowSecs + MAX_WAIT_SECS
      const deposits = row.status === 'awaiting_deposit' ? readDeposits(this.#world, row.invoice_id) : []
      const isHeld = deposits.some(
        ({ location, txid }) => location === 'dropped' && this.#world.network.mayBeMined(txid),
      )
      if (!isOpen && !isHeld) return `withdrawal ${short(row.public_id)} is ${row.status}`
    }
    return null
  }

  #fail(rule: Rule, { public_id: id }: WithdrawalRow, detail = ''): void {
    this.#world.fail(rule, `withdrawal ${short(id)}${detail && `: ${detail}`}`)
  }
}

const CLOSED: ReadonlySet<string> = new Set(['completed', 'failed'])

function confirmationsOf({ location, height }: DepositRow, tip: number): number {
  return location === 'mined' ? tip - Number(height) + 1 : 0
}

function isSame(a: WithdrawalRow | undefined, b: WithdrawalRow): boolean {
  return (
    a !== undefined &&
    a.status === b.status &&
    a.received_zat === b.received_zat &&
    a.invoice_received === b.invoice_received &&
    a.invoice_status === b.invoice_status &&
    a.needs_attention === b.needs_attention &&
    a.reference === b.reference
  )
}
