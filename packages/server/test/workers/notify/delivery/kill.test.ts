import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { SkewedClock } from '../../../harness/skewed-clock.ts'
import { until } from '../../../harness/until.ts'
import { createWebhookHarness } from '../../../harness/webhook.ts'

const KILLS = 20
const ACCOUNTS = 20
const EACH = 50
const TOTAL = ACCOUNTS * EACH
/** Makes the 15 s after which an interrupted attempt is retried shorter than a second. */
const FACTOR = 20

test(`1,000 deliveries survive ${KILLS} kills: each arrives, with four attempts at most`, async t => {
  const merchant = await WebhookReceiver.start()
  t.after(() => merchant.close())
  const paths = Array.from({ length: ACCOUNTS }, (_, index) => `/${index}`)
  for (const path of paths) merchant.script([{ kind: 'status', status: 200, delayMs: 5 }], path)
  const sinceMs = Date.now()
  const harness = await createWebhookHarness(t, { clock: new SkewedClock({ sinceMs, factor: FACTOR }) })
  const accounts = await Promise.all(paths.map(path => harness.account(new URL(path, merchant.url).href)))
  for (const account of accounts) for (let raised = 0; raised < EACH; raised++) await harness.raise(account, '{}')

  const args = [harness.url, String(sinceMs), String(FACTOR)]
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = startProcess(t, args)
    await merchant.waitFor(Math.floor((kill * TOTAL) / (KILLS + 1)), AbortSignal.timeout(30_000))
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  startProcess(t, args)
  await until(
    'the end of all deliveries',
    async () => (await harness.store.read(tx => tx.deliveries.countOpen())) === 0,
    60_000,
  )

  const logs = (await Promise.all(accounts.map(harness.attempts))).flat()
  const arrived = new Set(merchant.deliveries.map(({ headers }) => headers['webhook-id']))
  const attemptsById = Map.groupBy(logs, ({ deliveryPublicId }) => deliveryPublicId)
  assert.equal(attemptsById.size, TOTAL)
  for (const [id, attempts] of attemptsById) {
    assert.ok(arrived.has(id), `delivery ${id} did not arrive`)
    assert.deepEqual(
      attempts.map(({ attempt }) => attempt),
      attempts.map((_, index) => index + 1),
    )
    assert.ok(attempts.length <= 4)
    // After four interrupted attempts the delivery has arrived, but no response was recorded.
    assert.ok(attempts[0]?.deliveryState === 'delivered' || attempts.length === 4)
  }
  assert.ok(merchant.deliveries.length <= logs.length, 'every request is logged')
  const interrupted = logs.filter(({ error }) => error?.startsWith('interrupted'))
  assert.ok(interrupted.length > 0, 'some kills interrupted an attempt')
  const counts = [1, 2, 3, 4].map(
    count => [...attemptsById.values()].filter(attempts => attempts.length === count).length,
  )
  t.diagnostic(`deliveries by their number of attempts: ${counts.join(', ')}`)
  t.diagnostic(
    `${interrupted.length} attempts were interrupted, ${merchant.deliveries.length - TOTAL} arrivals were duplicates`,
  )
})

function startProcess(t: TestContext, args: readonly string[]) {
  const script = fileURLToPath(new URL('../../../harness/delivery-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'ignore', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  return child
}
