import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseConnection } from 'kysely'
import type { Rows, Topic } from '../../ports.ts'
import type { Dialect } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { closing, overloaded } from '../limits.ts'
import { openTransaction, within } from '../transaction/transaction.ts'
import type { CrowdEnd } from './batch-transaction.ts'
import { openCrowd } from './batch-transaction.ts'

/** What group commit needs of a database. */
export interface Batches {
  readonly dialect: Dialect
  /** Begins the transaction of a batch. */
  begin(): Promise<Batch>
  /** Nothing is wrong with the use case: it is put in line again. */
  isTransient(error: unknown): boolean
  /** The error as the caller is to see it. */
  fault(error: unknown): unknown
}

export interface Batch {
  readonly connection: DatabaseConnection
  savepoint(): void
  release(): void
  /** Takes back what was done since the savepoint. @throws the error given, when the whole batch is lost. */
  rollbackTo(error: unknown): Promise<void>
  /** Commits, telling other processes the topics, and lets go of the connection. */
  commit(topics: ReadonlySet<Topic>): Promise<void>
  /** Rolls back and lets go of the connection. Never fails. */
  abandon(): Promise<void>
}

/** A turn of the event loop is given up after so much work, so that requests are heard while a batch runs. */
const TURN_MS = 4

interface Job {
  readonly work: (rows: Rows) => Promise<unknown>
  /** The account of one that comes in a crowd: those run side by side. */
  readonly crowd: number | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
}

/** What becomes of a job once the commit that it is part of has succeeded. */
type Outcome = () => void

/**
 * Gathers the use cases that arrive while the last batch is under way into one transaction: one fsync for them all.
 * Each runs alone in a savepoint, so one that fails takes only its own changes back, or in a crowd, with statements
 * shared, as long as none of that fails. Each is answered, good or bad, after the commit, since what it saw was not
 * durable before.
 */
export class GroupCommit {
  readonly #batches: Batches
  readonly #limits: StoreLimits
  readonly #wake: (topics: Iterable<Topic>) => void
  readonly #line: Job[] = []
  readonly #lanes = new Set<Promise<void>>()
  readonly #mostLanes: number
  #closed = false

  /** @param lanes Batches that are under way at a time. */
  constructor(batches: Batches, limits: StoreLimits, lanes: number, wake: (topics: Iterable<Topic>) => void) {
    this.#batches = batches
    this.#limits = limits
    this.#wake = wake
    this.#mostLanes = lanes
  }

  write<T>(work: (rows: Rows) => Promise<T>, crowd?: number): Promise<T> {
    if (this.#closed) return Promise.reject(closing())
    if (this.#line.length >= this.#limits.waiting) return Promise.reject(overloaded())
    return new Promise<T>((resolve, reject) => {
      this.#line.push({ work, crowd, resolve: resolve as (value: unknown) => void, reject, attempts: 0 })
      if (this.#lanes.size < this.#mostLanes) this.#openLane()
    })
  }

  /** Takes no more, and commits what waits. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#lanes.size > 0) await Promise.all(this.#lanes)
  }

  #openLane(): void {
    const lane = this.#drain().finally(() => {
      this.#lanes.delete(lane)
      // Who was answered by the last batch may have come again before the lane was seen to end.
      if (this.#line.length > 0) this.#openLane()
    })
    this.#lanes.add(lane)
  }

  async #drain(): Promise<void> {
    do {
      await nextTurn()
      const jobs = this.#line.splice(0, this.#limits.batch)
      if (jobs.length > 0) await this.#commit(jobs.sort((a, b) => (a.crowd ?? 0) - (b.crowd ?? 0)))
    } while (this.#line.length > 0)
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const topics = new Set<Topic>()
    let outcomes: Outcome[]
    let batch: Batch | undefined
    try {
      batch = await this.#batches.begin()
      outcomes = await this.#runAll(batch, jobs, topics)
      await batch.commit(topics)
    } catch (error) {
      await batch?.abandon()
      const fault = this.#batches.fault(error)
      for (const job of jobs) job.reject(fault)
      return
    }
    for (const settle of outcomes) settle()
    this.#wake(topics)
  }

  async #runAll(batch: Batch, jobs: readonly Job[], topics: Set<Topic>): Promise<Outcome[]> {
    const { together = [], alone = [] } = Object.groupBy(jobs, job => (job.crowd === undefined ? 'alone' : 'together'))
    const outcomes = together.length > 1 ? await this.#runTogether(batch, together, topics) : null
    if (outcomes) return [...outcomes, ...(await this.#runInTurn(batch, alone, topics))]
    return this.#runInTurn(batch, jobs, topics)
  }

  /** Runs a crowd with shared statements. Null, with nothing changed, when some of it must be told from the rest. */
  async #runTogether(batch: Batch, jobs: readonly Job[], topics: Set<Topic>): Promise<Outcome[] | null> {
    batch.savepoint()
    const crowd = openCrowd(batch.connection, this.#batches.dialect, this.#limits)
    const ends = await Promise.all(jobs.map(job => crowd.run(job.work)))
    crowd.end()
    const failure = ends.find(end => end.kind === 'failed')
    if (failure) {
      await batch.rollbackTo(failure.error)
      return null
    }
    batch.release()
    for (const topic of crowd.topics) topics.add(topic)
    return jobs.map((job, at) => {
      const end = ends[at] as CrowdEnd
      return end.kind === 'done' ? () => job.resolve(end.value) : () => job.reject(end.error)
    })
  }

  async #runInTurn(batch: Batch, jobs: readonly Job[], topics: Set<Topic>): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    let turnEnds = performance.now() + TURN_MS
    for (const job of jobs) {
      outcomes.push(await this.#runOne(batch, job, topics))
      if (performance.now() < turnEnds) continue
      await nextTurn()
      turnEnds = performance.now() + TURN_MS
    }
    return outcomes
  }

  async #runOne(batch: Batch, job: Job, topics: Set<Topic>): Promise<Outcome> {
    batch.savepoint()
    const transaction = openTransaction(batch.connection, this.#batches.dialect, 'write')
    try {
      const value = await within(this.#limits.workMs, async () => {
        const value = await job.work(transaction.rows)
        await transaction.flush()
        return value
      })
      transaction.end()
      batch.release()
      for (const topic of transaction.topics) topics.add(topic)
      return () => job.resolve(value)
    } catch (error) {
      transaction.end()
      await batch.rollbackTo(error)
      return this.#failed(job, error)
    }
  }

  #failed(job: Job, error: unknown): Outcome {
    job.attempts++
    if (this.#batches.isTransient(error) && job.attempts < this.#limits.attempts) {
      return () => this.#line.unshift(job)
    }
    const fault = this.#batches.fault(error)
    return () => job.reject(fault)
  }
}
