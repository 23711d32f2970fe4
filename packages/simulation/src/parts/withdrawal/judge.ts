import { blockSpacingSecs } from '@zatgate/server/domain/network-upgrade'
import type { PayoutRequest } from '@zatgate/server/ports/payout-provider'
import type { Rule } from '../../rules.ts'
import type { PayoutListener, ProviderOrder } from '../../world/payout-provider.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import {
  type DepositRow,
  readDeposits,
  readUpdates,
  readWithdrawals,
  recordedTip,
  type UpdateEvent,
  type WithdrawalRow,
} from './ledger.ts'
import { ENDS, expectedFiat, GRACE_BLOCKS, isAllowedStep } from './rules.ts'

/** How long a process may take an order for itself. */
const LEASE_MS = 120_000

/** A call of the provider is repeated after at most an hour. Later times come from a wrong clock. */
const MAX_RETRY_SECS = 3_720
/** A clock that is further ahead makes no payout. On a regtest it cannot be checked. */
const MAX_AHEAD_SECS = 2 * 3_600

/** Checks orders, their deposits and their payouts after every commit, and at every call of the provider. */
export class WithdrawalJudge implements PayoutListener {
  /** Orders that an operator has closed, or tried to close, with an override. */
  readonly overridden = new Set<string>()
  /** Called when an order has become due for its payout. */
  onDue: (order: WithdrawalRow) => void = () => {}
  readonly #world: World
  readonly #spreadBps: number
  #before: ReadonlyMap<string, WithdrawalRow> | null = null
  #lastSeq = 0n
  /** Orders with a provider's payment. */
  readonly #paidByProvider = new Set<string>()
  /** Orders that an operator has settled without a sign of a provider's payment. */
  readonly #paidByHand = new Set<string>()
  /** Orders whose history was lost with the database. The service cannot know what happened to them. */
  readonly #forgotten = new Set<string>()

  constructor(world: World, spreadBps: number) {
    this.#world = world
    this.#spreadBps = spreadBps
  }

  /** A backup was restored: the state may go back once. */
  restored(): void {
    for (const id of [...this.#paidByProvider, ...this.#paidByHand, ...this.overridden]) this.#forgotten.add(id)
    this.#before = null
    this.#lastSeq = 0n
  }

  check(): void {
    const rows = readWithdrawals(this.#world)
    const before = this.#before
    if (before && rows.length === before.size && rows.every(row => isSame(before.get(row.public_id), row))) return
    const { events, last } = readUpdates(this.#world, this.#lastSeq)
    this.#lastSeq = last
    this.#before = new Map(rows.map(row => [row.public_id, row]))
    for (const row of rows) {
      this.#checkState(row)
      if (before) this.#checkChange(before.get(row.public_id) ?? null, row, events)
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
    if (row.closed_by === 'operator' && (to === 'completed' || to === 'failed')) this.#checkClosing(to, before, row)
    if (to === 'completed' && row.closed_by === 'provider' && !this.#paidByProvider.has(row.public_id))
      this.#fail('an order is completed when its provider has paid', row)
  }

  #checkDeposit(row: WithdrawalRow): void {
    const deposits = readDeposits(this.#world, row.invoice_id).filter(({ place }) => place !== 'dropped')
    const tip = recordedTip(this.#world)
    const cutoff = (height: number) =>
      Number(row.expires_at) + GRACE_BLOCKS * blockSpacingSecs(this.#world.params, height)
    let sum = 0n
    for (const deposit of deposits) {
      if (confirmationsOf(deposit, tip) < Number(row.confirmations))
        this.#fail('no payout begins before the deposit is confirmed', row)
      const time = deposit.place === 'mined' ? deposit.time : deposit.seen_at
      if (time === null || Number(time) > cutoff(Number(deposit.height ?? tip)))
        this.#fail('a late deposit is not paid out at the old rate', row, `${time}, valid until ${row.expires_at}`)
      sum += deposit.value_zat
    }
    if (sum !== row.amount_zat) this.#fail('only an order with its whole confirmed deposit is paid out', row, `${sum}`)
  }

  #checkClosing(to: string, before: WithdrawalRow, row: WithdrawalRow): void {
    const id = row.public_id
    if (this.overridden.has(id) || this.#forgotten.has(id)) return
    // A shared commit may hold the provider's refusal, and the closing.
    if (before.paying_provider !== null && this.#world.useCases === 1)
      this.#fail(
        'an operator closes no order that a provider is paying',
        row,
        `${to} while ${before.paying_provider} pays`,
      )
    if (to === 'completed') {
      const tip = recordedTip(this.#world)
      const open = readDeposits(this.#world, row.invoice_id).find(
        deposit => deposit.place !== 'dropped' && confirmationsOf(deposit, tip) < Number(row.confirmations),
      )
      // A shared commit may hold the closing, and a deposit after it.
      if (open && this.#world.useCases === 1) this.#fail('no payout is settled before the deposit is confirmed', row)
      if (before.reference === null) this.#paidByHand.add(id)
    }
    if (before.reference === null) this.#checkPaidOnce(id)
  }

  called(request: PayoutRequest, order: ProviderOrder | null): void {
    const row = this.#before?.get(request.id)
    if (!row) {
      if (this.#before) this.#world.fail('the provider pays only orders that exist', request.id)
      return
    }
    this.#world.story.tell('provider', `is called for ${short(request.id)}, which is ${row.status}`)
    if (row.status === 'payout_processing' ? row.paying_provider === null : NEVER_PAID.has(row.status))
      this.#fail('an order is claimed before its provider is called', row, row.status)
    if (request.fiatAmount !== row.fiat_amount || request.amountZat !== row.amount_zat)
      this.#fail('the provider pays what the order promises', row, request.fiatAmount)
    if (order && order.request.payoutTo !== request.payoutTo) this.#fail('a payout goes to one destination', row)
    const { minMs, maxMs } = this.#world.clockErrors
    const now = this.#world.scheduler.nowMs
    for (const { process, sinceMs } of order?.calls ?? [])
      if (process.alive && now - sinceMs < LEASE_MS - (maxMs - minMs) - 1_000)
        this.#fail('two processes do not pay one order at the same time', row, process.name)
  }

  paid({ request: { id } }: ProviderOrder): void {
    this.#world.story.tell('provider', `pays ${short(id)}`)
    this.#paidByProvider.add(id)
    this.#checkPaidOnce(id)
  }

  #checkPaidOnce(id: string): void {
    if (this.overridden.has(id) || this.#forgotten.has(id) || !this.#paidByProvider.has(id)) return
    const row = this.#before?.get(id)
    if (this.#paidByHand.has(id)) this.#world.fail('an order is paid once', `${short(id)}: by the provider and by hand`)
    if (row?.status === 'failed') this.#fail('an order does not fail when it is paid', row)
    if (row && NEVER_PAID.has(row.status)) this.#fail('an order without its deposit is never paid', row, row.status)
  }

  /** Why the orders have not settled: those that neither ended nor wait for coins or for a person. */
  unsettled(): string | null {
    const { nowSecs } = this.#world
    for (const row of readWithdrawals(this.#world)) {
      if (ENDS.has(row.status)) continue
      const isOpen = Number(row.expires_at) + 60 > nowSecs + MAX_RETRY_SECS
      const dueInSecs = Number(row.payout_due_at ?? 0) - nowSecs
      const isDelayed =
        dueInSecs > MAX_RETRY_SECS &&
        (this.#world.setup.network === 'regtest' || dueInSecs <= MAX_RETRY_SECS + MAX_AHEAD_SECS)
      const deposits = row.status === 'awaiting_deposit' ? readDeposits(this.#world, row.invoice_id) : []
      const isHeld = deposits.some(({ place, txid }) => place === 'dropped' && this.#world.network.mayBeMined(txid))
      if (!isOpen && !isDelayed && !isHeld)
        return `withdrawal ${short(row.public_id)} is ${row.status}, due at ${row.payout_due_at}, paid by ${row.paying_provider}`
    }
    return null
  }

  #fail(rule: Rule, { public_id: id }: WithdrawalRow, detail = ''): void {
    this.#world.fail(rule, `withdrawal ${short(id)}${detail && `: ${detail}`}`)
  }
}

/** Orders with these statuses have no deposit that was due for a payout. */
const NEVER_PAID: ReadonlySet<string> = new Set(['awaiting_deposit', 'deposit_detected', 'canceled', 'expired'])

function confirmationsOf({ place, height }: DepositRow, tip: number): number {
  return place === 'mined' ? tip - Number(height) + 1 : 0
}

function isSame(a: WithdrawalRow | undefined, b: WithdrawalRow): boolean {
  return (
    a !== undefined &&
    a.status === b.status &&
    a.received_zat === b.received_zat &&
    a.invoice_received === b.invoice_received &&
    a.invoice_status === b.invoice_status &&
    a.needs_attention === b.needs_attention &&
    a.paying_provider === b.paying_provider &&
    a.reference === b.reference
  )
}
