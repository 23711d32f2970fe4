import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { Delivery, WebhookResponse } from '@zatgate/sandbox/webhook-receiver'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { verifyWebhook } from '@zatgate/sdk/webhook'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { createHttpClient } from '../../../../src/adapters/http-client/client.ts'
import type { Account } from '../../../../src/domain/account/account.ts'
import { invoiceEventBody } from '../../../../src/domain/notify/event.ts'
import type { HttpClient } from '../../../../src/ports/http-client.ts'
import { NO_METRICS } from '../../../../src/ports/metrics.ts'
import { openStore } from '../../../../src/store/open.ts'
import { invoiceWith } from '../../../harness/invoice.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { testOutbox } from '../../../harness/outbox.ts'
import { until } from '../../../harness/until.ts'
import type { WebhookHarness } from '../../../harness/webhook.ts'
import { createWebhookHarness } from '../../../harness/webhook.ts'

async function receiver(t: TestContext, responses?: readonly WebhookResponse[]): Promise<WebhookReceiver> {
  const started = await WebhookReceiver.start()
  t.after(() => started.close())
  if (responses) started.script(responses)
  return started
}

/** Waits until `count` attempts have ended and returns all attempts. */
function ended(harness: WebhookHarness, account: Account, count: number) {
  return until(`${count} ended attempts`, async () => {
    const log = await harness.attempts(account)
    return log.length >= count && log.every(({ durationMs }) => durationMs !== null) && log
  })
}

/** Advances the clock in steps of a second and lets pending work run after each. */
async function advanceTime(clock: ManualClock, secs: number): Promise<void> {
  for (let passed = 0; passed < secs; passed++) {
    clock.advance(1)
    await new Promise(resolve => setImmediate(resolve))
  }
}

const INVOICE = invoiceWith({ receivedZat: 6_000n, overpaidZat: 1_000n, txid: 'ab'.repeat(32) })

test('paid, underpaid and test events arrive with exact bytes and headers, and every verifier accepts them', async t => {
  const merchant = await receiver(t)
  const clock = new ManualClock(Math.floor(Date.now() / 1000))
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account()
  const { secret } = await harness.webhooks.set(account, `${merchant.url}hooks?shop=1`)
  assert.match(secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
  harness.startWorker()

  const bodies = [
    invoiceEventBody('invoice.paid', { ...INVOICE, status: 'paid' }, null),
    invoiceEventBody('invoice.underpaid', { ...INVOICE, status: 'underpaid' }, null),
  ]
  for (const body of bodies) await harness.raise(account, body)
  const testId = await harness.webhooks.test(account)
  const received = await merchant.waitFor(3)

  assert.deepEqual(
    received.map(({ body }) => body.toString()).sort(),
    [...bodies, '{"type":"test","invoice_id":null}'].sort(),
  )
  assert.equal(
    bodies[0],
    '{"type":"invoice.paid","invoice_id":"6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f","status":"paid","amount_zat":5000,' +
      `"received_zat":6000,"overpaid_zat":1000,"txid":"${'ab'.repeat(32)}","swap":null}`,
  )
  for (const delivery of received) await confirm(delivery, secret as string)
  assert.ok(received.some(({ headers }) => headers['webhook-id'] === testId))
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 3)
})

async function confirm({ method, path, headers, body }: Delivery, secret: string): Promise<void> {
  assert.deepEqual([method, path], ['POST', '/hooks?shop=1'])
  assert.equal(headers['content-type'], 'application/json')
  assert.match(headers['user-agent'] ?? '', /^zatgate/)
  assert.match(headers['x-service-signature'] ?? '', /^[0-9a-f]{64}$/)
  const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: body, encoding: 'utf8' })
  assert.equal(openssl.trim().split(' ').at(-1), headers['x-service-signature'])
  new StandardWebhook(secret).verify(body, { ...headers })
  await verifyWebhook(body, headers, secret, { scheme: 'standard' })
  await verifyWebhook(body, headers, secret, { scheme: 'service' })
}

const FAULTS: readonly [string, WebhookResponse, number | null, RegExp][] = [
  ['500', { kind: 'status', status: 500, body: 'oh no' }, 500, /^answered 500$/],
  ['302', { kind: 'redirect', location: '/elsewhere' }, 302, /redirects are not followed/],
  ['410', { kind: 'status', status: 410 }, 410, /^answered 410$/],
  ['a reset', { kind: 'reset' }, null, /^connection reset$/],
  ['1 GB', { kind: 'large_body' }, 200, /larger than 1048576 bytes/],
]

for (const [name, response, statusCode, error] of FAULTS) {
  test(`a receiver that responds with ${name} gets four attempts on schedule, and each is logged`, async t => {
    const merchant = await receiver(t, [response])
    const clock = new ManualClock()
    const start = clock.nowMs()
    const harness = await createWebhookHarness(t, { clock })
    const account = await harness.account(merchant.url)
    harness.startWorker()
    await harness.webhooks.test(account)

    let elapsed = 0
    for (const [attempt, waitSecs] of [0, 10, 60, 300].entries()) {
      if (waitSecs > 0) {
        await advanceTime(clock, waitSecs - 1)
        assert.equal((await harness.attempts(account)).length, attempt, 'not a second early')
        await advanceTime(clock, 1)
      }
      elapsed += waitSecs
      const log = await ended(harness, account, attempt + 1)
      const last = log.at(-1)
      assert.equal(last?.attempt, attempt + 1)
      assert.equal(last?.statusCode, statusCode)
      assert.match(last?.error ?? '', error)
      assert.equal(last?.createdAt, start / 1000 + elapsed)
      assert.equal(last?.url, merchant.url)
    }
    await advanceTime(clock, 600)
    const log = await harness.attempts(account)
    assert.equal(log.length, 4)
    assert.equal(log[3]?.deliveryState, 'failed')
    if (name === '500') assert.equal(log[0]?.response, 'oh no')
    assert.equal(new Set(merchant.deliveries.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(merchant.deliveries.length, 4)
  })
}

test('a blocked address is a logged attempt with the reason, and is retried', async t => {
  const clock = new ManualClock()
  const resolve = async () => ['10.0.0.1']
  const harness = await createWebhookHarness(t, {
    clock,
    webhookHttp: createHttpClient({ allowPrivate: false, resolve }),
  })
  const accounts = await Promise.all(
    ['https://169.254.169.254/', 'https://inside.example/', 'http://shop.example/'].map(harness.account),
  )
  harness.startWorker()
  for (const account of accounts) await harness.webhooks.test(account)
  const errors = await Promise.all(accounts.map(async account => (await ended(harness, account, 1))[0]?.error))
  assert.deepEqual(errors, [
    'the address is not public (linkLocal); for development, WEBHOOK_ALLOW_PRIVATE allows it',
    'the name resolves to a non-public address (private); for development, WEBHOOK_ALLOW_PRIVATE allows it',
    'the URL is not https; for development, WEBHOOK_ALLOW_PRIVATE allows it',
  ])
  await advanceTime(clock, 10)
  await ended(harness, accounts[0] as Account, 2)
})

test('after a rotation between two attempts, the second is signed with the new secret only', async t => {
  const merchant = await receiver(t, [
    { kind: 'status', status: 503 },
    { kind: 'status', status: 200 },
  ])
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account()
  const { secret: old } = await harness.webhooks.set(account, merchant.url)
  harness.startWorker()
  await harness.webhooks.test(account)
  await ended(harness, account, 1)
  const newSecret = await harness.webhooks.rotateSecret(account)
  await advanceTime(clock, 10)
  await ended(harness, account, 2)

  const [first, second] = merchant.deliveries as [Delivery, Delivery]
  const options = { nowMs: clock.nowMs() }
  await verifyWebhook(first.body, first.headers, old as string, options)
  await verifyWebhook(second.body, second.headers, newSecret, options)
  await assert.rejects(verifyWebhook(second.body, second.headers, old as string, { ...options, scheme: 'service' }))
  await assert.rejects(verifyWebhook(second.body, second.headers, old as string, { ...options, scheme: 'standard' }))
})

test('after a change of the URL between two attempts, the second is sent to the new URL', async t => {
  const merchant = await receiver(t)
  merchant.script([{ kind: 'status', status: 404 }], '/old')
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account(`${merchant.url}old`)
  harness.startWorker()
  await harness.webhooks.test(account)
  await ended(harness, account, 1)
  assert.equal((await harness.webhooks.set(account, `${merchant.url}new`)).secret, null)
  await advanceTime(clock, 10)
  const log = await ended(harness, account, 2)
  assert.deepEqual(
    log.map(({ url }) => new URL(url).pathname),
    ['/old', '/new'],
  )
})

test('a webhook removed between two attempts gets no more requests, and a new webhook starts without deliveries', async t => {
  const merchant = await receiver(t, [{ kind: 'status', status: 500 }])
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account(merchant.url)
  harness.startWorker()
  await harness.webhooks.test(account)
  await ended(harness, account, 1)
  await harness.webhooks.remove(account)
  assert.notEqual((await harness.webhooks.set(account, merchant.url)).secret, null)
  await advanceTime(clock, 400)
  assert.equal((await harness.attempts(account)).length, 1)
  assert.equal((await harness.attempts(account))[0]?.deliveryState, 'canceled')
})

test('a restart between two attempts does not lose the delivery or send it early', async t => {
  const merchant = await receiver(t, [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 200 },
  ])
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account(merchant.url)
  const first = harness.startWorker()
  await harness.webhooks.test(account)
  await ended(harness, account, 1)
  await first.stop()
  await advanceTime(clock, 5)

  harness.startWorker({ store: await reopened(t, harness.url) })
  await advanceTime(clock, 4)
  assert.equal(merchant.deliveries.length, 1)
  await advanceTime(clock, 1)
  const log = await ended(harness, account, 2)
  assert.equal(log[1]?.deliveryState, 'delivered')
})

async function reopened(t: TestContext, url: string) {
  const store = await openStore(url)
  t.after(() => store.close())
  return store
}

/** Accepts requests and never responds, like a process that crashes during an attempt. */
function silentHttp(): HttpClient & { readonly sent: number } {
  let sent = 0
  return {
    get sent() {
      return sent
    },
    send: () => {
      sent += 1
      return new Promise(() => {})
    },
    close: () => {},
  }
}

test('attempts interrupted by crashes count, continue in another process on schedule, and are four at most', async t => {
  const http = silentHttp()
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock, webhookHttp: http })
  const account = await harness.account('http://shop.example/')
  // These workers are never stopped, like a killed process.
  const crash = () => {
    const worker = harness.startWorker()
    worker.stop = async () => {}
  }
  await harness.webhooks.test(account)
  for (const [attempt, waitSecs] of [0, 15, 65, 305].entries()) {
    if (waitSecs > 1) await advanceTime(clock, waitSecs - 1)
    assert.equal(http.sent, attempt, 'not early')
    if (waitSecs > 0) await advanceTime(clock, 1)
    crash()
    await until('the next attempt', () => http.sent === attempt + 1)
  }
  await advanceTime(clock, 16)
  // A process does not give up its own attempts, which end in time: another one finds the last of them.
  harness.startWorker()
  const log = await until('the end', async () => {
    const rows = await harness.attempts(account)
    return rows.at(-1)?.deliveryState === 'failed' && rows
  })
  assert.deepEqual(
    log.map(({ attempt, error, durationMs, statusCode }) => [attempt, error?.split(':')[0], durationMs, statusCode]),
    [1, 2, 3, 4].map(attempt => [attempt, 'interrupted', null, null]),
  )
  await advanceTime(clock, 1_000)
  assert.equal(http.sent, 4)
})

test('a resent delivery is a new delivery with the same body and its own attempts', async t => {
  const merchant = await receiver(t)
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account(merchant.url)
  harness.startWorker()
  await harness.raise(account, '{"type":"plan.updated","ü":1}')
  const [first] = await ended(harness, account, 1)
  const resentId = await harness.webhooks.resend(account, (first?.deliveryPublicId ?? '').toUpperCase())
  const log = await ended(harness, account, 2)
  assert.equal(log[1]?.deliveryPublicId, resentId)
  assert.notEqual(resentId, first?.deliveryPublicId)
  assert.deepEqual(
    log.map(({ attempt, requestBody }) => [attempt, requestBody]),
    [1, 1].map(attempt => [attempt, '{"type":"plan.updated","ü":1}']),
  )
  assert.ok(merchant.deliveries[0]?.body.equals(merchant.deliveries[1]?.body as Buffer))
})

test('an account with 10,000 due deliveries does not starve one with a single delivery', async t => {
  const order: number[] = []
  const http: HttpClient = {
    async send({ url }) {
      order.push(Number(new URL(url).pathname.slice(1)))
      await new Promise(resolve => setImmediate(resolve))
      return { status: 200, headers: {}, body: new Uint8Array() }
    },
    close: () => {},
  }
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock, webhookHttp: http })
  const busy = await harness.account('http://shop.example/1')
  const quiet = await harness.account('http://shop.example/2')
  const createdAt = clock.secs - 100
  await harness.store.write(tx =>
    testOutbox.append(
      tx,
      Array.from({ length: 10_000 }, () => ({
        accountId: busy.id,
        invoiceId: null,
        type: 'plan.updated' as const,
        body: '{}',
        createdAt,
      })),
    ),
  )
  await harness.webhooks.test(quiet)
  harness.startWorker()
  await until('all to be sent', () => order.length === 10_001, 30_000)
  assert.ok(order.indexOf(2) < 40, `the single delivery came after ${order.indexOf(2)} others`)
})

test('hanging receivers use few slots each: a good receiver behind a hundred of them is served at once', async t => {
  let hanging = 0
  let maxConcurrent = 0
  const http: HttpClient = {
    async send({ url }) {
      if (url.endsWith('/good')) return { status: 204, headers: {}, body: new Uint8Array() }
      hanging += 1
      maxConcurrent = Math.max(maxConcurrent, hanging)
      return new Promise(() => {})
    },
    close: () => {},
  }
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock, webhookHttp: http })
  for (let made = 0; made < 100; made++) {
    const account = await harness.account('http://shop.example/hang')
    for (let raised = 0; raised < 5; raised++) await harness.raise(account, '{}')
  }
  const good = await harness.account('http://shop.example/good')
  for (let raised = 0; raised < 50; raised++) await harness.raise(good, '{}')
  const worker = harness.startWorker()
  worker.stop = async () => {}
  await ended(harness, good, 50)
  assert.equal(maxConcurrent, 200)
})

test('concurrent attempts stay within the limit of the process, and the metric shows them', async t => {
  let underWay = 0
  let maxConcurrent = 0
  const gauge: number[] = []
  const http: HttpClient = {
    async send() {
      maxConcurrent = Math.max(maxConcurrent, ++underWay)
      await new Promise(resolve => setImmediate(resolve))
      underWay -= 1
      return { status: 200, headers: {}, body: new Uint8Array() }
    },
    close: () => {},
  }
  const harness = await createWebhookHarness(t, { clock: new ManualClock(), webhookHttp: http })
  const accounts = await Promise.all(Array.from({ length: 20 }, () => harness.account('http://shop.example/')))
  for (const account of accounts) for (let raised = 0; raised < 10; raised++) await harness.raise(account, '{}')
  let successes = 0
  const metrics = {
    ...NO_METRICS,
    attemptEnded: (outcome: string) => {
      if (outcome === 'success') successes += 1
    },
    setInFlight: (n: number) => void gauge.push(n),
  }
  const worker = harness.startWorker({ maxConcurrent: 7, metrics })
  await until('all to be sent', () => successes === 200)
  await worker.stop()
  assert.ok(maxConcurrent <= 7, `${maxConcurrent}`)
  assert.ok(Math.max(...gauge) <= 7)
  assert.equal(gauge.at(-1), 0)
})

test('results that could not be recorded are recorded later, and nothing is sent twice', async t => {
  const merchant = await receiver(t)
  const clock = new ManualClock()
  const harness = await createWebhookHarness(t, { clock })
  const account = await harness.account(merchant.url)
  let down = false
  const store = {
    ...harness.store,
    write: (async work => {
      if (down) throw new Error('the database is away')
      return harness.store.write(work)
    }) as typeof harness.store.write,
  }
  harness.startWorker({ store })
  await harness.webhooks.test(account)
  await until('the first run', () => harness.attempts(account).then(log => log.length === 1))
  down = true
  await merchant.waitFor(1)
  await advanceTime(clock, 120)
  down = false
  await advanceTime(clock, 60)
  const log = await ended(harness, account, 1)
  assert.equal(log[0]?.deliveryState, 'delivered')
  assert.equal(merchant.deliveries.length, 1)
})
