import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { until } from '../../../harness/until.ts'
import { createWebhookHarness } from '../../../harness/webhook.ts'

test('an event whose kept connection the receiver closes is delivered in one attempt', async t => {
  let requests = 0
  let connections = 0
  const server = createServer(socket => {
    connections += 1
    socket.on('error', () => {})
    socket.on('data', () => {
      requests += 1
      if (requests === 2) socket.destroy()
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const harness = await createWebhookHarness(t, { clock: new ManualClock() })
  const account = await harness.account(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  harness.startWorker()
  for (const count of [1, 2]) {
    await harness.webhooks.test(account)
    await until('the attempt', async () => {
      const log = await harness.attempts(account)
      return log.length === count && log.every(({ durationMs }) => durationMs !== null)
    })
  }
  assert.deepEqual(
    (await harness.attempts(account)).map(({ attempt, statusCode, error }) => [attempt, statusCode, error]),
    [
      [1, 204, null],
      [1, 204, null],
    ],
  )
  assert.deepEqual([requests, connections], [3, 2])
})
