import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { WebhookReceiver } from '../src/webhook-receiver.ts'
import { createClock } from './fixtures.ts'

async function start(t: { after: (done: () => Promise<void>) => void }) {
  const clock = createClock()
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

test('records method, path, headers, exact body bytes and time of a request', async t => {
  const { clock, receiver } = await start(t)
  const body = Buffer.from([0xff, 0, 0x7b, 0x0a])
  const waiting = receiver.waitFor(1)
  assert.equal((await post(`${receiver.url}hook?a=1`, body)).statusCode, 200)
  const [delivery] = await waiting
  assert.deepEqual([delivery!.method, delivery!.path, delivery!.receivedAtMs], ['POST', '/hook?a=1', clock.nowMs()])
  assert.equal(delivery!.headers['x-service-signature'], 'ab')
  assert.deepEqual(delivery!.body, body)
})

test('sends the scripted responses of a path in order and repeats the last one', async t => {
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

test('hang: the request is received and no response is sent', async t => {
  const { receiver } = await start(t)
  receiver.script([{ kind: 'hang' }])
  const outgoing = request(receiver.url, { method: 'POST', agent: false })
  outgoing.on('response', () => assert.fail('unexpected response'))
  outgoing.end()
  await receiver.waitFor(1)
  const failed = once(outgoing, 'error')
  outgoing.destroy(new Error('aborted by the test'))
  assert.match(String(await failed), /aborted by the test/)
})

test('reset: the connection is reset', async t => {
  const { receiver } = await start(t)
  receiver.script([{ kind: 'reset' }])
  await assert.rejects(post(receiver.url), { code: 'ECONNRESET' })
})

test('slow_body: an endless body is sent byte by byte', async t => {
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

test('large_body: the given number of bytes is sent no faster than the client reads', async t => {
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
