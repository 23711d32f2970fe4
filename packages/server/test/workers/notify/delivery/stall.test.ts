import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { HttpClient } from '../../../../src/ports/http-client.ts'
import { type Metrics, NO_METRICS } from '../../../../src/ports/metrics.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { until } from '../../../harness/until.ts'
import { createWebhookHarness } from '../../../harness/webhook.ts'

test('a process does not claim its own attempt again when a stall has outlasted the lease', async t => {
  const { delivery, response, writes } = await stalledDelivery(t)
  await until('the run after the claim', () => writes() >= 2)
  response.resolve()
  await assertSentOnce(delivery)
})

test('nor when the attempt ends while the next run is claiming', async t => {
  const ended = Promise.withResolvers<void>()
  const metrics = { ...NO_METRICS, attemptEnded: () => ended.resolve() }
  const { delivery } = await stalledDelivery(t, {
    metrics,
    async beforeWrite(write, response) {
      if (write !== 2) return
      response.resolve()
      await ended.promise
    },
  })
  await assertSentOnce(delivery)
})

interface Stall {
  readonly metrics?: Metrics
  /** Called with the number of each write, from 1 on, in its transaction. The first one claims the delivery. */
  beforeWrite?(write: number, response: PromiseWithResolvers<void>): Promise<void>
}

/** A delivery whose lease ends before its attempt begins. The receiver answers when `response` is resolved. */
async function stalledDelivery(t: TestContext, { metrics = NO_METRICS, beforeWrite }: Stall = {}) {
  const clock = new ManualClock()
  const response = Promise.withResolvers<void>()
  let sent = 0
  const webhookHttp: HttpClient = {
    async send() {
      sent += 1
      await response.promise
      return { status: 204, headers: {}, body: new Uint8Array() }
    },
    close() {},
  }
  const harness = await createWebhookHarness(t, { clock, webhookHttp })
  const account = await harness.account('http://127.0.0.1:1/webhook')
  await harness.webhooks.test(account)
  let writes = 0
  const stalling: Store = {
    ...harness.store,
    async write(work) {
      const write = ++writes
      const result = await harness.store.write(async tx => {
        await beforeWrite?.(write, response)
        return work(tx)
      })
      if (write === 1) clock.advance(60)
      return result
    },
  }
  harness.startWorker({ store: stalling, metrics })
  const delivery = { attempts: () => harness.attempts(account), sent: () => sent }
  return { delivery, response, writes: () => writes }
}

type StalledDelivery = Awaited<ReturnType<typeof stalledDelivery>>['delivery']

async function assertSentOnce({ attempts, sent }: StalledDelivery): Promise<void> {
  const [attempt] = await until('the result', async () => {
    const all = await attempts()
    return all.length > 0 && all.every(({ durationMs }) => durationMs !== null) && all
  })
  assert.deepEqual([attempt?.statusCode, attempt?.error], [204, null])
  assert.equal((await attempts()).length, 1)
  assert.equal(sent(), 1)
}
