import type { Rule } from '../../rules.ts'
import { transitionsOf } from '../../run/part.ts'
import type { World } from '../../world/world.ts'
import { NewEvents } from '../event/new-events.ts'
import { isRemembered } from '../sale/idempotency.ts'
import { short } from '../sale/shop.ts'
import { isLeaving, isRoundedUp } from '../sale/terms-judge.ts'
import {
  findWrongDay,
  isFixed,
  type RefundEvent,
  type RefundRow,
  readConfirmed,
  readRefunds,
  refundEventsOf,
} from './ledger.ts'

const STEPS: Readonly<Record<string, readonly string[]>> = {
  '·': ['awaiting_address', 'ready'],
  awaiting_address: ['ready', 'canceled'],
  ready: ['sent', 'canceled'],
}

/** All allowed changes, for the coverage. */
export const REFUND_TRANSITIONS = transitionsOf('refund', STEPS)

const TERMS = ['invoice', 'amount_zat', 'price', 'rate', 'reason', 'link_id', 'key'] as const

const ADDRESS_RULE = 'the address of a refund changes until the merchant sees it'

/** Checks refunds after every commit, and what merchants have seen of them. */
export class RefundJudge {
  readonly #world: World
  #hasStarted = false
  #before: ReadonlyMap<string, RefundRow> | null = new Map()
  readonly #newEvents: NewEvents
  /** By refund, the address that its merchant has been shown. */
  readonly #shown = new Map<string, string>()
  /** By refund, when it was seen in the database first; Unix milliseconds. */
  readonly #sinceMs = new Map<string, number>()
  /** Open requests by what they may show: a refund, all of an invoice, or all of an email's account. */
  readonly #showing = new Map<string, number>()
  /** By invoice, the most that was confirmed while the open requests for a refund have run. */
  readonly #mostConfirmed = new Map<string, { zat: bigint; requests: number }>()

  constructor(world: World) {
    this.#world = world
    this.#newEvents = new NewEvents(world)
    // The state may go back once.
    world.onRestore(() => {
      this.#before = null
      this.#shown.clear()
      this.#sinceMs.clear()
    })
  }

  /** Runs a request whose answer may show the addresses of a refund, of an invoice, or of an email's account. */
  async showing<T>(scopes: readonly string[], work: () => Promise<T>): Promise<T> {
    this.#hasStarted = true
    const add = (change: number) => {
      for (const scope of scopes) this.#showing.set(scope, (this.#showing.get(scope) ?? 0) + change)
    }
    add(1)
    return work().finally(() => add(-1))
  }

  /** Runs a request for a refund of an invoice. A repeat shows its address. */
  async creating<T>(invoice: string, work: () => Promise<T>): Promise<T> {
    const most = this.#mostConfirmed.get(invoice) ?? { zat: 0n, requests: 0 }
    this.#mostConfirmed.set(invoice, most)
    most.requests += 1
    this.#note(readConfirmed(this.#world))
    return this.showing([invoice], work).finally(() => {
      most.requests -= 1
      if (most.requests === 0) this.#mostConfirmed.delete(invoice)
    })
  }

  /** An answer has shown the address of a refund to its merchant. */
  saw(publicId: string, address: string): void {
    const earlier = this.#shown.get(publicId)
    if (earlier !== undefined && earlier !== address)
      this.#world.fail(ADDRESS_RULE, `refund ${short(publicId)}: ${earlier}, now ${address}`)
    this.#shown.set(publicId, address)
  }

  check(): void {
    if (!this.#hasStarted) return
    const rows = readRefunds(this.#world)
    const confirmed = readConfirmed(this.#world)
    this.#note(confirmed)
    const before = this.#before
    const events = refundEventsOf(this.#newEvents.read())
    this.#before = new Map(rows.map(row => [row.public_id, row]))
    const byRefund = Map.groupBy(events, ({ refund_id: id }) => id)
    for (const row of rows) {
      if (before) this.#checkChange(before.get(row.public_id), row, byRefund.get(row.public_id) ?? [])
      if (before && !before.has(row.public_id)) this.#checkNew(row, rows)
      this.checkState(row)
    }
    for (const [id, row] of before ?? [])
      if (!this.#before.has(id) && !isLeaving(this.#world, row))
        this.#fail('a refund has the terms of its request', row)
    for (const ofInvoice of Map.groupBy(rows, ({ invoice }) => invoice).values())
      this.#checkSums(ofInvoice, confirmed, before)
    const wrongDay = findWrongDay(this.#world)
    if (wrongDay !== null) this.#world.fail('refunded_zat is the sum of the sent refunds', wrongDay)
  }

  /** Checks a refund against its status and what was shown. */
  checkState(row: RefundRow): void {
    const { public_id: id, status, address, txid } = row
    const shown = this.#shown.get(id)
    if (shown !== undefined && shown !== address) this.#fail(ADDRESS_RULE, row, `${shown}, now ${address}`)
    const hasAddress = { awaiting_address: address === null, canceled: true }[status] ?? address !== null
    if (!hasAddress || (txid !== null) !== (status === 'sent'))
      this.#fail('a refund takes only the lawful steps', row, `${status} with address ${address} and txid ${txid}`)
  }

  /** The events lead from the old status to the new one. Only a later address has none. */
  #checkChange(before: RefundRow | undefined, row: RefundRow, events: readonly RefundEvent[]): void {
    let status = before?.status ?? null
    for (const event of events) {
      const isLawful = STEPS[status ?? '·']?.includes(event.status) ?? false
      if (!isLawful && event.status !== status)
        this.#fail('a refund takes only the lawful steps', row, `${status} → ${event.status}`)
      const txid = event.status === 'sent' ? row.txid : null
      if (event.status === status || BigInt(event.amount_zat) !== row.amount_zat || event.txid !== txid)
        this.#fail('a change of a refund and refund.updated are one commit', row, JSON.stringify(event))
      this.#world.transition('refund', status, event.status)
      this.#world.story.tell('database', `refund ${short(row.public_id)}: ${status ?? '·'} → ${event.status}`)
      status = event.status
    }
    if (status !== row.status)
      this.#fail('a change of a refund and refund.updated are one commit', row, `${status} → ${row.status}`)
    if (before) this.#checkKept(before, row)
  }

  #checkKept(before: RefundRow, row: RefundRow): void {
    const changed = TERMS.find(column => before[column] !== row[column])
    if (changed) this.#fail('a refund has the terms of its request', row, changed)
    if (before.txid !== null && before.txid !== row.txid)
      this.#fail('a refund takes only the lawful steps', row, `${before.txid}, now ${row.txid}`)
    if (isFixed(before) && before.address !== row.address)
      this.#fail(ADDRESS_RULE, row, `${before.address}, now ${row.address}`)
    const isSeenNow = before.seen_at === null && row.seen_at !== null
    if (isSeenNow && ![row.public_id, row.invoice, row.email].some(scope => this.#showing.get(scope)))
      this.#fail(ADDRESS_RULE, row, 'nothing has shown it')
  }

  #checkNew(row: RefundRow, rows: readonly RefundRow[]): void {
    this.#sinceMs.set(row.public_id, this.#world.scheduler.nowMs)
    if (row.price !== null && !isRoundedUp(row))
      this.#fail('a price is rounded up to the zat', row, `${row.price} at ${row.rate}: ${row.amount_zat}`)
    if (row.key === null) return
    const isRepeated = rows.some(
      ({ public_id: id, account_id: account, key }) =>
        id !== row.public_id &&
        account === row.account_id &&
        key === row.key &&
        isRemembered(this.#world, this.#sinceMs.get(id) ?? Number.NEGATIVE_INFINITY),
    )
    if (isRepeated) this.#fail('a repeated request returns its refund', row, row.key)
  }

  /** @param rows the refunds of one invoice */
  #checkSums(
    rows: readonly RefundRow[],
    confirmed: ReadonlyMap<string, bigint>,
    before: ReadonlyMap<string, RefundRow> | null,
  ): void {
    const [row] = rows as [RefundRow]
    const sentZat = sumOf(rows.filter(({ status }) => status === 'sent'))
    if ((row.refunded ?? 0n) !== sentZat && !isLeaving(this.#world, row))
      this.#fail('refunded_zat is the sum of the sent refunds', row, `${row.refunded} of ${sentZat}`)
    if (!before || rows.every(({ public_id: id }) => before.has(id))) return
    const heldZat = sumOf(rows.filter(({ status }) => status !== 'canceled'))
    // A block may come, or go, between the decision and its commit.
    const limitZat = this.#mostConfirmed.get(row.invoice)?.zat ?? confirmed.get(row.invoice) ?? 0n
    if (heldZat > limitZat)
      this.#fail('the refunds of an invoice never exceed its confirmed payments', row, `${heldZat} of ${limitZat}`)
  }

  #note(confirmed: ReadonlyMap<string, bigint>): void {
    for (const [invoice, most] of this.#mostConfirmed) {
      const zat = confirmed.get(invoice) ?? 0n
      if (zat > most.zat) most.zat = zat
    }
  }

  #fail(rule: Rule, { public_id: id }: RefundRow, detail = ''): void {
    this.#world.fail(rule, `refund ${short(id)}${detail && `: ${detail}`}`)
  }
}

function sumOf(rows: readonly RefundRow[]): bigint {
  return rows.reduce((sum, { amount_zat: zat }) => sum + zat, 0n)
}
