import type { PgClient } from '@zatgate/server/store/postgres/driver'
import type { Owner } from '../../runtime/scheduler.ts'
import type { StoreHooks, StoreStep } from '../hooks.ts'
import type { Result } from './connection.ts'
import type { Engine } from './engine.ts'
import {
  abortedError,
  connectionDeadError,
  connectionLostError,
  isStatementFailure,
  translateSqliteError,
} from './error.ts'
import type { Snapshot } from './snapshots.ts'
import type { Statement } from './sql.ts'
import { Transaction } from './transaction.ts'

interface Query {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** A read-only transaction. Its snapshot is taken by its first statement. */
interface SnapshotTransaction {
  snapshot: Snapshot | null
  aborted: boolean
}

type State = 'open' | 'lost' | 'crashed'

const NO_ROWS: Result = { rows: [], affected: 0 }

/** One connection of a process to the simulated server. Its statements run in the order in which they were sent. */
export class Client implements PgClient {
  readonly process: Owner
  readonly #engine: Engine
  readonly #hooks: () => StoreHooks
  readonly #onRelease: (client: Client) => void
  readonly #queue: Query[] = []
  #running = false
  #state: State = 'open'
  #transaction: Transaction | null = null
  #readOnly: SnapshotTransaction | null = null

  constructor(process: Owner, engine: Engine, hooks: () => StoreHooks, onRelease: (client: Client) => void) {
    this.process = process
    this.#engine = engine
    this.#hooks = hooks
    this.#onRelease = onRelease
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  query(sql: string, values: readonly unknown[] = []): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'lost') return reject(connectionDeadError())
      this.#queue.push({ sql, values, resolve, reject })
      if (!this.#running) void this.#drain()
    })
  }

  release(broken: boolean): void {
    if (broken) this.lose()
    else if (this.#transaction || this.#readOnly) throw new Error('a connection was released in a transaction')
    this.#onRelease(this)
  }

  /** Ends the connection: its transaction is rolled back, and its statements fail. */
  lose(): void {
    if (this.#state !== 'open') return
    this.#state = 'lost'
    for (const { reject } of this.#queue.splice(0)) reject(connectionDeadError())
    this.#endTransaction()
  }

  /** Ends the connection of a process that has died: its statements never return. */
  crash(): void {
    this.#state = 'crashed'
    this.#queue.length = 0
    this.#endTransaction()
  }

  async #drain(): Promise<void> {
    this.#running = true
    for (let query = this.#queue.shift(); query; query = this.#queue.shift()) {
      try {
        const result = await this.#run(query.sql, query.values)
        if (this.#isCrashed) return
        query.resolve(result)
      } catch (error) {
        if (this.#isCrashed) return
        query.reject(error)
      }
    }
    this.#running = false
  }

  get #isCrashed(): boolean {
    return this.#state === 'crashed'
  }

  async #run(sql: string, values: readonly unknown[]): Promise<Result> {
    const statement = this.#engine.catalog.statement(sql)
    const step = { process: this.process, kind: stepOf(statement), sql }
    const hooks = this.#hooks()
    await this.#hook(() => hooks.before(step))
    const result = await this.#execute(statement, values)
    await this.#hook(() => hooks.after({ ...step, rows: result.rows.length }))
    return result
  }

  /**
   * An error that a hook throws is the loss of the connection, unless its code is the SQLSTATE of a failed statement.
   * @throws the failure of the statement
   */
  async #hook(run: () => Promise<void> | undefined): Promise<void> {
    try {
      const pause = run()
      if (pause) await pause
    } catch (error) {
      if (isStatementFailure(error)) throw this.#failed(error)
      this.lose()
      throw connectionLostError(error)
    }
    if (this.#state !== 'open') throw connectionLostError()
  }

  #failed(error: unknown): unknown {
    if (this.#transaction) this.#engine.abort(this.#transaction)
    if (this.#readOnly) this.#readOnly.aborted = true
    return error
  }

  async #execute(statement: Statement, values: readonly unknown[]): Promise<Result> {
    switch (statement.kind) {
      case 'begin':
        if (this.#transaction || this.#readOnly) throw new Error('BEGIN in a transaction')
        if (statement.readOnly) this.#readOnly = { snapshot: null, aborted: false }
        else this.#transaction = new Transaction(this.process)
        return NO_ROWS
      case 'commit':
        if (this.#transaction) this.#engine.commit(this.#transaction)
        this.#endTransaction()
        return NO_ROWS
      case 'rollback':
        this.#endTransaction()
        return NO_ROWS
      default:
        if (this.#readOnly) return this.#readSnapshot(this.#readOnly, statement, values)
        if (this.#transaction) return this.#engine.execute(this.#transaction, statement, values)
        return this.#engine.executeAlone(this.process, statement, values)
    }
  }

  #readSnapshot(transaction: SnapshotTransaction, statement: Statement, values: readonly unknown[]): Result {
    if (transaction.aborted) throw abortedError()
    try {
      transaction.snapshot ??= this.#engine.snapshots.take()
      return this.#engine.readSnapshot(transaction.snapshot, statement, values)
    } catch (error) {
      transaction.aborted = true
      throw translateSqliteError(error)
    }
  }

  #endTransaction(): void {
    const transaction = this.#transaction
    const snapshot = this.#readOnly?.snapshot
    this.#transaction = null
    this.#readOnly = null
    if (snapshot) this.#engine.snapshots.end(snapshot)
    if (!transaction) return
    const cancel = transaction.cancelWait
    this.#engine.rollback(transaction)
    cancel?.()
  }
}

function stepOf({ kind }: Statement): StoreStep['kind'] {
  return kind === 'begin' || kind === 'commit' || kind === 'rollback' ? kind : 'statement'
}
