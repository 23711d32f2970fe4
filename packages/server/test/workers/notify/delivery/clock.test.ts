import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { systemClock } from '../../../../src/adapters/system/clock.ts'
import { createWebhookHarness } from '../../../harness/webhook.ts'

test('an attempt to a hanging or slow receiver fails after five real seconds, and the retry delay counts from then', async t => {
  const merchant = await WebhookReceiver.start()
  t.after(() => merchant.close())
  merchant.script([{ kind: 'hang' }], '/hang')
  merchant.script([{ kind: 'slow_body' }], '/drip')
  const harness = await createWebhookHarness(t, {
    clock: systemClock,
  })
  const hanging = await harness.account(`${merchant.url}hang`)
  const dripping = await harness.account(`${merchant.url}drip`)
  harness.startWorker()
  for (const account of [hanging, dripping]) await harness.webhooks.test(account)
  await merchant.waitFor(4, AbortSignal.timeout(60_000))

  for (const [path, account, statusCode, error] of [
    ['/hang', hanging, null, 'no response within 5 s'],
    ['/drip', dripping, 200, 'no complete response within 5 s'],
  ] as const) {
    const [first] = await harness.attempts(account)
    assert.equal(first?.error, error)
    assert.equal(first?.statusCode, statusCode)
    const tookMs = first?.durationMs ?? 0
    assert.ok(tookMs >= 4_990, `given up after ${tookMs} ms`)
    const times = merchant.deliveries.filter(delivery => delivery.path === path).map(({ receivedAtMs }) => receivedAtMs)
    const gapMs = (times[1] as number) - (times[0] as number)
    // Up to 15 s minus the transfer time of the first request. Tests with a manual clock check the exact times.
    assert.ok(gapMs >= 14_500, `sent again after ${gapMs} ms`)
  }
})
