import type { SQLInputValue } from 'node:sqlite'
import type { Owner } from '../../runtime/scheduler.ts'
import type { RefusesRow } from '../refused-rows.ts'
import { Catalog } from './catalog.ts'
import { bindable, Connection, type Result } from './connection.ts'
import { abortedError, connectionLostError, deadlockError, readOnlyError, translateSqliteError } from './error.ts'
import { LockTable, UPDATE } from './lock-table.ts'
import { Reevaluation } from './reevaluation.ts'
import { type Blocked, isBlocked, RowLocks } from './row-locks.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import type { LockingRead, Statement } from './sql.ts'
import { type Notification, openLayer, Transaction } from './transaction.ts'
import { Writer } from './writer.ts'

const NO_ROWS: Result = { rows: [], affected: 0 }

export interface EngineEvents {
  /** Called right after each commit that changed something. */
  onCommit(process: Owner, useCases: number, tables: ReadonlySet<string>): void
  /** Called after a commit with the notifications that it sends. */
  onNotifications(notifications: readonly Notification[]): void
  readonly refuses: RefusesRow
}

/**
 * The transactions of a simulated PostgreSQL on one SQLite file.
 *
 * A statement that needs a lock of another transaction is undone, waits until that one has ended, and runs again, see
 * `Reevaluation`. It keeps the locks that it already has.
 *
 * Known differences from PostgreSQL: a statement without ORDER BY locks its rows in the order in which SQLite finds them.
 * Waiting transactions are woken in the order in which they began to wait. The deletion of a row does not wait for
 * transactions that delete rows which refer to it. No lock times out. A transaction that changes the schema excludes
 * other writers.
 */
export class Engine {
  identity = 'system:7000000000000000001;timeline:00000001;database:16384;table:16385'
  readonly #file: string
  readonly #events: EngineEvents
  readonly #locks = new LockTable()
  readonly #rowLocks: RowLocks
  readonly #writer: Writer
  readonly #reader: Connection
  /** Snapshots of the present state, for read-only transactions. */
  readonly snapshots = new Snapshots(() => this.#open())
  /** The statements that wait or have waited for a lock. */
  readonly #reevaluations = new Set<Reevaluation>()
  readonly catalog = new Catalog()

  constructor(file: string, events: EngineEvents) {
    this.#file = file
    this.#events = events
    this.#rowLocks = new RowLocks(this.#locks, events.refuses)
    this.#writer = new Writer(this.#open())
    this.#reader = this.#open()
    this.#loadSchema()
  }

  /** Runs a statement in a write transaction. Waits for locks. */
  async execute(transaction: Transaction, statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (transaction.aborted && statement.kind !== 'rollback_to') throw abortedError()
    let again: Reevaluation | null = null
    try {
      const bound = bindable(values)
      for (;;) {
        const result: Result | Blocked = again ? again.run() : this.#attempt(transaction, statement, bound)
        if (!isBlocked(result)) return result
        again ??= this.#reevaluation(transaction, statement, bound)
        await this.#wait(transaction, result)
      }
    } catch (error) {
      this.abort(transaction)
      throw translateSqliteError(error)
    } finally {
      again?.close()
      if (again) this.#reevaluations.delete(again)
    }
  }

  /** Fails the transaction: undoes its changes since the last savepoint at once, and releases their locks. */
  abort(transaction: Transaction): void {
    if (transaction.ended) return
    this.#undoLayers(transaction, transaction.layers.length - 1)
    transaction.aborted = true
  }

  /** Runs a statement outside a transaction. */
  async executeAlone(process: Owner, statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (statement.kind === 'identity') return NO_ROWS
    if (statement.kind === 'read') return this.#read(this.#committed, statement.sql, values)
    const transaction = new Transaction(process)
    try {
      const result = await this.execute(transaction, statement, values)
      this.commit(transaction)
      return result
    } finally {
      this.rollback(transaction)
    }
  }

  readSnapshot({ pinned }: Snapshot, statement: Statement, values: readonly unknown[]): Result {
    if (statement.kind !== 'read') throw readOnlyError()
    return this.#read(pinned ?? this.#committed, statement.sql, values)
  }

  /** Commits, or rolls back a transaction in which a statement has failed. */
  commit(transaction: Transaction): void {
    if (transaction.ended) return
    if (transaction.aborted) {
      this.rollback(transaction)
      return
    }
    const { hasChanges, changesSchema, process, notifications, savepoints } = transaction
    if (hasChanges) this.snapshots.pin()
    if (hasChanges || this.#writer.isActive(transaction)) this.#writer.commit(transaction)
    if (changesSchema) this.#loadSchema()
    for (const waiting of this.#reevaluations) for (const { changed } of transaction.layers) waiting.miss(changed)
    this.#end(transaction)
    const tables = new Set(
      transaction.layers.flatMap(({ changed }) => [...changed.values()].map(row => row.table.name)),
    )
    if (hasChanges) this.#events.onCommit(process, 1 + savepoints, tables)
    if (notifications.length > 0) this.#events.onNotifications(notifications)
  }

  rollback(transaction: Transaction): void {
    if (transaction.ended) return
    this.#writer.rollback(transaction)
    this.#end(transaction)
  }

  /** Restarts the sequences of a database whose content was replaced. @param copy those of the content */
  resetSequences(copy?: ReadonlyMap<string, bigint>): void {
    this.catalog.resetSequences(this.#reader, copy)
  }

  close(): void {
    this.snapshots.close()
    for (const connection of [this.#writer.connection, this.#reader]) connection.close()
  }

  #end(transaction: Transaction): void {
    transaction.ended = true
    this.#locks.stopWaiting(transaction)
    this.#locks.release(transaction, 0)
  }

  #attempt(transaction: Transaction, statement: Statement, values: readonly SQLInputValue[]): Result | Blocked {
    switch (statement.kind) {
      case 'read':
        return this.#connectionFor(transaction).run(statement.sql, values)
      case 'lock':
        return this.#lockRows(transaction, statement, values)
      case 'write':
        return this.#write(transaction, statement.sql, values)
      case 'schema':
        this.#writer.activate(transaction)
        transaction.changesSchema = true
        return this.#writer.connection.run(statement.sql)
      case 'advisory_lock': {
        const resource = this.#locks.acquire(transaction, statement.name, UPDATE)
        return resource ? { resource, mode: UPDATE } : NO_ROWS
      }
      case 'savepoint':
        transaction.savepoint(statement.name)
        return NO_ROWS
      case 'release':
        this.#writer.release(transaction, transaction.depthOf(statement.name))
        transaction.release(statement.name)
        return NO_ROWS
      case 'rollback_to':
        this.#undoLayers(transaction, transaction.depthOf(statement.name))
        transaction.aborted = false
        return NO_ROWS
      case 'notify':
        transaction.notify(String(values[0]), String(values[1]))
        return NO_ROWS
      case 'nothing':
      case 'identity':
        return NO_ROWS
      default:
        throw new Error(`unexpected statement: ${statement.kind}`)
    }
  }

  /** A connection that sees the committed state. The writer has it in its cache, unless a transaction is active there. */
  get #committed(): Connection {
    return this.#writer.isIdle ? this.#writer.connection : this.#reader
  }

  /** A transaction without changes reads the committed state, without becoming active. */
  #connectionFor(transaction: Transaction): Connection {
    if (!transaction.hasChanges) return this.#committed
    this.#writer.activate(transaction)
    return this.#writer.connection
  }

  #write(transaction: Transaction, sql: string, values: readonly SQLInputValue[]): Result | Blocked {
    this.#writer.activate(transaction)
    if (transaction.changesSchema) return this.#writer.connection.run(sql, values)
    return this.#rowLocks.during({ transaction }, () => this.#writer.connection.run(sql, values))
  }

  #lockRows(transaction: Transaction, read: LockingRead, values: readonly SQLInputValue[]): Result | Blocked {
    const { table, mode: readMode } = read
    const connection = this.#connectionFor(transaction)
    const result = this.#rowLocks.during({ transaction, readMode }, () => connection.run(read.sql, values))
    return isBlocked(result) ? result : this.#rowLocks.lockRows(transaction, table, readMode, result.rows)
  }

  /** Prepares the new evaluation of a statement that has to wait. An advisory lock needs no such evaluation. */
  #reevaluation(transaction: Transaction, statement: Statement, values: readonly SQLInputValue[]): Reevaluation | null {
    if (statement.kind !== 'lock' && statement.kind !== 'write') return null
    const deps = {
      writer: this.#writer,
      rowLocks: this.#rowLocks,
      connection: this.#connectionFor(transaction),
      snapshots: this.snapshots,
    }
    const created = new Reevaluation(deps, transaction, statement, values)
    this.#reevaluations.add(created)
    return created
  }

  async #wait(transaction: Transaction, { resource, mode }: Blocked): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (!this.#locks.wait(transaction, resource, mode, resolve)) return reject(deadlockError())
      transaction.cancelWait = () => reject(connectionLostError())
    })
    transaction.cancelWait = null
    if (transaction.ended) throw connectionLostError()
  }

  /** Empties the layer at `depth` and removes those above it. */
  #undoLayers(transaction: Transaction, depth: number): void {
    if (depth === 0) this.#writer.rollback(transaction)
    else this.#writer.rollbackTo(transaction, depth)
    const { name, locks, notifications } = transaction.layers[depth]!
    transaction.layers.splice(depth, transaction.layers.length, openLayer(name, locks, notifications))
    transaction.notifications.length = notifications
    this.#locks.release(transaction, locks)
  }

  #read(connection: Connection, sql: string, values: readonly unknown[]): Result {
    try {
      return connection.run(sql, bindable(values))
    } catch (error) {
      throw translateSqliteError(error)
    }
  }

  #open(): Connection {
    const connection = new Connection(this.#file, { foreignKeys: true })
    this.#rowLocks.defineFunctions(connection)
    connection.database.function('database_identity', () => this.identity)
    // A migration draws ids for earlier rows. Here there are none.
    connection.database.function('gen_random_uuid', () => {
      throw new Error('the simulated PostgreSQL draws no ids')
    })
    connection.database.function('next_id', number => this.catalog.nextId(Number(number)))
    return connection
  }

  #loadSchema(): void {
    this.catalog.load(this.#writer.connection)
    this.#rowLocks.tables = this.catalog.tables
  }
}
