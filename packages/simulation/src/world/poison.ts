import type { Vault } from '@zatgate/server/ports/vault'
import { REFUSED_ROW } from '../store/refused-rows.ts'

/** The kinds of poisoned rows. All but payments are set aside by these names; of a payment, its viewing key is. */
export type PoisonKind = 'invoice' | 'delivery' | 'scan_key' | 'webhook' | 'endpoint' | 'payment'

/** A row that the service cannot process for a while. */
export interface PoisonedRow {
  readonly kind: PoisonKind
  /** By which the service names the row, see `RowReference`. */
  readonly reference: string
  /** The sealed bytes that do not open; null: the database refuses to change the row. */
  readonly sealed: Uint8Array | null
  /** For payments, which `reference` names by their invoice: the reference of their viewing key. */
  readonly keyReference?: string
}

/** The error of a secret that does not open. */
const CLOSED = 'this secret does not open'

const KIND_BY_TABLE: Readonly<Record<string, PoisonKind>> = {
  invoices: 'invoice',
  deliveries: 'delivery',
  payments: 'payment',
}

/** The rows that the service cannot process, and the error that each of them causes. */
export class Poison {
  #rows: readonly PoisonedRow[] = []
  /** Rows that have been poisoned, and may still be set aside. */
  readonly #past = new Set<string>()
  #closed: ReadonlySet<string> = new Set()

  get rows(): readonly PoisonedRow[] {
    return this.#rows
  }

  /** Whether a row of this run has been poisoned so far. */
  get hasBegun(): boolean {
    return this.#past.size > 0
  }

  add(row: PoisonedRow): void {
    const { keyReference } = row
    this.#past.add(nameOf(keyReference === undefined ? row : { kind: 'scan_key', reference: keyReference }))
    this.#set([...this.#rows, row])
  }

  remove(row: PoisonedRow): void {
    this.#set(this.#rows.filter(other => other !== row))
  }

  removeAll(): void {
    this.#set([])
  }

  /** Whether the row is poisoned, or has been. */
  wasPoisoned(kind: string, reference: string): boolean {
    return this.#past.has(nameOf({ kind, reference }))
  }

  isPoisoned(kind: PoisonKind, reference: string): boolean {
    return this.#rows.some(row => row.kind === kind && row.reference === reference)
  }

  refuses(table: string, reference: string): boolean {
    if (this.#rows.length === 0) return false
    const kind = KIND_BY_TABLE[table]
    return kind !== undefined && this.isPoisoned(kind, reference)
  }

  /** The vault of a process, which does not open poisoned secrets. */
  guard(vault: Vault): Vault {
    return {
      ...vault,
      open: (sealed, context) => {
        if (this.#closed.size > 0 && this.#closed.has(hex(sealed))) throw new Error(CLOSED)
        return vault.open(sealed, context)
      },
    }
  }

  #set(rows: readonly PoisonedRow[]): void {
    this.#rows = rows
    this.#closed = new Set(rows.flatMap(({ sealed }) => (sealed ? [hex(sealed)] : [])))
  }
}

/** Whether a client received the error of a poisoned row. */
export function isPoisonError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.includes(REFUSED_ROW) || error.message.includes(CLOSED) || isPoisonError(error.cause)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function nameOf({ kind, reference }: { readonly kind: string; readonly reference: string }): string {
  return `${kind} ${reference}`
}
