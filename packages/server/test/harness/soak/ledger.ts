import type { ChainEvent } from '@zatgate/sandbox/chain/chain-state'
import { type Span, withoutGaps } from './spans.ts'

/** An invoice as returned by its creation. */
export interface CreatedInvoice {
  readonly id: string
  readonly amount: bigint
  readonly expiresAtMs: number
}

/** The values that the API must return for an invoice once the run has settled. */
export interface Expectation {
  readonly received: bigint
  readonly overpaid: bigint
  /** Several statuses where the contract allows them, because an event was too short to be detected reliably. */
  readonly statuses: ReadonlySet<string>
  /** The ids of the transactions that count. */
  readonly txids: ReadonlySet<string>
}

interface Payment {
  readonly txid: string
  readonly amount: bigint
}

interface Transaction {
  /** A number is the height of its block in the best chain. */
  location: number | 'mempool' | 'gone'
  readonly live: Span[]
  liveSinceMs: number
}

const CONFIRMATIONS = 3
/**
 * A payment that disappears and returns within this time must count throughout, because the contract drops it only "after
 * a time and a new block without it". Half of the service's 120 s.
 */
const MAX_GAP_MS = 60_000

/**
 * The expected result of each invoice, derived only from the contract: from the payments, the events of the simulated chain
 * and the terms returned at creation. It shares no code with the service.
 */
export class Ledger {
  readonly #invoices = new Map<string, CreatedInvoice & { readonly payments: Payment[]; wasConfirmed: boolean }>()
  readonly #transactions = new Map<string, Transaction>()
  #height = 0

  created(invoice: CreatedInvoice): void {
    this.#invoices.set(invoice.id, { ...invoice, payments: [], wasConfirmed: false })
  }

  /** Records that a transaction already observed pays `amount` zat to an invoice. */
  paid(id: string, txid: string, amount: bigint): void {
    this.#invoices.get(id)!.payments.push({ txid, amount })
  }

  /** Must be called for every chain event, in order. */
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
        for (const id of event.block.ids) this.#transactions.get(id)!.location = this.#height
        this.#noteConfirmed()
        break
      case 'disconnected':
        this.#height = event.height
        for (const transaction of this.#transactions.values()) {
          if (typeof transaction.location === 'number' && transaction.location > event.height)
            transaction.location = 'mempool'
        }
    }
  }

  expectation(id: string, nowMs: number): Expectation {
    const invoice = this.#invoices.get(id)!
    const live = invoice.payments.filter(({ txid }) => this.#transactions.get(txid)!.location !== 'gone')
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

  /** The times at which live payments, in the mempool or in blocks, covered the full amount. */
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
        const { location } = this.#transactions.get(txid)!
        return typeof location === 'number' && this.#height - location + 1 >= CONFIRMATIONS
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
    this.#transactions.set(id, { location: 'mempool', live, liveSinceMs: atMs })
  }

  #leave(id: string, atMs: number): void {
    const transaction = this.#transactions.get(id)!
    transaction.live.push({ fromMs: transaction.liveSinceMs, toMs: atMs })
    transaction.location = 'gone'
  }

  #liveSpans(txid: string): Span[] {
    const { live, liveSinceMs, location } = this.#transactions.get(txid)!
    const now = location === 'gone' ? [] : [{ fromMs: liveSinceMs, toMs: Number.POSITIVE_INFINITY }]
    return withoutGaps([...live, ...now], MAX_GAP_MS)
  }
}

function sum(payments: readonly Payment[]): bigint {
  return payments.reduce((total, { amount }) => total + amount, 0n)
}
