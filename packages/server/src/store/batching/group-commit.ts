import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseConnection } from 'kysely'
import type { BatchTx, Topic, Tx } from '../../ports/store.ts'
import type { Database } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { closingError, overloadedError } from '../limits.ts'
import { withTimeout } from '../transaction/timeout.ts'
import { openTransaction } from '../transaction/transaction.ts'
import { type BatchedWriteResult, openWriteBatch } from './write-batch.ts'

/** The database operations that group commit needs. */
export interface BatchDriver {
  readonly database: Database
  /** Begins the transaction of a batch. */
  begin(): Promise<BatchTransaction>
  /** Whether the use case may succeed when it runs again, so that it is queued again. */
  isTransient(error: unknown): boolean
  /** The error that callers receive. */
  translateError(error: unknown): unknown
}

export interface BatchTransaction {
  readonly connection: DatabaseConnection
  savepoint(): void
  releaseSavepoint(): void
  /** Undoes the changes since the savepoint. @throws the given error when the whole transaction is lost */
  rollbackToSavepoint(error: unknown): Promise<void>
  /** Commits, notifies other processes of the topics, and releases the connection. */
  commit(topics: ReadonlySet<Topic>): Promise<void>
  /** Rolls back and releases the connection. Never rejects. */
  rollback(): Promise<void>
}

/**
 * Event loop turns before a batch. A request that arrived during the last commit looks up its API key in the first one
 * and queues its write in the second: batches are half as many again, which saves a third of the commits.
 */
const GATHER_TURNS = 2

/** After this much work a batch yields to the event loop, so that the process keeps serving requests. */
const MAX_TURN_MS = 4

interface QueuedWrite {
  readonly work: (tx: Tx) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
}

/** A write that can run concurrently with the other batched writes of its transaction. */
interface BatchedWrite extends QueuedWrite {
  readonly work: (tx: BatchTx) => Promise<unknown>
  readonly accountId: number
}

/** Resolves or rejects the caller of a write after the commit that includes it. */
type Completion = () => void

/**
 * Runs the writes that arrive while the previous transaction is committing in one transaction, with one fsync for all.
 * One transaction at a time: a second one would halve their size, and wait for the counts of the same accounts. Each
 * write runs alone in a savepoint, so that a failed one undoes only its own changes. Batched writes share one
 * savepoint and their statements; when one of them fails, they run again one by one. Every caller gets its result
 * after the commit, since nothing that it read was durable before.
 */
export class GroupCommit {
  readonly #batches: BatchDriver
  readonly #limits: StoreLimits
  readonly #notify: (topics: Iterable<Topic>) => void
  readonly #queue: (QueuedWrite | BatchedWrite)[] = []
  #running: Promise<void> | null = null
  #closed = false

  constructor(batches: BatchDriver, limits: StoreLimits, notify: (topics: Iterable<Topic>) => void) {
    this.#batches = batches
    this.#limits = limits
    this.#notify = notify
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue<T>(caller => ({ ...caller, work }))
  }

  writeBatched<T>(accountId: number, work: (tx: BatchTx) => Promise<T>): Promise<T> {
    return this.#enqueue<T>(caller => ({ ...caller, work, accountId }))
  }

  /** Refuses new writes and commits the queued ones. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#running) await this.#running
  }

  #enqueue<T>(writeOf: (caller: Omit<QueuedWrite, 'work'>) => QueuedWrite | BatchedWrite): Promise<T> {
    if (this.#closed) return Promise.reject(closingError())
    if (this.#queue.length >= this.#limits.maxWaiting) return Promise.reject(overloadedError())
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(writeOf({ resolve: resolve as (value: unknown) => void, reject, attempts: 0 }))
      if (!this.#running) this.#startTransactions()
    })
  }

  #startTransactions(): void {
    this.#running = this.#drain().finally(() => {
      this.#running = null
      // A caller that got its result from the last batch may have queued another write in the meantime.
      if (this.#queue.length > 0) this.#startTransactions()
    })
  }

  async #drain(): Promise<void> {
    do {
      for (let turn = 0; turn < GATHER_TURNS; turn++) await nextTurn()
      const writes = this.#queue.splice(0, this.#limits.maxBatch)
      if (writes.length > 0) await this.#commit(writes.sort((a, b) => accountIdOf(a) - accountIdOf(b)))
    } while (this.#queue.length > 0)
  }

  async #commit(writes: readonly QueuedWrite[]): Promise<void> {
    const topics = new Set<Topic>()
    let completions: Completion[]
    let batch: BatchTransaction | undefined
    try {
      batch = await this.#batches.begin()
      completions = await this.#runAll(batch, writes, topics)
      await batch.commit(topics)
    } catch (error) {
      await batch?.rollback()
      const translated = this.#batches.translateError(error)
      for (const write of writes) write.reject(translated)
      return
    }
    for (const complete of completions) complete()
    this.#notify(topics)
  }

  async #runAll(batch: BatchTransaction, writes: readonly QueuedWrite[], topics: Set<Topic>): Promise<Completion[]> {
    const batched = writes.filter(isBatched)
    const completions = batched.length > 1 ? await this.#runBatched(batch, batched, topics) : null
    if (!completions) return this.#runOneByOne(batch, writes, topics)
    const single = writes.filter(write => !isBatched(write))
    return [...completions, ...(await this.#runOneByOne(batch, single, topics))]
  }

  /** Runs batched writes with shared statements. Resolves with null, and nothing changed, when one of them failed. */
  async #runBatched(
    batch: BatchTransaction,
    writes: readonly BatchedWrite[],
    topics: Set<Topic>,
  ): Promise<Completion[] | null> {
    batch.savepoint()
    const concurrent = openWriteBatch(batch.connection, this.#batches.database, this.#limits)
    const run = async () => {
      const results = await Promise.all(writes.map(write => concurrent.run(write.work)))
      for (const result of results) if (result.kind === 'failed') throw result.error
      notified = await concurrent.flush()
      return results
    }
    let results: BatchedWriteResult[]
    let notified: readonly Topic[] = []
    try {
      // Ended before the rollback: no transaction would hold what a write sends behind it.
      results = await withTimeout(this.#limits.transactionTimeoutMs, run).finally(() => concurrent.end())
    } catch (error) {
      await batch.rollbackToSavepoint(error)
      return null
    }
    batch.releaseSavepoint()
    for (const topic of notified) topics.add(topic)
    return writes.map((write, index) => {
      const result = results[index] as BatchedWriteResult
      return result.kind === 'done' ? () => write.resolve(result.value) : () => write.reject(result.error)
    })
  }

  async #runOneByOne(
    batch: BatchTransaction,
    writes: readonly QueuedWrite[],
    topics: Set<Topic>,
  ): Promise<Completion[]> {
    const completions: Completion[] = []
    let turnEndsAt = performance.now() + MAX_TURN_MS
    for (const write of writes) {
      completions.push(await this.#runOne(batch, write, topics))
      if (performance.now() < turnEndsAt) continue
      await nextTurn()
      turnEndsAt = performance.now() + MAX_TURN_MS
    }
    return completions
  }

  async #runOne(batch: BatchTransaction, write: QueuedWrite, topics: Set<Topic>): Promise<Completion> {
    batch.savepoint()
    const transaction = openTransaction(batch.connection, this.#batches.database, 'write')
    try {
      const value = await withTimeout(this.#limits.transactionTimeoutMs, async () => {
        const value = await write.work(transaction.tx)
        await transaction.flush()
        return value
      })
      transaction.end()
      batch.releaseSavepoint()
      for (const topic of transaction.topics) topics.add(topic)
      return () => write.resolve(value)
    } catch (error) {
      transaction.end()
      await batch.rollbackToSavepoint(error)
      return this.#failed(write, error)
    }
  }

  #failed(write: QueuedWrite, error: unknown): Completion {
    write.attempts++
    if (this.#batches.isTransient(error) && write.attempts < this.#limits.maxAttempts) {
      return () => this.#queue.unshift(write)
    }
    const translated = this.#batches.translateError(error)
    return () => write.reject(translated)
  }
}

function isBatched(write: QueuedWrite | BatchedWrite): write is BatchedWrite {
  return 'accountId' in write
}

/** Single writes come first. */
function accountIdOf(write: QueuedWrite | BatchedWrite): number {
  return isBatched(write) ? write.accountId : 0
}
