import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { createHttpClient } from '../../src/adapters/http-client/client.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import type { Account } from '../../src/domain/account.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { HttpClient } from '../../src/ports/http-client.ts'
import type { Metrics } from '../../src/ports/metrics.ts'
import { NO_METRICS } from '../../src/ports/metrics.ts'
import type { AttemptDetail } from '../../src/ports/repository/delivery.ts'
import type { Store } from '../../src/ports/store.ts'
import { createDeliveries } from '../../src/services/delivery.ts'
import type { Webhooks } from '../../src/services/webhook.ts'
import { createWebhooks } from '../../src/services/webhook.ts'
import { openStore } from '../../src/store/open.ts'
import type { DeliveryWorker } from '../../src/workers/delivery.ts'
import { startDeliveryWorker } from '../../src/workers/delivery.ts'
import { silentLog } from './log.ts'

export interface WebhookHarness {
  readonly url: string
  readonly store: Store
  readonly webhooks: Webhooks
  readonly clock: Clock
  readonly http: HttpClient
  /** Creates an account, with a webhook if a URL is given. */
  account(webhookUrl?: string): Promise<Account>
  /** Appends an event, like the services do. */
  raise(account: Account, body: string): Promise<void>
  /** All attempts of the account, oldest first. */
  attempts(account: Account): Promise<AttemptDetail[]>
  /** Starts a delivery worker, like a separate process. */
  startWorker(options?: { most?: number; meter?: Metrics; store?: Store }): DeliveryWorker
}

/** Creates a folder that is deleted after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-webhooks-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function createWebhookHarness(
  t: TestContext,
  options: { readonly clock: Clock; readonly outbound?: HttpClient; readonly url?: string; readonly key?: Uint8Array },
): Promise<WebhookHarness> {
  const { clock, url = `sqlite:${join(temporaryFolder(t), 'test.db')}` } = options
  const store = await openStore(url)
  const http = options.outbound ?? createHttpClient({ allowPrivate: true })
  const vault = createVault([options.key ?? randomBytes(32)], systemRandom)
  const shared = { vault, clock, random: systemRandom }
  const webhooks = createWebhooks({ ...shared, store, allowPrivate: true })
  const workers: DeliveryWorker[] = []
  t.after(async () => {
    for (const worker of workers) await worker.stop()
    http.close()
    await store.close()
  })
  return {
    url,
    store,
    webhooks,
    clock,
    http,

    async account(webhookUrl) {
      const publicId = systemRandom.uuid()
      const account = await store.write(tx =>
        tx.accounts.insert({
          publicId,
          email: `${publicId}@example.com`,
          network: 'regtest',
          confirmations: 3,
          plan: 'Free',
          createdAt: Math.floor(clock.nowMs() / 1000),
        }),
      )
      if (!account) throw new Error('the account was not created')
      if (webhookUrl !== undefined) await webhooks.set(account, webhookUrl)
      return account
    },

    async raise(account, body) {
      const createdAt = Math.floor(clock.nowMs() / 1000)
      const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', body, createdAt } as const
      await store.write(tx => tx.events.append([event]))
    },

    async attempts(account) {
      const attempts = await webhooks.attempts(account, { limit: 200 })
      return Promise.all(attempts.reverse().map(({ publicId }) => webhooks.attempt(account, publicId)))
    },

    startWorker({ most, meter: metrics = NO_METRICS, store: workerStore = store } = {}) {
      const deliveries = createDeliveries({ ...shared, store: workerStore, webhookHttp: http, log: silentLog })
      const worker = startDeliveryWorker({
        deliveries,
        store: workerStore,
        clock,
        log: silentLog,
        metrics,
        ...(most !== undefined && { maxConcurrent: most }),
      })
      workers.push(worker)
      return worker
    },
  }
}
