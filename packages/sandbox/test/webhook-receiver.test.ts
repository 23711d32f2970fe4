import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { WebhookReceiver } from '../src/webhook-receiver.ts'
import { TestClock } from './fixtures.ts'

async function start(t: { after: (done: () => Promise<void>) => void }) {
  const clock = new TestClock()
  const receiver = await WebhookReceiver.start({ clock })
  t.after(() => receiver.close())
  return { clock, receiver }
}

async function post(url: string, body: string | Buffer = 'x'): Promise<IncomingMessage> {
  const outgoing = request(url, { method: 'POST', agent: false, headers: { 'X-Service-Signature': 'ab' } })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return response
}

async function status(url: string): Promise<number> {
  const response = await post(url)
  response.resume()
  return response.statusCode!
}

test('keeps what came to the byte: method, path, headers, body and time', async t => {
  const { clock, receiver } = await start(t)
  const body = Buffer.from([0xff, 0, 0x7b, 0x0a])
  const waiting = receiver.waitFor(1)
  assert.equal((await post(`${receiver.url}hook?a=1`, body)).statusCode, 200)
  const [delivery] = await waiting
  assert.deepEqual([delivery!.method, delivery!.path, delivery!.receivedAtMs], ['POST', '/hook?a=1', clock.nowMs()])
  assert.equal(delivery!.headers['x-service-signature'], 'ab')
  assert.deepEqual(delivery!.body, body)
})

test('answers by the script of the path, in order, the last answer for ever', async t => {
  const { receiver } = await start(t)
  receiver.script([
    { kind: 'status', status: 500 },
    { kind: 'redirect', location: '/other' },
    { kind: 'status', status: 204 },
  ])
  receiver.script([{ kind: 'status', status: 410, delayMs: 5 }], '/gone')
  assert.deepEqual([await status(receiver.url), await status(`${receiver.url}gone`)], [500, 410])
  const redirect = await post(receiver.url)
  assert.deepEqual([redirect.statusCode, redirect.headers.location], [302, '/other'])
  redirect.resume()
  assert.deepEqual([await status(receiver.url), await status(receiver.url)], [204, 204])
})

test('hang: the request is taken and no answer comes', async t => {
  const { receiver } = await start(t)
  receiver.script([{ kind: 'hang' }])
  const outgoing = request(receiver.url, { method: 'POST', agent: false })
  outgoing.on('response', () => assert.fail('an answer came'))
  outgoing.end()
  await receiver.waitFor(1)
  const gone = once(outgoing, 'error')
  outgoing.destroy(new Error('enough'))
  assert.match(String(await gone), /enough/)
})

test('reset: the connection is torn down', async t => {
  const { receiver } = await start(t)
  receiver.script([{ kind: 'reset' }])
  await assert.rejects(post(receiver.url), { code: 'ECONNRESET' })
})

test('drip: a body that comes byte by byte and does not end', async t => {
  const { receiver } = await start(t)
  receiver.script([{ kind: 'slow_body', intervalMs: 1 }])
  const response = await post(receiver.url)
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes >= 3) break
  }
  assert.ok(bytes >= 3)
})

test('huge: as many bytes as it says, no faster than they are read', async t => {
  const { receiver } = await start(t)
  receiver.script([{ kind: 'large_body', bytes: 5_000_001 }, { kind: 'large_body' }])
  let bytes = 0
  for await (const chunk of await post(receiver.url)) bytes += chunk.length
  assert.equal(bytes, 5_000_001)
  const before = process.memoryUsage().rss
  const endless = await post(receiver.url)
  assert.equal(endless.headers['content-length'], '1000000000')
  await once(endless, 'readable')
  assert.ok(process.memoryUsage().rss - before < 100_000_000)
  endless.destroy()
})
