import { parseAddress } from '../../world/chain/note-scanner.ts'
import type { World } from '../../world/world.ts'
import { type EventRow, type InvoiceRow, type Ledger, liveOf, type PaymentRow, readLedger, sumOf } from './ledger.ts'
import { short } from './shop.ts'
import { isLawfulStep } from './steps.ts'

const NEW_EVENTS = 'SELECT seq, invoice_id, type, body FROM events WHERE seq > ? ORDER BY seq'

/** Checks invoices, payments and their events after every commit. */
export class SaleJudge {
  readonly #world: World
  readonly #checkedPayments = new Set<string>()
  #before: Ledger | null = null
  #lastSeq = 0n
  #syncedThrough = 0
  #highestTip = 0
  /** Invoices that were paid in time by what a server showed, with the transactions. */
  readonly #paidInTime = new Map<bigint, { readonly server: string; readonly txids: readonly string[] }>()

  constructor(world: World) {
    this.#world = world
  }

  /** A backup was restored: the state may go back once. */
  restored(): void {
    this.#before = null
    this.#lastSeq = 0n
    this.#checkedPayments.clear()
    this.#paidInTime.clear()
    this.#syncedThrough = 0
  }

  check(): void {
    const ledger = readLedger(this.#world)
    const events = this.#world.database.committed<EventRow>(NEW_EVENTS, this.#lastSeq)
    this.#highestTip = Math.max(this.#highestTip, ledger.tip)
    for (const invoice of ledger.invoices) this.#checkInvoice(invoice, ledger, events)
    this.#noteSyncedTime(ledger)
    this.#checkOrder(events)
    this.#before = ledger
  }

  #checkInvoice(invoice: InvoiceRow, ledger: Ledger, events: readonly EventRow[]): void {
    const payments = ledger.payments.get(invoice.id) ?? []
    for (const payment of payments) this.#checkPayment(invoice, payment)
    this.#checkAmounts(invoice, payments, ledger)
    const before = this.#before?.invoices.find(({ id }) => id === invoice.id)
    if (!before && this.#before && invoice.status !== 'pending') this.#fail('a new invoice is pending', invoice)
    if (!before) this.#world.transition('invoice', null, invoice.status)
    else if (before.status !== invoice.status) this.#checkTransition(before, invoice, payments, ledger)
    if (before) this.#checkEvents(before, invoice, events)
    if (before) this.#checkDropped(invoice, payments)
  }

  #checkAmounts(invoice: InvoiceRow, payments: readonly PaymentRow[], ledger: Ledger): void {
    const { amount_zat: amount, received_zat: received, status } = invoice
    const expected = sumOf(liveOf(payments))
    if (received !== expected)
      this.#fail('received_zat counts every live payment once', invoice, `${received}, the payments give ${expected}`)
    if (invoice.overpaid_zat !== (received > amount ? received - amount : 0n))
      this.#fail('overpaid_zat is the excess', invoice)
    const consistent = {
      pending: received < amount,
      detected: received >= amount,
      paid: true,
      underpaid: received > 0n,
      expired: received === 0n || received >= amount,
    }[status]
    if (!consistent)
      this.#fail('the status agrees with the amounts', invoice, `${status} with ${received} of ${amount}`)
    const kept = invoice.confirmations === 0n ? received : sumOf(payments.filter(({ place }) => place === 'mined'))
    const confirmed = payments.filter(payment => isDeep(payment, ledger.tip, invoice))
    if (sumOf(confirmed) >= amount && status !== 'paid')
      this.#fail('a confirmed invoice is paid in the commit of its block', invoice, `${status} at ${ledger.tip}`)
    if ((invoice.needs_attention === 1n) !== (status === 'paid' && kept < amount))
      this.#fail('a paid invoice without its payments needs attention', invoice)
  }

  /** Each payment is a real note to the address of the invoice that a server has shown, where it is said to be. */
  #checkPayment(invoice: InvoiceRow, payment: PaymentRow): void {
    const { txid, pool, output_index: index, value_zat: value, place, height } = payment
    const location = `${payment.id} ${place} ${height} ${this.#headerHash(height)}`
    if (this.#checkedPayments.has(location)) return
    this.#checkedPayments.add(location)
    const payee = parseAddress(invoice.address)
    const note = this.#world.network.transactions
      .get(txid)
      ?.notes.find(
        candidate =>
          candidate.outputIndex === Number(index) &&
          candidate.pool === pool &&
          candidate.viewingKey === payee?.viewingKey &&
          candidate.diversifierIndex === payee.diversifierIndex,
      )
    if (note?.valueZat !== value) this.#fail('a payment is a note to the address of its invoice', invoice, txid)
    const { served } = this.#world
    if (!served.wasInMempool(txid) && served.blocksWith(txid).length === 0)
      this.#fail('a payment was shown by a server', invoice, txid)
    if (place !== 'mined') return
    const block = served.blockByHash(this.#headerHash(height))
    if (!block?.transactions.some(transaction => transaction.txid === txid))
      this.#fail('a mined payment is in the recorded block of its height', invoice, `${txid} at ${height}`)
    const required = this.#poolAt(Number(height))
    if (pool !== required) this.#fail('only the pool in force at a height counts', invoice, `${pool} at ${height}`)
  }

  #checkTransition(before: InvoiceRow, invoice: InvoiceRow, payments: readonly PaymentRow[], ledger: Ledger): void {
    const { status } = invoice
    this.#world.transition('invoice', before.status, status)
    this.#world.story.tell(
      'database',
      `invoice ${short(invoice.public_id)}: ${before.status} → ${status}, ${invoice.received_zat} of ${invoice.amount_zat} zat`,
    )
    if (!isLawfulStep(before.status, status))
      this.#fail('an invoice takes only the lawful steps', invoice, `${before.status} → ${status}`)
    if (status === 'paid') this.#checkPaid(invoice, payments, ledger)
    const closed = status === 'expired' || status === 'underpaid'
    if (closed && (before.status === 'pending' || before.status === 'detected')) this.#checkClosed(invoice, ledger)
  }

  #checkPaid(invoice: InvoiceRow, payments: readonly PaymentRow[], { tip }: Ledger): void {
    const confirmed = payments.filter(
      payment =>
        isDeep(payment, tip, invoice) ||
        (invoice.confirmations === 0n && payment.place === 'mempool' && this.#wasShownLately(payment.txid)),
    )
    if (sumOf(confirmed) < invoice.amount_zat)
      this.#fail(
        'an invoice is paid by confirmed payments',
        invoice,
        `${sumOf(confirmed)} of ${invoice.amount_zat} at ${tip}`,
      )
  }

  #checkClosed(invoice: InvoiceRow, ledger: Ledger): void {
    const { visibility, network, maxClockAheadMs, scheduler } = this.#world
    const expiresMs = Number(invoice.expires_at) * 1000
    if (scheduler.nowMs + maxClockAheadMs < expiresMs) this.#fail('no invoice expires before its time', invoice)
    if (invoice.kept_open === 1n) this.#fail('a swap with a deposit keeps its invoice open', invoice)
    const inTime = this.#paidBy(invoice, txid => {
      const since = visibility.since(txid)
      return since !== null && since <= expiresMs - maxClockAheadMs
    })
    if (inTime >= invoice.amount_zat)
      this.#fail(
        'nothing paid in time expires',
        invoice,
        `${inTime} of ${invoice.amount_zat} zat could be seen in time`,
      )
    const evidence = this.#paidInTime.get(invoice.id)
    if (evidence?.txids.every(txid => visibility.sinceOn(evidence.server, txid) !== null))
      this.#fail(
        'nothing paid in time expires',
        invoice,
        `${evidence.server} showed its payments when the synced time advanced`,
      )
    if (network.branch[ledger.tip]?.hash !== ledger.tipHash) return
    // The same commit may record a payment after the decision.
    const earlier = this.#before?.payments.get(invoice.id) ?? []
    const recorded = new Set(earlier.map(({ txid }) => txid))
    const possible = this.#paidBy(invoice, txid => recorded.has(txid) && this.#canBeMined(txid))
    if (possible >= invoice.amount_zat)
      this.#fail('an invoice stays open while its recorded payments can be mined', invoice, `${possible} zat can`)
  }

  /** The amount of the notes to the invoice's address in the transactions that qualify. */
  #paidBy(invoice: InvoiceRow, qualifies: (txid: string) => boolean): bigint {
    const payee = parseAddress(invoice.address)
    const pool = this.#poolAt(this.#world.network.height + 1)
    let sum = 0n
    for (const { txid, notes } of this.#world.network.transactions.values()) {
      const own = notes.filter(
        note => note.diversifierIndex === payee?.diversifierIndex && note.viewingKey === payee.viewingKey,
      )
      if (own.length === 0 || !qualifies(txid)) continue
      const minedHeight = this.#world.network.minedAt(txid)
      const counted = minedHeight === null ? pool : this.#poolAt(minedHeight)
      for (const note of own) if (note.pool === counted) sum += note.valueZat
    }
    return sum
  }

  #canBeMined(txid: string): boolean {
    const { network, visibility } = this.#world
    const transaction = network.transactions.get(txid)
    if (!transaction || visibility.missed.has(txid)) return false
    return (
      network.minedAt(txid) !== null ||
      (network.isMinable(transaction, network.height + 1) && !network.isSpent(transaction))
    )
  }

  /** A payment that every server shows is not dropped. */
  #checkDropped(invoice: InvoiceRow, payments: readonly PaymentRow[]): void {
    const earlier = this.#before?.payments.get(invoice.id) ?? []
    for (const { id, txid, place } of payments) {
      const before = earlier.find(payment => payment.id === id)
      if (before?.place !== place) this.#world.transition('payment', before?.place ?? null, place)
      if (place !== 'dropped' || before?.place === 'dropped') continue
      this.#checkAbsence(invoice, txid)
      const since = this.#world.visibility.shownSince(txid)
      if (since !== null && this.#world.scheduler.nowMs - since > DROP_MARGIN_MS)
        this.#fail('a payment that every server shows is not dropped', invoice, txid)
    }
  }

  /** A payment is dropped after an absence of two minutes, or once it can not be mined any more. */
  #checkAbsence(invoice: InvoiceRow, txid: string): void {
    const { network, served, scheduler, clocksChangedMs } = this.#world
    const expiryHeight = network.transactions.get(txid)?.expiryHeight ?? 0
    if (expiryHeight !== 0 && expiryHeight <= this.#highestTip) return
    const lastMs = served.lastInMempoolMs(txid)
    if (lastMs === null || scheduler.nowMs - clocksChangedMs < CLOCK_MEMORY_MS) return
    if (scheduler.nowMs - lastMs < MIN_ABSENCE_MS)
      this.#fail(
        'a payment leaves the count only after two minutes without it',
        invoice,
        `${txid} was shown ${scheduler.nowMs - lastMs} ms ago`,
      )
  }

  #wasShownLately(txid: string): boolean {
    const lastMs = this.#world.served.lastInMempoolMs(txid)
    return lastMs !== null && this.#world.scheduler.nowMs - lastMs <= SHOWN_LATELY_MS
  }

  /**
   * When the synced time passes the expiry of an invoice, all payments that the read server has shown since before are
   * known. Remembers the invoices that are paid in time by this evidence.
   */
  #noteSyncedTime(ledger: Ledger): void {
    const { database, served, visibility, committer, maxClockAheadMs } = this.#world
    const [row] = database.committed<{ value: bigint }>("SELECT value FROM counters WHERE name = 'seen_through'")
    const through = Number(row?.value ?? 0n)
    const before = this.#syncedThrough
    this.#syncedThrough = through
    const server = committer && served.serverOf(committer)
    if (through <= before || !server) return
    for (const invoice of ledger.invoices) {
      const expires = Number(invoice.expires_at)
      if (invoice.status !== 'pending' || expires > through || expires <= before) continue
      const known = new Set<string>()
      const inTime = this.#paidBy(invoice, txid => {
        const since = visibility.sinceOn(server, txid)
        const counts = since !== null && since <= expires * 1000 - maxClockAheadMs
        if (counts) known.add(txid)
        return counts
      })
      if (inTime >= invoice.amount_zat) this.#paidInTime.set(invoice.id, { server, txids: [...known] })
    }
  }

  /** Every visible change has its event in the same commit, and every event its change. */
  #checkEvents(before: InvoiceRow, invoice: InvoiceRow, events: readonly EventRow[]): void {
    const own = events.filter(({ invoice_id }) => invoice_id === invoice.id)
    const changed = before.status !== invoice.status || before.received_zat !== invoice.received_zat
    if (changed && own.length === 0) this.#fail('a change and its event are one commit', invoice)
    if (invoice.purpose !== 'sale') return
    const count = (type: string) => own.filter(event => event.type === type).length
    const becomes = (status: string) => invoice.status === status && before.status !== status
    if (count('invoice.paid') !== (becomes('paid') ? 1 : 0))
      this.#fail('invoice.paid is raised once, when the invoice is paid', invoice)
    const firstUnderpaid = becomes('underpaid') && before.underpaid_at === null
    if (count('invoice.underpaid') !== (firstUnderpaid ? 1 : 0)) this.#fail('invoice.underpaid is raised once', invoice)
    for (const { body, type } of own) {
      if (body === null || type === null || !type.startsWith('invoice.')) continue
      const { status, received_zat: received } = JSON.parse(body)
      if (this.#world.useCases === 1 && (status !== invoice.status || BigInt(received) !== invoice.received_zat))
        this.#fail('an event tells the state of its commit', invoice, body)
    }
  }

  /** The order of the events is the order of the commits. */
  #checkOrder(events: readonly EventRow[]): void {
    for (const { seq } of events) {
      if (seq !== this.#lastSeq + 1n && this.#before !== null)
        this.#world.fail('events are numbered in the order of the commits', `${seq} follows ${this.#lastSeq}`)
      this.#lastSeq = seq
    }
  }

  #headerHash(height: bigint | null): string {
    if (height === null) return ''
    const [row] = this.#world.database.committed<{ hash: string }>('SELECT hash FROM headers WHERE height = ?', height)
    return row?.hash ?? ''
  }

  #poolAt(height: number): string {
    return this.#world.network.poolAt(height)
  }

  #fail(rule: string, { public_id: id }: InvoiceRow, detail = ''): void {
    this.#world.fail(rule, `invoice ${short(id)}${detail && `: ${detail}`}`)
  }

  /**
   * Why the invoices have not settled: amounts and statuses that the present chain does not justify. Called after all
   * faults have ended.
   */
  unsettled(): string | null {
    const ledger = readLedger(this.#world)
    const { network, nowSecs } = this.#world
    if (ledger.tip !== network.height)
      return `the recorded chain ends at ${ledger.tip}, the network at ${network.height}`
    for (const invoice of ledger.invoices) {
      const about = `invoice ${short(invoice.public_id)} is ${invoice.status} with ${invoice.received_zat} zat`
      const received = this.#paidBy(invoice, txid => network.mempool.has(txid) || network.minedAt(txid) !== null)
      if (invoice.received_zat !== received) return `${about}, although ${received} were received`
      const confirmed = this.#paidBy(invoice, txid => this.#confirmations(txid) >= Number(invoice.confirmations))
      if (confirmed >= invoice.amount_zat && invoice.status !== 'paid') return `${about}, although it is paid`
      const overdue = Number(invoice.expires_at) + 60 < nowSecs && invoice.kept_open === 0n
      if (overdue && invoice.status === 'pending') return `${about}, although it is overdue`
    }
    return null
  }

  #confirmations(txid: string): number {
    const { network } = this.#world
    const height = network.minedAt(txid)
    if (height !== null) return network.height - height + 1
    return network.mempool.has(txid) ? 0 : -1
  }
}

/** Whether a payment is mined and has the confirmations that the invoice requires. */
function isDeep({ place, height }: PaymentRow, tip: number, { confirmations }: InvoiceRow): boolean {
  return place === 'mined' && tip - Number(height) + 1 >= Number(confirmations)
}

/** The shortest absence after which a payment may be dropped, less the time that a list may be old. */
const MIN_ABSENCE_MS = 115_000

/** A list may be 2 s old, and a sync takes a while. */
const SHOWN_LATELY_MS = 30_000

/** The service may have decided just before the transaction became visible again. */
const DROP_MARGIN_MS = 10_000

/** A wrong clock may have recorded the beginning of an absence this long ago. */
const CLOCK_MEMORY_MS = 600_000
