import type { SQLInputValue } from 'node:sqlite'
import type { Connection, Result } from './connection.ts'
import { isForeignKeyViolation, isUniqueViolation } from './error.ts'
import { type LockMode, NO_KEY_UPDATE, UPDATE } from './lock-table.ts'
import { type RowImage, type RowKey, readImages, writeImages } from './row-images.ts'
import { type Blocked, isBlocked, type LockRequest, type RowLocks, rowName } from './row-locks.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import { type LockingRead, lockColumn, type Write } from './sql.ts'
import { type BoundStatement, withSubqueriesEvaluated } from './subqueries.ts'
import type { Table } from './tables.ts'
import type { Transaction } from './transaction.ts'
import type { Writer } from './writer.ts'

/** The statements that lock rows. */
export type LockingStatement = LockingRead | Write

interface Deps {
  readonly writer: Writer
  readonly rowLocks: RowLocks
  /** Where the transaction reads. */
  readonly connection: Connection
  readonly snapshots: Snapshots
}

/**
 * A statement that has waited for a lock, evaluated again as PostgreSQL does it: the rows that it had chosen are taken
 * in their newest version, checked against its condition, and locked or changed. Everything else that it reads is from
 * its own snapshot, that is, from before it waited. An insert sees the newest rows where a unique index decides.
 */
export class Reevaluation {
  readonly #deps: Deps
  readonly #transaction: Transaction
  readonly #statement: LockingStatement
  readonly #bound: BoundStatement
  /** The chosen rows in the order of their locks; null for an insert. */
  readonly #chosen: Map<string, RowKey> | null
  readonly #snapshot: Snapshot | null
  /** The rows that other transactions have changed since the snapshot. */
  readonly #missed = new Map<string, RowKey>()

  /** Call this in the state in which the statement could not get the lock. */
  constructor(deps: Deps, transaction: Transaction, statement: LockingStatement, values: readonly SQLInputValue[]) {
    this.#deps = deps
    this.#transaction = transaction
    this.#statement = statement
    this.#bound = withSubqueriesEvaluated(deps.connection, { sql: statement.sql, values })
    this.#chosen = isInsert(statement) ? null : this.#choose()
    this.#snapshot = this.#chosen && deps.snapshots.take()
  }

  close(): void {
    if (this.#snapshot) this.#deps.snapshots.end(this.#snapshot)
  }

  /** Records the rows that a transaction has changed and committed. */
  miss(rows: Iterable<readonly [string, RowKey]>): void {
    for (const [name, row] of rows) {
      if (row.deleted) this.#chosen?.delete(name)
      this.#missed.set(name, row)
    }
  }

  /** Runs the statement again. */
  run(): Result | Blocked {
    const { writer } = this.#deps
    writer.activate(this.#transaction)
    if (this.#chosen === null) return this.#change(undefined)
    const blocked = this.#lockChosen(this.#chosen)
    if (blocked) return blocked
    if (this.#missed.size === 0) return this.#evaluate({ rows: this.#chosen, changed: new Map() })
    const tables = new Set([...this.#chosen.values()].map(({ table }) => table))
    const isOther = ({ table }: RowKey) => !tables.has(table)
    let state = { isOld: (_row: RowKey) => true, foreignKeys: true }
    for (;;) {
      try {
        return this.#runInPast(this.#chosen, state)
      } catch (error) {
        // Unique indexes and foreign keys are checked against the newest rows.
        if (isUniqueViolation(error) && state.isOld !== isOther) state = { ...state, isOld: isOther }
        else if (isForeignKeyViolation(error) && state.foreignKeys) state = { ...state, foreignKeys: false }
        else throw error
      }
    }
  }

  /** Locks the chosen rows that were changed. PostgreSQL does so before it checks the condition for their new versions. */
  #lockChosen(chosen: ReadonlyMap<string, RowKey>): Blocked | null {
    const { rowLocks } = this.#deps
    for (const [name, { table, key }] of chosen) {
      if (!this.#missed.has(name)) continue
      const blocked = rowLocks.lockRow(this.#transaction, table, key, this.#mode)
      if (blocked) return blocked
    }
    return null
  }

  get #mode(): LockMode {
    if (this.#statement.kind === 'lock') return this.#statement.mode
    return /^\s*delete\b/i.test(this.#statement.sql) ? UPDATE : NO_KEY_UPDATE
  }

  /**
   * Runs the statement with the rows of the snapshot, then makes its changes to the newest rows.
   * @param isOld whether a row that is not chosen is as in the snapshot
   */
  #runInPast(
    rows: ReadonlyMap<string, RowKey>,
    { isOld, foreignKeys }: { isOld: (row: RowKey) => boolean; foreignKeys: boolean },
  ): Result | Blocked {
    const { writer } = this.#deps
    const old = new Map([...this.#missed].filter(([name, row]) => !rows.has(name) && isOld(row)))
    const changed = new Map<string, RowKey>()
    let effects = new Map<string, RowImage>()
    const result = writer.temporarily(
      () => {
        if (old.size > 0) writeImages(writer.connection, readImages(this.#snapshot!.pinned!, old).values())
        const result = this.#evaluate({ rows, changed })
        if (!isBlocked(result)) effects = readImages(writer.connection, changed)
        return result
      },
      { foreignKeys },
    )
    writeImages(writer.connection, effects.values())
    return result
  }

  #choose(): Map<string, RowKey> {
    const { connection, rowLocks, writer } = this.#deps
    const { sql, values } = this.#bound
    const chosen = new Map<string, RowKey>()
    if (this.#statement.kind === 'lock') {
      const { table } = this.#statement
      for (const row of connection.run(sql, values).rows) {
        const key = keyOf(table, row)
        chosen.set(rowName(table, key), { table, key })
      }
    } else {
      rowLocks.during({ transaction: this.#transaction, collect: chosen }, () => writer.connection.run(sql, values))
    }
    return chosen
  }

  #evaluate(only: NonNullable<LockRequest['only']>): Result | Blocked {
    const statement = this.#statement
    return statement.kind === 'lock' ? this.#lockRows(statement, only.rows) : this.#change(only)
  }

  #change(only: LockRequest['only']): Result | Blocked {
    const { rowLocks, writer } = this.#deps
    const { sql, values } = this.#bound
    const request = { transaction: this.#transaction, ...(only && { only }) }
    return rowLocks.during(request, () => writer.connection.run(sql, values))
  }

  #lockRows({ table, mode }: LockingRead, chosen: ReadonlyMap<string, RowKey>): Result | Blocked {
    const { rowLocks, writer } = this.#deps
    const { rows } = writer.connection.run(this.#bound.sql, this.#bound.values)
    const found = rows.filter(row => chosen.has(rowName(table, keyOf(table, row))))
    return rowLocks.lockRows(this.#transaction, table, mode, found)
  }
}

function isInsert(statement: LockingStatement): boolean {
  return statement.kind === 'write' && /^\s*insert\b/i.test(statement.sql)
}

function keyOf(table: Table, row: Record<string, unknown>): SQLInputValue[] {
  return table.key.map((_, index) => row[lockColumn(index)] as SQLInputValue)
}
