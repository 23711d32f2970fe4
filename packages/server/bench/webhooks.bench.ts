import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../src/adapters/system/clock.ts'
import type { Container } from '../src/container.ts'
import { NO_METRICS } from '../src/ports/metrics.ts'
import { startDeliveryWorker } from '../src/workers/notify/delivery.ts'
import { openTestContainer, scopeOf } from '../test/harness/container.ts'
import { type FreshUrl, onEachDatabase } from './databases.ts'
import { report } from './report.ts'

const DELIVERIES = 6_000
const HANGING = 100
const DELIVERIES_PER_HANGING = 50
const ROUNDS = 3

/** Deliveries per second to a fast receiver: alone, and while a hundred other receivers hang until the timeout. */
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
    what: `webhooks to a fast receiver while ${HANGING} hang, ${name}`,
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
  for (let index = 0; index < hanging; index++) await addReceiver(container, `${base}/hang`, DELIVERIES_PER_HANGING)
  await addReceiver(container, `${base}/fast`, DELIVERIES)

  const allDelivered = Promise.withResolvers<void>()
  let delivered = 0
  const attemptEnded = (outcome: string) => {
    if (outcome === 'success' && ++delivered === DELIVERIES) allDelivered.resolve()
  }
  const { infrastructure, services } = container
  const startedAt = performance.now()
  const worker = startDeliveryWorker({
    ...infrastructure,
    ...services,
    metrics: { ...NO_METRICS, attemptEnded },
  })
  await allDelivered.promise
  const secs = (performance.now() - startedAt) / 1000
  // Ends the hanging requests.
  infrastructure.webhookHttp.close()
  await worker.stop()
  return DELIVERIES / secs
}

/** Creates an account with a webhook and this many due deliveries. */
async function addReceiver({ infrastructure, services }: Container, url: string, due: number): Promise<void> {
  const account = await services.accounts.findOrCreate(`${randomUUID()}@example.org`)
  await services.webhooks.set(account, url)
  const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', createdAt: 1_700_000_000 } as const
  const body = JSON.stringify({ type: 'plan.updated', invoice_id: null, plan: 'Pro', expires_at: 1_800_000_000 })
  await infrastructure.store.write(tx =>
    services.outbox.append(
      tx,
      Array.from({ length: due }, () => ({ ...event, body })),
    ),
  )
}

await run()
