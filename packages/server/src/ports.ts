/** Everything the service needs from the world, on one page. The rows of each noun are in `ports/<noun>.ts`. */
import type { AccountRows, ApiKeyRows, SessionRows, UsageRows } from './ports/account.ts'
import type { ChainRows } from './ports/chain.ts'
import type { EventRows } from './ports/event.ts'
import type { IdempotencyRows, InvoiceRows, PaymentRows } from './ports/invoice.ts'
import type { ViewingKeyRows } from './ports/viewing-key.ts'

export type { Chain, Viewer } from './ports/chain.ts'
export type { Log } from './ports/log.ts'
export type { WatchMeter } from './ports/watch-meter.ts'

/** The tables, as one transaction sees them. */
export interface Rows {
  readonly accounts: AccountRows
  readonly apiKeys: ApiKeyRows
  readonly sessions: SessionRows
  readonly usage: UsageRows
  readonly viewingKeys: ViewingKeyRows
  readonly invoices: InvoiceRows
  readonly payments: PaymentRows
  readonly idempotency: IdempotencyRows
  readonly chain: ChainRows
  readonly events: EventRows
  /** Wakes the listeners of a topic, in every process, once the transaction is committed; lost with it. */
  wake(topic: Topic): void
}

/** What a process can be woken for. A wake is a hint, never the data: everyone also looks by the clock. */
export const TOPICS = ['events', 'deliveries', 'swaps'] as const
export type Topic = (typeof TOPICS)[number]

export interface Store {
  /** One consistent read. */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>
  /**
   * One durable transaction: resolved only once it is committed, rejected with nothing changed. `work` may run more
   * than once (a deadlock, a serialisation failure), so it has no effect of its own, and must wait for nothing but
   * these rows.
   */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>
  listen(topic: Topic, wake: () => void): () => void
  /** A consistent copy into a new file, while running. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Random {
  bytes(count: number): Uint8Array
  /** UUIDv4. */
  uuid(): string
}

/** Seals secrets for the place where they rest; a secret moved elsewhere does not open. */
export interface Vault {
  seal(secret: Uint8Array, place: Place): Uint8Array
  /** @throws when the bytes were changed, moved, or sealed under another key. */
  open(sealed: Uint8Array, place: Place): Uint8Array
}

export interface Place {
  readonly table: string
  readonly column: string
  readonly row: number
}

/** Seconds, as the API and the tables have them. */
export function nowSecs(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}
