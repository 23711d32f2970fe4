import type { SQLInputValue } from 'node:sqlite'
import type { RefusesRow } from '../refused-rows.ts'
import type { Connection } from './connection.ts'
import type { LockMode, LockTable, Resource } from './lock-table.ts'
import { KEY_SHARE, NO_KEY_UPDATE, UPDATE } from './lock-table.ts'
import type { RowKey } from './row-images.ts'
import { lockColumn } from './sql.ts'
import type { Table, Tables } from './tables.ts'
import type { Transaction } from './transaction.ts'

/** A lock that another transaction does not let a statement have. */
export interface Blocked {
  readonly resource: Resource
  readonly mode: LockMode
}

type Value = string | number | bigint | null

const CONTINUE = 0
const STOP = 1
const LEAVE_OUT = 2

/** The lock mode and options of a statement. */
export interface LockRequest {
  readonly transaction: Transaction
  /** The mode in which `SKIP LOCKED` skips rows. */
  readonly readMode?: LockMode
  /** The only rows that it may change; the changed ones are added to `changed`. */
  readonly only?: { readonly rows: ReadonlyMap<string, RowKey>; readonly changed: Map<string, RowKey> }
  /** Collects the rows that it would change, and changes nothing. */
  readonly collect?: Map<string, RowKey>
}

/**
 * The locks that the statements of transactions take, row by row, as the triggers report them. A change locks its row, and
 * also the values of the row in unique indexes: a statement of another transaction that inserts the same value waits.
 */
export class RowLocks {
  readonly #locks: LockTable
  readonly #refuses: RefusesRow
  #tables: Tables = { list: [], byName: new Map() }
  #request: LockRequest | null = null
  #blocked: Blocked | null = null

  /** @param refuses asked for each row that a statement changes */
  constructor(locks: LockTable, refuses: RefusesRow) {
    this.#locks = locks
    this.#refuses = refuses
  }

  set tables(tables: Tables) {
    this.#tables = tables
  }

  /** Runs a statement. @returns its result, or the lock that it needs to wait for */
  during<T>(request: LockRequest, run: () => T): T | Blocked {
    this.#request = request
    this.#blocked = null
    try {
      return run()
    } catch (error) {
      if (this.#blocked) return this.#blocked
      throw error
    } finally {
      this.#request = null
    }
  }

  lockRow(transaction: Transaction, table: Table, key: readonly unknown[], mode: LockMode): Blocked | null {
    const resource = this.#locks.acquire(transaction, rowName(table, key), mode)
    return resource && { resource, mode }
  }

  /** Locks the rows of a `SELECT … FOR UPDATE`. @returns them without the columns of `lockColumn` */
  lockRows(
    transaction: Transaction,
    table: Table,
    mode: LockMode,
    rows: Record<string, unknown>[],
  ): { rows: Record<string, unknown>[]; affected: number } | Blocked {
    for (const row of rows) {
      const key = table.key.map((_, index) => row[lockColumn(index)])
      const blocked = this.lockRow(transaction, table, key, mode)
      if (blocked) return blocked
    }
    for (const row of rows) for (const index of table.key.keys()) delete row[lockColumn(index)]
    return { rows, affected: rows.length }
  }

  /** Defines the functions that statements and triggers call on the connection. */
  defineFunctions({ database }: Connection): void {
    const define = (name: string, work: (...args: Value[]) => number) =>
      database.function(name, { varargs: true }, work as (...args: SQLInputValue[]) => number)
    define('row_is_free', (number, ...key) => this.#isFree(this.#table(number), key))
    define('row_conflicting', (number, ...key) => this.#conflicting(this.#table(number), key))
    define('row_inserting', (number, ...values) => this.#inserting(this.#table(number), values))
    define('row_inserted', (number, ...values) => this.#changing(this.#table(number), UPDATE, values))
    define('row_changing', (number, mode, ...values) => this.#changing(this.#table(number), mode as LockMode, values))
    define('row_deleting', (number, ...values) => this.#changing(this.#table(number), UPDATE, values, true))
    define('row_refused', (table, reference) =>
      this.#request !== null && this.#refuses(String(table), String(reference)) ? 1 : 0,
    )
    define('row_referencing', (parent, value) => this.#referencing(String(parent), value ?? null))
  }

  #table(number: Value | undefined): Table {
    return this.#tables.list[number as number]!
  }

  #isFree(table: Table, key: readonly Value[]): number {
    return this.#locks.conflictOf(
      this.#request!.transaction,
      rowName(table, key),
      this.#request!.readMode ?? UPDATE,
    ) === null
      ? 1
      : 0
  }

  /** @throws Error when the lock must be waited for, which undoes the statement */
  #conflicting(table: Table, key: readonly Value[]): number {
    this.#blocked = this.lockRow(this.#request!.transaction, table, key, NO_KEY_UPDATE)
    if (this.#blocked) throw new Error('row lock')
    return 1
  }

  /** Whether a value of a unique index belongs to a row that another open transaction has inserted or changed. */
  #inserting(table: Table, values: readonly Value[]): number {
    if (this.#request === null) return CONTINUE
    const { transaction } = this.#request
    for (const name of uniqueNames(table, values)) {
      const resource = this.#locks.conflictOf(transaction, name, UPDATE)
      if (resource) return this.#stop(resource, UPDATE)
    }
    return CONTINUE
  }

  #changing(table: Table, mode: LockMode, values: readonly Value[], deleted = false): number {
    if (this.#request === null) return CONTINUE
    const { transaction, only, collect } = this.#request
    const key = values.slice(0, table.key.length)
    const row = rowName(table, key)
    if (collect) {
      collect.set(row, { table, key })
      return LEAVE_OUT
    }
    if (only && !only.rows.has(row)) return LEAVE_OUT
    const resource = this.#locks.acquire(transaction, row, mode)
    if (resource) return this.#stop(resource, mode)
    for (const name of uniqueNames(table, values)) {
      const taken = this.#locks.acquire(transaction, name, UPDATE)
      if (taken) return this.#stop(taken, UPDATE)
    }
    const { changed } = transaction.top
    if (deleted || !changed.has(row)) changed.set(row, { table, key, deleted })
    only?.changed.set(row, { table, key })
    return CONTINUE
  }

  #referencing(parent: string, value: Value): number {
    if (this.#request === null || value === null) return CONTINUE
    const table = this.#tables.byName.get(parent)!
    const resource = this.#locks.acquire(this.#request.transaction, rowName(table, [value]), KEY_SHARE)
    return resource ? this.#stop(resource, KEY_SHARE) : CONTINUE
  }

  #stop(resource: Resource, mode: LockMode): number {
    this.#blocked = { resource, mode }
    return STOP
  }
}

export function isBlocked(result: object): result is Blocked {
  return 'resource' in result
}

export function rowName(table: Table, key: readonly unknown[]): string {
  return `${table.number}:${key.length === 1 ? key[0] : key.join(' ')}`
}

/** @param values the primary key, then the value of each unique index as one text; null is never a duplicate */
function uniqueNames(table: Table, values: readonly Value[]): string[] {
  const { length } = table.key
  const names: string[] = []
  if (!table.identity) names.push(`${table.number}.key:${values.slice(0, length).join(' ')}`)
  for (let index = length; index < values.length; index++) {
    if (values[index] !== null) names.push(`${table.number}.${index - length}:${values[index]}`)
  }
  return names
}
