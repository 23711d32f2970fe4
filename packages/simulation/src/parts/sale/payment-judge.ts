import type { Rule } from '../../rules.ts'
import { parseAddress } from '../../world/chain/note-scanner.ts'
import type { World } from '../../world/world.ts'
import { type InvoiceRow, isKeyDeleted, type Ledger, type PaymentRow } from './ledger.ts'
import { short } from './shop.ts'

/** The shortest absence after which a payment may be dropped, less the time that a list may be old. */
const MIN_ABSENCE_MS = 115_000

/** The service may have decided just before the transaction became visible again. */
const DROP_MARGIN_MS = 10_000

/** A wrong clock may have recorded the beginning of an absence this long ago. */
const CLOCK_MEMORY_MS = 600_000

/** Checks that payments are real, are where the database says, and are dropped only after an absence. */
export class PaymentJudge {
  readonly #world: World
  /** Payments in a place that has been checked. */
  readonly #checked = new Set<string>()
  #highestTip = 0

  constructor(world: World) {
    this.#world = world
    world.onRestore(() => this.#checked.clear())
  }

  /** Records how far the service has seen the chain. */
  noteTip(tip: number): void {
    this.#highestTip = Math.max(this.#highestTip, tip)
  }

  /** Each payment is a real note to the address of the invoice that a server has shown, in the recorded place. */
  check(invoice: InvoiceRow, payment: PaymentRow): void {
    const { txid, pool, output_index: index, value_zat: value, location, height } = payment
    const checked = `${payment.id} ${location} ${height} ${this.#headerHash(height)}`
    if (this.#checked.has(checked)) return
    this.#checked.add(checked)
    const { network, served } = this.#world
    const payee = parseAddress(invoice.address)
    const note = network.transactions
      .get(txid)
      ?.notes.find(
        candidate =>
          candidate.outputIndex === Number(index) &&
          candidate.pool === pool &&
          candidate.viewingKey === payee?.viewingKey &&
          candidate.diversifierIndex === payee.diversifierIndex,
      )
    if (note?.valueZat !== value) this.#fail('a payment is a note to the address of its invoice', invoice, txid)
    if (!served.wasInMempool(txid) && served.blocksWith(txid).length === 0)
      this.#fail('a payment was shown by a server', invoice, txid)
    if (location !== 'mined') return
    // Only the newest 1,000 headers are kept.
    const hash = this.#headerHash(height)
    const block = hash === '' ? network.branch[Number(height)] : served.blockByHash(hash)
    if (!block?.transactions.some(transaction => transaction.txid === txid))
      this.#fail('a mined payment is in the recorded block of its height', invoice, `${txid} at ${height}`)
    if (pool !== network.poolAt(Number(height)))
      this.#fail('only the pool in force at a height counts', invoice, `${pool} at ${height}`)
  }

  /** A payment that every server shows is not dropped. */
  checkDropped(invoice: InvoiceRow, payments: readonly PaymentRow[], ledgerBefore: Ledger): void {
    const earlier = new Map(ledgerBefore.payments.get(invoice.id)?.map(payment => [payment.id, payment]))
    for (const { id, txid, location } of payments) {
      const before = earlier.get(id)
      if (before?.location !== location) this.#world.transition('payment', before?.location ?? null, location)
      if (location !== 'dropped' || before?.location === 'dropped') continue
      if (this.#hasExpired(txid)) continue
      // The payment of a deleted key is seen no more when a reorganisation has removed it.
      if (isKeyDeleted(this.#world, invoice.viewing_key_id)) continue
      this.#checkAbsence(invoice, txid, before?.vanished_since ?? null)
      const since = this.#clocksDiffer() ? null : this.#world.visibility.shownSince(txid)
      if (since !== null && this.#world.scheduler.nowMs - since > DROP_MARGIN_MS)
        this.#fail('a payment that every server shows is not dropped', invoice, txid)
    }
  }

  /** Whether a recorded block, possibly of a fork, is at the last height that may contain the transaction. */
  #hasExpired(txid: string): boolean {
    const expiryHeight = this.#world.network.transactions.get(txid)?.expiryHeight ?? 0
    return expiryHeight !== 0 && expiryHeight <= this.#highestTip
  }

  /** A payment that has not expired is dropped after an absence of two minutes. */
  #checkAbsence(invoice: InvoiceRow, txid: string, vanishedSince: bigint | null): void {
    const { served, scheduler, clocksChangedMs, clockErrors, committer } = this.#world
    // A list may drop it before the process has recorded that a stream shows it again.
    const lastMs = vanishedSince === null ? served.lastShownMs(committer, txid) : served.lastReadMs(committer, txid)
    if (lastMs === null || scheduler.nowMs - clocksChangedMs < CLOCK_MEMORY_MS) return
    const absenceMs = scheduler.nowMs - lastMs
    // One process may record the beginning of an absence, and another one its end.
    if (absenceMs < MIN_ABSENCE_MS - (clockErrors.maxMs - clockErrors.minMs))
      this.#fail('a payment is dropped only after two minutes without it', invoice, `${txid}, ${absenceMs} ms ago`)
  }

  /** Whether clocks that block times do not refute are so far apart that a list of a moment ago may drop a payment. */
  #clocksDiffer(): boolean {
    const errorsMs = [...this.#world.clockErrors.seenMs].filter(errorMs => !this.#world.isRefuted(errorMs))
    return Math.max(...errorsMs) - Math.min(...errorsMs) >= MIN_ABSENCE_MS - DROP_MARGIN_MS
  }

  #headerHash(height: bigint | null): string {
    if (height === null) return ''
    const [row] = this.#world.database.committed<{ hash: string }>('SELECT hash FROM headers WHERE height = ?', height)
    return row?.hash ?? ''
  }

  #fail(rule: Rule, { public_id: id }: InvoiceRow, detail: string): void {
    this.#world.fail(rule, `invoice ${short(id)}: ${detail}`)
  }
}
