import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../src/adapters/system/clock.ts'
import type { Container } from '../src/container.ts'
import { MAX_ENDPOINTS } from '../src/domain/notify/endpoint.ts'
import { NO_METRICS } from '../src/ports/metrics.ts'
import { startEndpointWorker } from '../src/workers/notify/endpoint.ts'
import { openTestContainer, scopeOf } from '../test/harness/container.ts'
import { type FreshUrl, onEachDatabase } from './databases.ts'
import { report } from './report.ts'

const EVENTS = 200
const HANGING = 100
const EVENTS_PER_HANGING = 50
const ROUNDS = 3

/** Deliveries per second to the ten endpoints of one account: alone, and beside a hundred endpoints that hang. */
async function run(): Promise<void> {
  const receivers = new Worker(new URL('./webhook-receiver.ts', import.meta.url))
  const [port] = await once(receivers, 'message')
  const base = `http://127.0.0.1:${port}`
  await onEachDatabase((name, freshUrl) => compare(name, base, freshUrl))
  await receivers.terminate()
}

async function compare(name: string, base: string, freshUrl: FreshUrl): Promise<void> {
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await rate(base, await freshUrl(), 0))
    beside.push(await rate(base, await freshUrl(), HANGING))
  }
  // The best of each, since other load on the machine only slows a round down.
  report({
    what: `events to ${MAX_ENDPOINTS} endpoints of one account while ${HANGING} others hang, ${name}`,
    perSecond: Math.max(...beside),
    unit: 'deliveries',
    bound: { name: 'none hanging', perSecond: Math.max(...alone) },
    goal: 0.9,
  })
}

async function rate(base: string, databaseUrl: string, hanging: number): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const adapters = { databaseUrl, clock: systemClock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }
  const container = await openTestContainer(scopeOf(stack), adapters)
  for (let added = 0; added < hanging; added += MAX_ENDPOINTS)
    await addEndpoints(container, `${base}/hang`, EVENTS_PER_HANGING)
  await addEndpoints(container, `${base}/fast`, EVENTS)

  const total = MAX_ENDPOINTS * EVENTS
  const allDelivered = Promise.withResolvers<void>()
  let delivered = 0
  const attemptEnded = (outcome: string) => {
    if (outcome === 'success' && ++delivered === total) allDelivered.resolve()
  }
  const { infrastructure, services } = container
  const startedAt = performance.now()
  const worker = startEndpointWorker({ ...infrastructure, ...services, metrics: { ...NO_METRICS, attemptEnded } })
  await allDelivered.promise
  const secs = (performance.now() - startedAt) / 1000
  // Ends the hanging requests.
  infrastructure.webhookHttp.close()
  await worker.stop()
  return total / secs
}

/** Creates an account with ten endpoints, and this many events. */
async function addEndpoints({ infrastructure, services }: Container, url: string, events: number): Promise<void> {
  const account = await services.accounts.findOrCreate(`${randomUUID()}@example.org`)
  for (let index = 0; index < MAX_ENDPOINTS; index++) await services.endpoints.create(account, { url })
  const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', createdAt: 1_700_000_000 } as const
  const body = JSON.stringify({ type: 'plan.updated', invoice_id: null, plan: 'Pro', expires_at: 1_800_000_000 })
  const all = Array.from({ length: events }, () => ({ ...event, body }))
  await infrastructure.store.write(tx => services.outbox.append(tx, all))
}

await run()
