import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Store } from '../../ports/store.ts'
import { NO_TRACER, type Tracer } from '../../ports/tracer.ts'
import type { EndpointDeliveries, EndpointJob } from '../../services/notify/endpoint-delivery.ts'
import { type LoopResult, startLoop } from '../loop.ts'
import { attemptFacts } from './attempt-facts.ts'

export interface EndpointOptions {
  readonly endpointDeliveries: EndpointDeliveries
  readonly store: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Default: no traces. */
  readonly tracer?: Tracer
  /** Maximum of concurrent attempts in this process, one for each endpoint. Default 256. */
  readonly maxConcurrent?: number
}

const DEFAULT_MAX_CONCURRENT = 256
/** Fallback for notifications that were missed. */
const IDLE_MS = 5_000
const LOOK_AGAIN_MS = 20
/** Pauses between the attempts to record a result, until the attempt counts as lost. */
const RECORD_PAUSES_MS = [200, 1_000, 3_000]

/**
 * Starts the loop that sends events to endpoints, one at a time to each. Endpoints whose last attempt failed use at most
 * half of the attempts, so that many that hang leave room for the others.
 */
export function startEndpointWorker(options: EndpointOptions): { stop(): Promise<void> } {
  const { endpointDeliveries, clock, log, metrics, maxConcurrent = DEFAULT_MAX_CONCURRENT } = options
  const { tracer = NO_TRACER } = options
  /** By the row id of the endpoint: whether it was failing before. */
  const running = new Map<number, { readonly isFailing: boolean; readonly done: Promise<void> }>()

  async function record(job: EndpointJob, result: Awaited<ReturnType<EndpointDeliveries['attempt']>>): Promise<void> {
    for (const pauseMs of [...RECORD_PAUSES_MS, null]) {
      try {
        return await endpointDeliveries.record(job, result)
      } catch (error) {
        if (pauseMs === null)
          return log.error(
            { err: error, attempts: 1 },
            'results of finished attempts not recorded; these attempts will be repeated',
          )
        await clock.sleep(pauseMs)
      }
    }
  }

  async function attempt(job: EndpointJob): Promise<void> {
    const span = tracer.start('client')
    const result = await endpointDeliveries.attempt(job)
    const succeeded = result.error === null
    span.end('webhook attempt', !succeeded, attemptFacts(job.event.type, job.attempt, result.statusCode))
    metrics.attemptEnded(succeeded ? 'success' : 'failure', result.durationMs / 1000)
    if (succeeded) metrics.deliveryEnded('delivered', Math.max(0, clock.nowMs() / 1000 - job.event.createdAt))
    await record(job, result)
  }

  /** Endpoints to begin an attempt at, within the limits. */
  async function nextDue() {
    const free = maxConcurrent - running.size
    if (free <= 0) return []
    const failing = [...running.values()].filter(({ isFailing }) => isFailing).length
    const room = Math.max(0, Math.floor(maxConcurrent / 2) - failing)
    return endpointDeliveries.listDue({ limit: free, failing: room, except: [...running.keys()] })
  }

  async function run(signal: AbortSignal): Promise<LoopResult> {
    if (signal.aborted) return 'idle'
    const dueAtMs = await endpointDeliveries.nextDueAtMs()
    if (dueAtMs === null) return 'idle'
    const hasMore = dueAtMs === 0 && (await endpointDeliveries.wake())
    const due = await nextDue()
    const jobs = await endpointDeliveries.claim(due)
    for (const job of jobs) {
      const endpoint = due.find(({ publicId }) => publicId === job.endpointId)
      if (!endpoint) continue
      const done = attempt(job).finally(() => {
        running.delete(endpoint.id)
        loop.notify()
      })
      running.set(endpoint.id, { isFailing: endpoint.failingSince !== null, done })
    }
    if (hasMore || jobs.length > 0) return 'again'
    const nextMs = await endpointDeliveries.nextDueAtMs()
    if (nextMs === null) return 'idle'
    if (nextMs > clock.nowMs()) return { pauseMs: nextMs - clock.nowMs() }
    // Those that were looked at have more to look through, or another process is at them. Others have no room: the end of
    // an attempt notifies the loop.
    return due.length > 0 ? { pauseMs: LOOK_AGAIN_MS } : 'idle'
  }

  const loop = startLoop({
    name: 'endpoint',
    run,
    idleMs: IDLE_MS,
    clock,
    log,
    subscribe: notified => options.store.listen('events', notified),
  })
  return {
    async stop() {
      await loop.stop()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}
