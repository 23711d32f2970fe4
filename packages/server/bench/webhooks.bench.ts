import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createVault } from '../src/adapters/crypto/vault.ts'
import { createHttpClient } from '../src/adapters/http-client/client.ts'
import { systemClock } from '../src/adapters/system/clock.ts'
import { systemRandom } from '../src/adapters/system/random.ts'
import { NO_METRICS } from '../src/ports/metrics.ts'
import type { Store } from '../src/ports/store.ts'
import type { Vault } from '../src/ports/vault.ts'
import { createDeliveries } from '../src/services/delivery.ts'
import { createWebhooks } from '../src/services/webhook.ts'
import { openStore } from '../src/store/open.ts'
import { startDeliveryWorker } from '../src/workers/delivery.ts'
import { makeAccount } from '../test/harness/fixtures.ts'
import { silentLog } from '../test/harness/log.ts'
import { type FreshUrl, onEachDatabase } from './databases.ts'
import { report } from './report.ts'

const DELIVERIES = 6_000
const HANGING = 100
const DELIVERIES_PER_HANGING = 50
const ROUNDS = 3

/** Deliveries per second to a fast receiver: alone, and while a hundred other receivers hang until the timeout. */
export async function run(): Promise<void> {
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

async function rate(base: string, url: string, hanging: number): Promise<number> {
  const store = await openStore(url)
  const vault = createVault([randomBytes(32)], systemRandom)
  for (let index = 0; index < hanging; index++) await addReceiver(store, vault, `${base}/hang`, DELIVERIES_PER_HANGING)
  await addReceiver(store, vault, `${base}/fast`, DELIVERIES)

  const webhookHttp = createHttpClient({ allowPrivate: true })
  const shared = { store, clock: systemClock, log: silentLog }
  const deliveries = createDeliveries({ ...shared, vault, webhookHttp, random: systemRandom })
  const allDelivered = Promise.withResolvers<void>()
  let delivered = 0
  const attemptEnded = (outcome: string) => {
    if (outcome === 'success' && ++delivered === DELIVERIES) allDelivered.resolve()
  }
  const startedAt = performance.now()
  const worker = startDeliveryWorker({ ...shared, deliveries, metrics: { ...NO_METRICS, attemptEnded } })
  await allDelivered.promise
  const secs = (performance.now() - startedAt) / 1000
  webhookHttp.close()
  await worker.stop()
  await store.close()
  return DELIVERIES / secs
}

/** Creates an account with a webhook and this many due deliveries. */
async function addReceiver(store: Store, vault: Vault, url: string, due: number): Promise<void> {
  const account = await makeAccount(store)
  const webhooks = createWebhooks({ store, vault, clock: systemClock, random: systemRandom, allowPrivate: true })
  await webhooks.set(account, url)
  const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', createdAt: 1_700_000_000 } as const
  const body = JSON.stringify({ type: 'plan.updated', invoice_id: null, plan: 'Pro', expires_at: 1_800_000_000 })
  await store.write(tx => tx.events.append(Array.from({ length: due }, () => ({ ...event, body }))))
}

if (import.meta.main) await run()
