import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpClient } from '../../../src/ports/http-client.ts'
import type { Store } from '../../../src/ports/store.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { until } from '../../harness/until.ts'
import { createWebhookHarness } from '../../harness/webhook.ts'

test('a process does not claim its own attempt again when a stall has outlasted the lease', async t => {
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
      const result = await harness.store.write(work)
      // The first write claims the delivery.
      if (++writes === 1) clock.advance(60)
      return result
    },
  }
  harness.startWorker({ store: stalling })
  await until('the run after the claim', () => writes >= 2)
  response.resolve()
  const [attempt] = await until('the result', async () => {
    const attempts = await harness.attempts(account)
    return attempts[0]?.durationMs !== null && attempts
  })
  assert.deepEqual([attempt?.statusCode, attempt?.error], [204, null])
  assert.equal((await harness.attempts(account)).length, 1)
  assert.equal(sent, 1)
})
