import type { ChainEvent } from '@zatgate/sandbox/chain/chain-state'
import { type Span, withoutGaps } from './spans.ts'

/** An invoice as the API answered its creation. */
export interface InvoiceFact {
  readonly id: string
  readonly amount: bigint
  readonly expiresAtMs: number
}

/** What the API must say of an invoice once everything has settled. */
export interface Expectation {
  readonly received: bigint
  readonly overpaid: bigint
  /** where the contract leaves a choice, for what happened was too short to be seen for sure, there are several */
  readonly statuses: ReadonlySet<string>
  /** ids of the transactions that count */
  readonly txids: ReadonlySet<string>
}

interface Payment {
  readonly txid: string
  readonly amount: bigint
}

interface Transaction {
  /** a height: in that block of the best chain */
  place: number | 'mempool' | 'gone'
  readonly live: Span[]
  liveSinceMs: number
}

const CONFIRMATIONS = 3
/**
 * A payment that vanishes and returns within this time must count all along: the contract drops it only "after a time and
 * a new block without it". Half of the 120 s that the service takes.
 */
const BRIDGED_MS = 60_000

/**
 * What each invoice must come to, by the contract alone: fed with what was paid, what the simulated chain did and when, and
 * what the API promised at creation. It knows nothing of the service and shares no code with it.
 */
export class Ledger {
  readonly #invoices = new Map<string, InvoiceFact & { readonly payments: Payment[]; wasConfirmed: boolean }>()
  readonly #transactions = new Map<string, Transaction>()
  #height = 0

  created(fact: InvoiceFact): void {
    this.#invoices.set(fact.id, { ...fact, payments: [], wasConfirmed: false })
  }

  /** A transaction that the chain already told of pays `amount` zat to an invoice. */
  paid(id: string, txid: string, amount: bigint): void {
    this.#invoices.get(id)!.payments.push({ txid, amount })
  }

  /** To be told of every event of the chain, in order. */
  observe(event: ChainEvent, atMs: number): void {
    switch (event.kind) {
      case 'transaction':
        this.#enter(event.transaction.id, atMs)
        break
      case 'evicted':
        this.#leave(event.id, atMs)
        break
      case 'block':
        this.#height = event.block.height
        for (const id of event.block.ids) this.#transactions.get(id)!.place = this.#height
        this.#noteConfirmed()
        break
      case 'disconnected':
        this.#height = event.height
        for (const transaction of this.#transactions.values()) {
          if (typeof transaction.place === 'number' && transaction.place > event.height) transaction.place = 'mempool'
        }
    }
  }

  expectation(id: string, nowMs: number): Expectation {
    const invoice = this.#invoices.get(id)!
    const live = invoice.payments.filter(({ txid }) => this.#transactions.get(txid)!.place !== 'gone')
    const received = sum(live)
    return {
      received,
      overpaid: received > invoice.amount ? received - invoice.amount : 0n,
      statuses: this.#statuses(id, received, nowMs),
      txids: new Set(live.map(({ txid }) => txid)),
    }
  }

  expiresAtMs(id: string): number {
    return this.#invoices.get(id)!.expiresAtMs
  }

  /** When the full amount was paid and alive, in the mempool or in blocks. */
  fullSpans(id: string): Span[] {
    const { payments, amount } = this.#invoices.get(id)!
    const steps = payments.flatMap(payment =>
      this.#liveSpans(payment.txid).flatMap(({ fromMs, toMs }) => [
        { atMs: fromMs, change: payment.amount },
        { atMs: toMs, change: -payment.amount },
      ]),
    )
    steps.sort((a, b) => a.atMs - b.atMs)
    const spans: Span[] = []
    let [total, fromMs] = [0n, null as number | null]
    for (const { atMs, change } of steps) {
      total += change
      if (total >= amount) fromMs ??= atMs
      else if (fromMs !== null) {
        if (atMs > fromMs) spans.push({ fromMs, toMs: atMs })
        fromMs = null
      }
    }
    return withoutGaps(spans, 0)
  }

  #statuses(id: string, received: bigint, nowMs: number): ReadonlySet<string> {
    const { amount, expiresAtMs, payments, wasConfirmed } = this.#invoices.get(id)!
    if (this.#confirmed(payments) >= amount) return new Set(['paid'])
    const paid = wasConfirmed ? ['paid'] : []
    if (nowMs < expiresAtMs) return new Set([...paid, received >= amount ? 'detected' : 'pending'])
    if (received >= amount) return new Set([...paid, 'detected', 'underpaid', 'expired'])
    if (received > 0n) return new Set([...paid, 'underpaid'])
    return new Set([...paid, 'expired', ...(payments.length > 0 ? ['underpaid'] : [])])
  }

  #confirmed(payments: readonly Payment[]): bigint {
    return sum(
      payments.filter(({ txid }) => {
        const { place } = this.#transactions.get(txid)!
        return typeof place === 'number' && this.#height - place + 1 >= CONFIRMATIONS
      }),
    )
  }

  #noteConfirmed(): void {
    for (const invoice of this.#invoices.values()) {
      invoice.wasConfirmed ||= this.#confirmed(invoice.payments) >= invoice.amount
    }
  }

  #enter(id: string, atMs: number): void {
    const live = this.#transactions.get(id)?.live ?? []
    this.#transactions.set(id, { place: 'mempool', live, liveSinceMs: atMs })
  }

  #leave(id: string, atMs: number): void {
    const transaction = this.#transactions.get(id)!
    transaction.live.push({ fromMs: transaction.liveSinceMs, toMs: atMs })
    transaction.place = 'gone'
  }

  #liveSpans(txid: string): Span[] {
    const { live, liveSinceMs, place } = this.#transactions.get(txid)!
    const now = place === 'gone' ? [] : [{ fromMs: liveSinceMs, toMs: Number.POSITIVE_INFINITY }]
    return withoutGaps([...live, ...now], BRIDGED_MS)
  }
}

function sum(payments: readonly Payment[]): bigint {
  return payments.reduce((total, { amount }) => total + amount, 0n)
}
