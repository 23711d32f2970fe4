import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../src/adapters/system/clock.ts'
import type { Container } from '../src/container.ts'
import type { Metrics } from '../src/ports/metrics.ts'
import { NO_METRICS } from '../src/ports/metrics.ts'
import { openTestContainer, scopeOf } from '../test/harness/container.ts'
import { onEachDatabase } from './databases.ts'
import { report } from './report.ts'

export const HANGING = 100
const ROUNDS = 3

interface Deliveries {
  readonly what: string
  /** Deliveries that fast receivers get. */
  readonly total: number
  /** Queues them, and what the hanging receivers get. @param base the URL before `/fast` and `/hang` */
  prepare(container: Container, base: string, hanging: number): Promise<void>
  start(container: Container, metrics: Metrics): { stop(): Promise<void> }
}

/** Deliveries per second to fast receivers: alone, and while a hundred others hang until the timeout. */
export async function compareBesideHanging(deliveries: Deliveries): Promise<void> {
  const receivers = new Worker(new URL('./webhook-receiver.ts', import.meta.url))
  const [port] = await once(receivers, 'message')
  const base = `http://127.0.0.1:${port}`
  await onEachDatabase(async (name, freshUrl) => {
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await rate(deliveries, base, await freshUrl(), 0))
      beside.push(await rate(deliveries, base, await freshUrl(), HANGING))
    }
    // The best of each, since other load on the machine only slows a round down.
    report({
      what: `${deliveries.what}, ${name}`,
      perSecond: Math.max(...beside),
      unit: 'deliveries',
      bound: { name: 'none hanging', perSecond: Math.max(...alone) },
      goal: 0.9,
    })
  })
  await receivers.terminate()
}

async function rate(
  { total, prepare, start }: Deliveries,
  base: string,
  databaseUrl: string,
  hanging: number,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const adapters = { databaseUrl, clock: systemClock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }
  const container = await openTestContainer(scopeOf(stack), adapters)
  await prepare(container, base, hanging)
  const allDelivered = Promise.withResolvers<void>()
  let delivered = 0
  const attemptEnded = (outcome: string) => {
    if (outcome === 'success' && ++delivered === total) allDelivered.resolve()
  }
  const startedAt = performance.now()
  const worker = start(container, { ...NO_METRICS, attemptEnded })
  await allDelivered.promise
  const secs = (performance.now() - startedAt) / 1000
  // Ends the hanging requests.
  container.infrastructure.webhookHttp.close()
  await worker.stop()
  return total / secs
}

/** Adds this many events to an account. */
export async function addEvents(
  { infrastructure, services }: Container,
  accountId: number,
  count: number,
): Promise<void> {
  const event = { accountId, invoiceId: null, type: 'plan.updated', createdAt: 1_700_000_000 } as const
  const body = JSON.stringify({ type: 'plan.updated', invoice_id: null, plan: 'Pro', expires_at: 1_800_000_000 })
  const all = Array.from({ length: count }, () => ({ ...event, body }))
  await infrastructure.store.write(tx => services.outbox.append(tx, all))
}
