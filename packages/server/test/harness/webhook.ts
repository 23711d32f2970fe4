import type { TestContext } from 'node:test'
import { createServices } from '../../src/container.ts'
import type { Account } from '../../src/domain/account/account.ts'
import { type Clock, nowSecs } from '../../src/ports/clock.ts'
import type { HttpClient } from '../../src/ports/http-client.ts'
import type { Metrics } from '../../src/ports/metrics.ts'
import type { Store } from '../../src/ports/store.ts'
import type { ShownAttempt } from '../../src/services/notify/delivery-log.ts'
import type { Webhooks } from '../../src/services/notify/webhook.ts'
import { type DeliveryWorker, startDeliveryWorker } from '../../src/workers/notify/delivery.ts'
import { openTestContainer, scopeOf, stackOf, type TestContainerOptions } from './container.ts'

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
  attempts(account: Account): Promise<ShownAttempt[]>
  /** Starts a delivery worker, like a separate process. */
  startWorker(options?: { maxConcurrent?: number; metrics?: Metrics; store?: Store }): DeliveryWorker
}

/** Webhooks on an empty SQLite file, or the given database, that may be sent to this host. */
export async function createWebhookHarness(t: TestContext, options: TestContainerOptions): Promise<WebhookHarness> {
  const stack = stackOf(t)
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }
  const { infrastructure, services } = await openTestContainer(scopeOf(stack), { ...options, env })
  const { clock, config, store } = infrastructure
  const { accounts, outbox, webhooks } = services
  const workers: DeliveryWorker[] = []
  stack.defer(async () => {
    for (const worker of workers) await worker.stop()
    infrastructure.webhookHttp.close()
  })
  return {
    url: config.databaseUrl,
    store,
    webhooks,
    clock,
    http: infrastructure.webhookHttp,

    async account(webhookUrl) {
      const account = await accounts.findOrCreate(`${infrastructure.random.uuid()}@example.com`)
      if (webhookUrl !== undefined) await webhooks.set(account, webhookUrl)
      return account
    },

    async raise(account, body) {
      const event = {
        accountId: account.id,
        invoiceId: null,
        type: 'plan.updated',
        body,
        createdAt: nowSecs(clock),
      } as const
      await store.write(tx => outbox.append(tx, [event]))
    },

    async attempts(account) {
      const attempts = await webhooks.attempts(account, { limit: 200 })
      return Promise.all(attempts.reverse().map(({ publicId }) => webhooks.attempt(account, publicId)))
    },

    startWorker({ maxConcurrent, ...adapters } = {}) {
      const process = { ...infrastructure, ...adapters }
      const { deliveries } = createServices(process, null)
      const worker = startDeliveryWorker({
        ...process,
        deliveries,
        ...(maxConcurrent !== undefined && { maxConcurrent }),
      })
      workers.push(worker)
      return worker
    },
  }
}
