import type { SQLInputValue } from 'node:sqlite'
import type { Owner } from '../../runtime/scheduler.ts'
import { bindable, Connection, type Result } from './connection.ts'
import {
  abortedError,
  connectionLostError,
  deadlockError,
  pgError,
  readOnlyError,
  translateSqliteError,
} from './error.ts'
import { LockTable, UPDATE } from './lock-table.ts'
import { Reevaluation } from './reevaluation.ts'
import { type Blocked, isBlocked, RowLocks } from './row-locks.ts'
import { type LockingRead, parse, type Statement } from './sql.ts'
import { readTables, type Tables, triggersOf } from './tables.ts'
import { type Notification, openLayer, Transaction } from './transaction.ts'
import { Writer } from './writer.ts'

const NO_ROWS: Result = { rows: [], affected: 0 }
const MAX_STATEMENTS = 2_000

export interface EngineEvents {
  /** Called right after each commit that changed something. */
  onCommit(process: Owner, useCases: number, tables: ReadonlySet<string>): void
  /** Called after a commit with the notifications that it sends. */
  onNotifications(notifications: readonly Notification[]): void
}

/**
 * The transactions of a simulated PostgreSQL on one SQLite file.
 *
 * A statement that needs a lock of another transaction is undone, waits until that one has ended, and runs again, see
 * `Reevaluation`. It keeps the locks that it already has.
 */
export class Engine {
  identity = 'system:7000000000000000001;timeline:00000001;database:16384;table:16385'
  readonly #file: string
  readonly #events: EngineEvents
  readonly #locks = new LockTable()
  readonly #rowLocks = new RowLocks(this.#locks)
  readonly #writer: Writer
  readonly #reader: Connection
  readonly #idleSnapshots: Connection[] = []
  /** Of the statements that wait or have waited for a lock. */
  readonly #reevaluations = new Set<Reevaluation>()
  readonly #statements = new Map<string, Statement>()
  readonly #sequences = new Map<string, bigint>()
  #tables: Tables = { list: [], byName: new Map() }

  constructor(file: string, events: EngineEvents) {
    this.#file = file
    this.#events = events
    this.#writer = new Writer(this.#open())
    this.#reader = this.#open()
    this.#loadSchema()
  }

  statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = parse(sql, this.#tables)
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
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
    const depth = transaction.layers.length - 1
    this.#undoLayers(transaction, depth)
    transaction.aborted = true
  }

  /** Runs a statement outside a transaction. */
  async executeAlone(process: Owner, statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (statement.kind === 'identity') return NO_ROWS
    if (statement.kind === 'read') return this.#read(this.#reader, statement.sql, values)
    const transaction = new Transaction(process)
    try {
      const result = await this.execute(transaction, statement, values)
      this.commit(transaction)
      return result
    } finally {
      this.rollback(transaction)
    }
  }

  /** A connection whose first read is the snapshot of a read-only transaction. */
  openSnapshot(): Connection {
    const connection = this.#idleSnapshots.pop() ?? this.#open()
    connection.run('BEGIN')
    return connection
  }

  readSnapshot(snapshot: Connection, statement: Statement, values: readonly unknown[]): Result {
    if (statement.kind !== 'read') throw readOnlyError()
    return this.#read(snapshot, statement.sql, values)
  }

  closeSnapshot(snapshot: Connection): void {
    snapshot.run('ROLLBACK')
    this.#idleSnapshots.push(snapshot)
  }

  /** Commits, or rolls back a transaction in which a statement has failed. */
  commit(transaction: Transaction): void {
    if (transaction.ended) return
    if (transaction.aborted) {
      this.rollback(transaction)
      return
    }
    const { hasChanges, changesSchema, process, notifications, savepoints } = transaction
    if (hasChanges || this.#writer.isActive(transaction)) this.#writer.commit(transaction)
    if (changesSchema) this.#loadSchema()
    for (const waiting of this.#reevaluations) for (const { changed } of transaction.layers) waiting.miss(changed)
    this.#end(transaction)
    const tables = new Set(
      transaction.layers.flatMap(({ changed }) => [...changed.values()].map(row => row.table.name)),
    )
    if (hasChanges) this.#events.onCommit(process, Math.max(1, savepoints), tables)
    if (notifications.length > 0) this.#events.onNotifications(notifications)
  }

  rollback(transaction: Transaction): void {
    if (transaction.ended) return
    this.#writer.rollback(transaction)
    this.#end(transaction)
  }

  /** Restarts the sequences of a database that was emptied. */
  resetSequences(): void {
    this.#sequences.clear()
    this.#loadSequences()
  }

  close(): void {
    for (const connection of [this.#writer.connection, this.#reader, ...this.#idleSnapshots]) connection.close()
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
        return this.#changeSchema(transaction, statement.sql)
      case 'advisory_lock':
        return this.#lock(transaction, statement.name) ?? NO_ROWS
      case 'savepoint':
        this.#openSavepoint(transaction, statement.name)
        return NO_ROWS
      case 'release':
        this.#releaseSavepoint(transaction, depthOf(transaction, statement.name))
        return NO_ROWS
      case 'rollback_to':
        this.#rollbackTo(transaction, depthOf(transaction, statement.name))
        return NO_ROWS
      case 'notify':
        this.#notify(transaction, values)
        return NO_ROWS
      case 'nothing':
      case 'identity':
        return NO_ROWS
      default:
        throw new Error(`unexpected statement: ${statement.kind}`)
    }
  }

  /** A transaction without changes reads the committed state, without becoming active. */
  #connectionFor(transaction: Transaction): Connection {
    if (!transaction.hasChanges) return this.#reader
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
      openSnapshot: () => this.openSnapshot(),
      closeSnapshot: (snapshot: Connection) => this.closeSnapshot(snapshot),
    }
    const created = new Reevaluation(deps, transaction, statement, values)
    this.#reevaluations.add(created)
    return created
  }

  #changeSchema(transaction: Transaction, sql: string): Result {
    this.#writer.activate(transaction)
    transaction.changesSchema = true
    return this.#writer.connection.run(sql)
  }

  #lock(transaction: Transaction, name: string): Blocked | null {
    const resource = this.#locks.acquire(transaction, name, UPDATE)
    return resource && { resource, mode: UPDATE }
  }

  async #wait(transaction: Transaction, { resource, mode }: Blocked): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (!this.#locks.wait(transaction, resource, mode, resolve)) return reject(deadlockError())
      transaction.cancelWait = () => reject(connectionLostError())
    })
    transaction.cancelWait = null
    if (transaction.ended) throw connectionLostError()
  }

  #openSavepoint(transaction: Transaction, name: string): void {
    transaction.savepoints += 1
    transaction.layers.push(openLayer(name, transaction.locks.length, transaction.notifications.length))
  }

  #releaseSavepoint(transaction: Transaction, depth: number): void {
    this.#writer.release(transaction, depth)
    const below = transaction.layers[depth - 1]!
    for (const { changed, images } of transaction.layers.splice(depth)) {
      for (const [row, key] of changed) if (key.deleted || !below.changed.has(row)) below.changed.set(row, key)
      for (const [row, image] of images) below.images.set(row, image)
    }
  }

  #rollbackTo(transaction: Transaction, depth: number): void {
    this.#undoLayers(transaction, depth)
    transaction.aborted = false
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

  #notify({ notifications }: Transaction, [channel, payload]: readonly SQLInputValue[]): void {
    const known = notifications.some(earlier => earlier.channel === channel && earlier.payload === payload)
    if (!known) notifications.push({ channel: String(channel), payload: String(payload) })
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
    connection.database.function('next_id', number => this.#nextId(this.#tables.list[Number(number)]!.name))
    return connection
  }

  #nextId(table: string): bigint {
    const next = (this.#sequences.get(table) ?? 0n) + 1n
    this.#sequences.set(table, next)
    return next
  }

  #loadSchema(): void {
    const { database } = this.#writer.connection
    this.#tables = readTables(database)
    this.#rowLocks.tables = this.#tables
    this.#statements.clear()
    const triggers = database.prepare("SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'").all()
    for (const { name } of triggers) database.exec(`DROP TRIGGER temp."${name}"`)
    for (const trigger of this.#tables.list.flatMap(triggersOf)) database.exec(trigger)
    this.#loadSequences()
  }

  #loadSequences(): void {
    for (const { name } of this.#tables.list.filter(({ identity }) => identity)) {
      const [row] = this.#reader.run(`SELECT coalesce(max(id), 0) AS last FROM "${name}"`).rows
      const last = row!.last as bigint
      if (last > (this.#sequences.get(name) ?? 0n)) this.#sequences.set(name, last)
    }
  }
}

function depthOf({ layers }: Transaction, name: string): number {
  const depth = layers.findLastIndex((layer, index) => index > 0 && layer.name === name)
  if (depth < 0) throw pgError('3B001', `savepoint "${name}" does not exist`)
  return depth
}
