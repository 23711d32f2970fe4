import { CONCURRENCY_LIMIT, nextConcurrencyLimit } from '../../domain/notify/delivery.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { FinishedAttempt } from '../../ports/repository/notify/delivery.ts'
import type { Store } from '../../ports/store.ts'
import { NO_TRACER, type Tracer } from '../../ports/tracer.ts'
import type { Deliveries } from '../../services/notify/delivery.ts'
import type { DeliveryJob, FreeSlots } from '../../services/notify/delivery-claim.ts'
import type { LoopResult } from '../loop.ts'
import { startLoop } from '../loop.ts'
import { attemptFacts } from './attempt-facts.ts'

export interface DeliveryWorker {
  /** Claims no more deliveries. Resolves when the current attempts have ended and are recorded, within a few seconds. */
  stop(): Promise<void>
}

export interface DeliveryOptions {
  readonly deliveries: Deliveries
  readonly store: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Default: no traces. */
  readonly tracer?: Tracer
  /** Maximum of concurrent attempts in this process, over all accounts. Default 512. */
  readonly maxConcurrent?: number
}

const DEFAULT_MAX_CONCURRENT = 512
/** Fallback for notifications that were missed. */
const IDLE_MS = 5_000
const MAX_LIMITS_KEPT = 10_000
const NO_CAPACITY: FreeSlots = { total: 0, forAccount: () => 0, fullAccountIds: [], isAttempting: () => true }

/**
 * Starts the loop that sends due deliveries. Each run records finished attempts and claims more; the attempts themselves
 * run concurrently. A receiver that hangs occupies only the slots of its own account.
 */
export function startDeliveryWorker(options: DeliveryOptions): DeliveryWorker {
  const { deliveries, clock, log, metrics, tracer = NO_TRACER, maxConcurrent = DEFAULT_MAX_CONCURRENT } = options
  const slots = new ConcurrencySlots(maxConcurrent)
  /** The attempts that run, by the public ids of their deliveries. */
  const attempts = new Map<string, Promise<void>>()
  /** Attempts whose results wait to be recorded. */
  let ended: FinishedAttempt[] = []

  async function attempt(job: DeliveryJob): Promise<void> {
    const span = tracer.start('client')
    const outcome = await deliveries.attempt(job)
    const { delivery, progress } = job
    const succeeded = outcome.error === null
    span.end('webhook attempt', !succeeded, attemptFacts(delivery.eventType, progress.attempts, outcome.statusCode))
    metrics.attemptEnded(succeeded ? 'success' : 'failure', outcome.durationMs / 1000)
    const { state } = outcome.progress
    if (state === 'delivered' || state === 'failed')
      metrics.deliveryEnded(state, Math.max(0, clock.nowMs() / 1000 - delivery.createdAt))
    slots.adjust(outcome.accountId, succeeded)
    ended.push(outcome)
    loop.notify()
  }

  function start(job: DeliveryJob): void {
    const { publicId } = job.delivery
    attempts.set(
      publicId,
      attempt(job).finally(() => attempts.delete(publicId)),
    )
  }

  /** Asked while a claim is being made, in which the attempt may end: then its result waits for the next run. */
  function isAttempting(publicId: string): boolean {
    return attempts.has(publicId) || ended.some(({ deliveryPublicId }) => deliveryPublicId === publicId)
  }

  /** Records finished attempts, releases their slots and claims more deliveries. On an error, restores the previous state. */
  async function recordAndClaim(capacity: () => FreeSlots): ReturnType<Deliveries['recordAndClaim']> {
    const finished = ended.splice(0)
    for (const { accountId } of finished) slots.release(accountId)
    try {
      const claimed = await deliveries.recordAndClaim(finished, capacity())
      for (const { delivery } of claimed.jobs) slots.acquire(delivery.accountId)
      return claimed
    } catch (error) {
      for (const { accountId } of finished) slots.acquire(accountId)
      ended = [...finished, ...ended]
      throw error
    } finally {
      metrics.setInFlight(slots.used)
    }
  }

  async function run(signal: AbortSignal): Promise<LoopResult> {
    if (signal.aborted) return 'idle'
    const { jobs, nextDueAtMs } = await recordAndClaim(() => ({ ...slots.capacity(), isAttempting }))
    for (const job of jobs) start(job)
    if (jobs.length > 0) return 'again'
    return nextDueAtMs === null ? 'idle' : { pauseMs: Math.max(0, nextDueAtMs - clock.nowMs()) }
  }

  const loop = startLoop({
    name: 'delivery',
    run,
    idleMs: IDLE_MS,
    clock,
    log,
    subscribe: notified => options.store.listen('deliveries', notified),
  })
  return {
    async stop() {
      await loop.stop()
      await Promise.all(attempts.values())
      if (ended.length === 0) return
      await recordAndClaim(() => NO_CAPACITY).catch(error =>
        log.error(
          { err: error, attempts: ended.length },
          'results of finished attempts not recorded; these attempts will be repeated',
        ),
      )
    },
  }
}

/** Counts the concurrent attempts of each account and adjusts its limit. */
class ConcurrencySlots {
  readonly #maxConcurrent: number
  readonly #used = new Map<number, number>()
  /** Adjusted limits by account, least recently used first. */
  readonly #limits = new Map<number, number>()
  used = 0

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent
  }

  capacity(): Omit<FreeSlots, 'isAttempting'> {
    const forAccount = (accountId: number) => this.#limitOf(accountId) - (this.#used.get(accountId) ?? 0)
    return {
      total: this.#maxConcurrent - this.used,
      forAccount,
      fullAccountIds: [...this.#used.keys()].filter(accountId => forAccount(accountId) <= 0),
    }
  }

  acquire(accountId: number): void {
    this.used += 1
    this.#used.set(accountId, (this.#used.get(accountId) ?? 0) + 1)
  }

  release(accountId: number): void {
    this.used -= 1
    const left = (this.#used.get(accountId) ?? 1) - 1
    if (left > 0) this.#used.set(accountId, left)
    else this.#used.delete(accountId)
  }

  /** Raises the limit of an account after a success and lowers it after a failure. */
  adjust(accountId: number, succeeded: boolean): void {
    const limit = nextConcurrencyLimit(this.#limitOf(accountId), succeeded)
    this.#limits.delete(accountId)
    this.#limits.set(accountId, limit)
    if (this.#limits.size <= MAX_LIMITS_KEPT) return
    const [oldest] = this.#limits.keys()
    if (oldest !== undefined) this.#limits.delete(oldest)
  }

  #limitOf(accountId: number): number {
    return this.#limits.get(accountId) ?? CONCURRENCY_LIMIT.initial
  }
}
