import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Rows, Topic } from '../ports.ts'
import { SQLITE } from './dialect.ts'
import type { SqliteConnection } from './drivers/sqlite.ts'
import { isBusy, sqliteFault } from './drivers/sqlite.ts'
import type { StoreLimits } from './limits.ts'
import { closing, overloaded } from './limits.ts'
import { openTransaction, within } from './transaction.ts'

/** A turn of the event loop is given up after so much work, so that requests are heard while a batch runs. */
const TURN_MS = 4

interface Job {
  readonly work: (rows: Rows) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** What becomes of a job once the commit that it is part of has succeeded. */
type Outcome = () => void

/**
 * Gathers the use cases that arrive while the last batch is under way into one transaction: one fsync for them all.
 * Each runs alone in a savepoint, so one that fails takes only its own changes back; each is answered, good or bad,
 * after the commit, since what it saw was not durable before.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection
  readonly #limits: StoreLimits
  readonly #wake: (topics: Iterable<Topic>) => void
  readonly #line: Job[] = []
  #running: Promise<void> | null = null
  #closed = false

  constructor(connection: SqliteConnection, limits: StoreLimits, wake: (topics: Iterable<Topic>) => void) {
    this.#connection = connection
    this.#limits = limits
    this.#wake = wake
  }

  write<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closing())
    if (this.#line.length >= this.#limits.waiting) return Promise.reject(overloaded())
    return new Promise<T>((resolve, reject) => {
      this.#line.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Takes no more, and commits what waits. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }

  async #drain(): Promise<void> {
    while (this.#line.length > 0) {
      await nextTurn()
      await this.#commit(this.#line.splice(0, this.#limits.batch))
    }
    this.#running = null
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const topics = new Set<Topic>()
    let outcomes: Outcome[]
    try {
      await this.#begin()
      outcomes = await this.#runAll(jobs, topics)
      this.#connection.run('COMMIT')
    } catch (error) {
      this.#connection.rollback()
      const fault = sqliteFault(error)
      for (const job of jobs) job.reject(fault)
      return
    }
    for (const settle of outcomes) settle()
    this.#wake(topics)
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#limits.lockMs
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        this.#connection.run('BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
      }
      await sleep(waitMs)
    }
  }

  async #runAll(jobs: readonly Job[], topics: Set<Topic>): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    let turnEnds = performance.now() + TURN_MS
    for (const job of jobs) {
      outcomes.push(await this.#runOne(job, topics))
      if (performance.now() < turnEnds) continue
      await nextTurn()
      turnEnds = performance.now() + TURN_MS
    }
    return outcomes
  }

  async #runOne({ work, resolve, reject }: Job, topics: Set<Topic>): Promise<Outcome> {
    this.#connection.run('SAVEPOINT use_case')
    const transaction = openTransaction(this.#connection, SQLITE, false)
    try {
      const value = await within(this.#limits.workMs, async () => {
        const value = await work(transaction.rows)
        await transaction.flush()
        return value
      })
      transaction.end()
      this.#connection.run('RELEASE use_case')
      for (const topic of transaction.topics) topics.add(topic)
      return () => resolve(value)
    } catch (error) {
      transaction.end()
      // Some failures (a full disk) make SQLite roll the whole transaction back: then nothing of the batch is left.
      if (!this.#connection.inTransaction) throw error
      this.#connection.run('ROLLBACK TO use_case')
      this.#connection.run('RELEASE use_case')
      const fault = sqliteFault(error)
      return () => reject(fault)
    }
  }
}
