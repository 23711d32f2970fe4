import { blockSpacingSecs } from '@zatgate/server/domain/chain/network-upgrade'
import type { Rule } from '../../rules.ts'
import type { ServiceProcess } from '../../service/process.ts'
import { clockWasSet } from '../../world/clock-memory.ts'
import type { World } from '../../world/world.ts'
import { isSetAside } from '../poison/ledger.ts'
import { EventJudge, type Written } from './event-judge.ts'
import { type InvoiceRow, keyWatchedUntil, type Ledger, liveOf, type PaymentRow, readLedger, sumOf } from './ledger.ts'
import { isDeep, PaymentEvidence } from './payment-evidence.ts'
import { PaymentJudge } from './payment-judge.ts'
import { ReasonJudge } from './reason-judge.ts'
import { unreportedPayment, unsettledInvoice } from './settling.ts'
import { short } from './shop.ts'
import { isLawfulStep } from './steps.ts'
import { checkCanceled, checkStoredTerms, isEnough, restOf } from './terms-judge.ts'

/** A tip that is older than this number of block intervals counts as stalled. */
const STALLED_INTERVALS = 20

/** Checks invoices, payments and their events after every commit. */
export class SaleJudge {
  readonly #world: World
  readonly #payments: PaymentJudge
  readonly #events: EventJudge
  readonly #evidence: PaymentEvidence
  readonly reasons: ReasonJudge
  /** Until when the recorded blocks so far have not looked stalled, in Unix seconds. */
  #freshUntil = 0
  /** The state after the previous commit; null before the first one. */
  #before: Ledger | null = null

  constructor(world: World) {
    this.#world = world
    this.#payments = new PaymentJudge(world)
    this.#events = new EventJudge(world)
    this.#evidence = new PaymentEvidence(world)
    this.reasons = new ReasonJudge(world)
    // The state may go back once.
    world.onRestore(() => {
      this.#before = null
    })
  }

  check(): void {
    const ledger = readLedger(this.#world)
    const written = this.#events.readNew(this.#before === null)
    this.#payments.noteTip(ledger.tip)
    const patienceSecs = STALLED_INTERVALS * blockSpacingSecs(this.#world.params, ledger.tip)
    this.#freshUntil = Math.max(this.#freshUntil, ledger.tipTime + patienceSecs)
    for (const invoice of ledger.invoices) this.#checkInvoice(invoice, ledger, written)
    this.#evidence.noteSyncedTime(ledger)
    this.#before = ledger
  }

  /** A payment in the mempool that is not recorded; null when there is none. */
  unreported(): string | null {
    return unreportedPayment(this.#world, this.#evidence)
  }

  /** Why the invoices have not settled; null when they have. */
  unsettled(): string | null {
    return unsettledInvoice(this.#world, this.#evidence)
  }

  #checkInvoice(invoice: InvoiceRow, ledger: Ledger, written: Written): void {
    const payments = ledger.payments.get(invoice.id) ?? []
    for (const payment of payments) this.#payments.check(invoice, payment)
    if (!isSetAside(this.#world, 'invoice', invoice.public_id)) this.#checkAmounts(invoice, payments, ledger)
    const before = this.#before?.invoices.find(({ id }) => id === invoice.id)
    checkStoredTerms(this.#world, before, invoice)
    checkCanceled(this.#world, before, invoice)
    if (!before && this.#before && invoice.status !== 'pending') this.#fail('a new invoice is pending', invoice)
    if (!before && keyWatchedUntil(this.#world, invoice.viewing_key_id) < Number(invoice.watch_until))
      this.#fail('the viewing key of an invoice is watched as long as the invoice', invoice)
    if (!before) this.#world.transition('invoice', null, invoice.status)
    else if (before.status !== invoice.status) this.#checkTransition(before, invoice, payments, ledger)
    if (this.#before) this.#events.check(before, invoice, written)
    if (before && this.#before) this.#payments.checkDropped(invoice, payments, this.#before)
  }

  #checkAmounts(invoice: InvoiceRow, payments: readonly PaymentRow[], { tip }: Ledger): void {
    const { amount_zat: amount, received_zat: received, status } = invoice
    const expected = sumOf(liveOf(payments))
    if (received !== expected)
      this.#fail('received_zat counts every live payment once', invoice, `${received}, the payments give ${expected}`)
    const { due, excess } = restOf(invoice, received)
    if (invoice.due_zat !== due || invoice.overpaid_zat !== excess)
      this.#fail('due_zat is what is left to pay, overpaid_zat the excess', invoice, `${invoice.due_zat} left`)
    const consistent = {
      pending: !isEnough(invoice, received),
      detected: isEnough(invoice, received),
      paid: true,
      underpaid: received > 0n,
      expired: received === 0n || isEnough(invoice, received),
    }[status]
    if (!consistent)
      this.#fail('the status agrees with the amounts', invoice, `${status} with ${received} of ${amount}`)
    const kept =
      invoice.confirmations === 0n ? received : sumOf(payments.filter(({ location }) => location === 'mined'))
    const witnessed = this.#evidence.witnessedTip(tip)
    const confirmed = payments.filter(payment => isDeep(payment, witnessed, invoice))
    if (isEnough(invoice, sumOf(confirmed)) && status !== 'paid')
      this.#fail('a confirmed invoice is paid in the commit of its block', invoice, `${status} at ${tip}`)
    if ((invoice.needs_attention === 1n) !== (status === 'paid' && !isEnough(invoice, kept)))
      this.#fail('a paid invoice without its payments needs attention', invoice)
  }

  #checkTransition(before: InvoiceRow, invoice: InvoiceRow, payments: readonly PaymentRow[], ledger: Ledger): void {
    const { status, amount_zat: amount } = invoice
    this.#world.transition('invoice', before.status, status)
    this.reasons.noteChange(invoice)
    this.#world.story.tell(
      'database',
      `invoice ${short(invoice.public_id)}: ${before.status} → ${status}, ${invoice.received_zat} of ${amount} zat`,
    )
    if (!isLawfulStep(before.status, status))
      this.#fail('an invoice takes only the lawful steps', invoice, `${before.status} → ${status}`)
    const { served, useCases } = this.#world
    // A shared commit may also hold the reorganisation that removed the payment again, or shortened the chain above it.
    const isReorged = useCases > 1 && invoice.needs_attention === 1n
    const tip = useCases > 1 ? Math.max(ledger.tip, served.maxHeight) : ledger.tip
    if (status === 'paid' && !isReorged) {
      // Without required confirmations, a payment that is not in a block any more still counts as received.
      const wasMined = ({ txid, location }: PaymentRow) => {
        const mayBe = useCases > 1 && invoice.confirmations === 0n && location === 'mempool'
        return mayBe && served.blocksWith(txid).length > 0
      }
      const counted = payments.filter(it => this.#evidence.confirms(it, tip, invoice) || wasMined(it))
      const confirmed = sumOf(counted)
      if (!isEnough(invoice, confirmed))
        this.#fail('an invoice is paid by confirmed payments', invoice, `${confirmed} of ${amount} at ${ledger.tip}`)
    }
    const closed = status === 'expired' || status === 'underpaid'
    const wasOpen = before.status === 'pending' || before.status === 'detected'
    // A cancellation closes an invoice at once.
    if (closed && wasOpen && invoice.canceled_at === null) this.#checkClosed(invoice, ledger)
  }

  #checkClosed(invoice: InvoiceRow, ledger: Ledger): void {
    const { tip, tipHash } = ledger
    const { visibility, network, maxClockAheadMs, scheduler } = this.#world
    const expiresMs = Number(invoice.expires_at) * 1000
    if (scheduler.nowMs + this.#clockAheadMs() < expiresMs) this.#fail('no invoice expires before its time', invoice)
    if (this.#world.setup.network === 'test' && Number(invoice.expires_at) > this.#freshUntil + 1)
      this.#fail('no invoice expires by a chain that has stalled', invoice)
    // A shared commit may also hold a later report of the provider.
    if (invoice.kept_open === 1n && this.#world.useCases === 1)
      this.#fail('a swap with a deposit keeps its invoice open', invoice)
    const inTime = this.#evidence.paidBy(invoice, txid => {
      const since = visibility.since(txid)
      const wasShown = since !== null && since <= expiresMs - maxClockAheadMs
      return wasShown && this.#evidence.wasKnowable(txid, invoice) && !this.#evidence.hasExpired(txid, tip)
    })
    if (isEnough(invoice, inTime))
      this.#fail('nothing paid in time expires', invoice, `${inTime} zat could be seen in time`)
    const server = this.#evidence.serverOfPaymentInTime(invoice)
    if (server)
      this.#fail('nothing paid in time expires', invoice, `${server} had shown it when the synced time advanced`)
    if (network.branch[tip]?.hash !== tipHash) return
    // The same commit may record a payment after the decision.
    const earlier = this.#before?.payments.get(invoice.id) ?? []
    const recorded = new Set(earlier.map(({ txid }) => txid))
    const possible = this.#evidence.paidBy(
      invoice,
      txid => recorded.has(txid) && this.#evidence.expiryIsKnown(txid) && this.#evidence.canBeMined(txid),
    )
    const isWatched = Number(invoice.watch_until) * 1000 > scheduler.nowMs + this.#clockAheadMs()
    if (isEnough(invoice, possible) && isWatched)
      this.#fail('an invoice stays open while its recorded payments can be mined', invoice, `${possible} zat can`)
  }

  /** How far the clock that decided may have been ahead. */
  #clockAheadMs(): number {
    const { committer, maxClockAheadMs } = this.#world
    return clockWasSet(this.#world) ? maxClockAheadMs : Math.max(0, (committer as ServiceProcess).clock.errorMs)
  }

  #fail(rule: Rule, { public_id: id }: InvoiceRow, detail = ''): void {
    this.#world.fail(rule, `invoice ${short(id)}${detail && `: ${detail}`}`)
  }
}
