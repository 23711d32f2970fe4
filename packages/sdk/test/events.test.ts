import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ZatgateClient } from '../src/client.ts'
import { ZatgateError } from '../src/error.ts'
import { type EventPage, follow } from '../src/follow.ts'
import type { FollowOptions } from '../src/options.ts'
import { rawBodies } from '../src/raw-bodies.ts'

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A service whose responses are scripted, the last one repeated. */
async function service(t: TestContext, ...responders: Respond[]) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const respond = responders.length > 1 ? responders.shift() : responders[0]
    respond?.(response, request)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new ZatgateClient({ baseUrl, apiKey: 'zgk_key', timeoutMs: 2_000, retries: 0 })
  return { requests, client }
}

const textOf = (seq: number) => `{"type":"test","invoice_id":null,"metadata":{"n":9007199254740993.10, "seq":${seq}}}`
const eventText = (seq: number) =>
  `{"seq":${seq},"id":"e${seq}","type":"test","created_at":1800000000,"body":${textOf(seq)}}`
const page =
  (seqs: readonly number[], nextAfter = seqs.at(-1) ?? 0): Respond =>
  response =>
    response.writeHead(200, { 'x-next-after': String(nextAfter) }).end(`[${seqs.map(eventText).join(',')}]`)
const failure =
  (status: number, body: object | string, headers = {}): Respond =>
  response =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
const cut: Respond = (response, request) => {
  response.writeHead(200, { 'content-length': '10000', 'x-next-after': '9' })
  response.write(`[${eventText(1)},`, () => request.socket.destroy())
}

/** Reads a number of events, without the pauses. */
async function take(client: ZatgateClient, count: number, options: FollowOptions = {}) {
  const pauses: number[] = []
  const read = (query: object, signal: AbortSignal | undefined) => client.events.list(query, signal ? { signal } : {})
  const events = follow(read, options, async ms => void pauses.push(ms))
  const seqs: number[] = []
  for await (const { seq } of events) if (seqs.push(seq) === count) break
  return { seqs, pauses }
}

test('a page has its events, the exact text of their bodies, and where to go on', async t => {
  const { client, requests } = await service(t, page([4, 5], 8))
  const { events, nextAfter } = await client.events.list({ after: 3, types: 'test', limit: 2 })
  assert.deepEqual(requests, ['/v1/account/events?after=3&types=test&limit=2'])
  assert.equal(nextAfter, 8)
  assert.deepEqual(
    events.map(({ rawBody }) => rawBody),
    [textOf(4), textOf(5)],
  )
  assert.deepEqual(events[0]?.body, JSON.parse(textOf(4)))
})

test('the raw body is found beside other members and lists, and in strings of any kind', () => {
  const body = String.raw`{"a":[{"body":1}],"body":"\"}],","b":{"c":[]}}`
  assert.deepEqual(rawBodies(`[ {"x":["body",{"body":2}],"body": ${body} ,"y":"body"},{"body":[1,[2]]} ]`), [
    body,
    '[1,[2]]',
  ])
  assert.deepEqual(rawBodies(String.raw`[{"\u0062ody":{}}]`), ['{}'])
  assert.deepEqual([rawBodies('[]'), rawBodies('{"body":1}')], [[], []])
})

test('follow yields each event once and in order, from a server that cuts, repeats and fails', async t => {
  const { client, requests } = await service(
    t,
    cut,
    page([1, 2]),
    failure(502, '<html>Bad Gateway</html>'),
    failure(200, '<html>Please log in</html>'),
    (_response, request) => request.socket.destroy(),
    page([1, 2]),
    failure(503, { code: 'closing', message: 'closing' }, { 'retry-after': '7' }),
    page([], 6),
    page([7, 9], 12),
    page([9, 13]),
  )
  const reasons: string[] = []
  const { seqs, pauses } = await take(client, 5, { onRetry: ({ code }) => reasons.push(code) })
  assert.deepEqual(seqs, [1, 2, 7, 9, 13])
  assert.deepEqual(reasons, ['network_error', 'invalid_response', 'invalid_response', 'network_error', 'closing'])
  assert.ok(pauses[0]! >= 250 && pauses[0]! <= 500)
  // After a repeated page, as the service asks, and after an empty page.
  assert.deepEqual(pauses.slice(-3), [500, 7_000, 500])
  assert.ok(requests.every(url => url.includes('wait=30')))
  assert.deepEqual(
    requests.map(url => new URL(url, 'http://a').searchParams.get('after')),
    [null, null, '2', '2', '2', '2', '2', '2', '6', '12'],
  )
})

test('follow backs off up to ten seconds, and never gives up', async t => {
  const { client } = await service(t, ...Array.from({ length: 40 }, () => failure(500, '')), page([1]))
  const { seqs, pauses } = await take(client, 1)
  assert.deepEqual([seqs, pauses.length], [[1], 40])
  assert.ok(pauses.every(ms => ms <= 10_000) && pauses[39]! >= 5_000)
})

test('follow ends with the error of a refused request, which says where events begin', async t => {
  const gone = { code: 'events_pruned', message: 'pruned', first_seq: 41 }
  const { client } = await service(t, failure(410, gone))
  await assert.rejects(client.events.follow({ after: 1 }).next(), (error: ZatgateError) => {
    assert.deepEqual([error.status, error.code, error.body?.first_seq], [410, 'events_pruned', 41])
    return true
  })
  for (const [status, code] of [
    [401, 'unauthorized'],
    [403, 'missing_scope'],
  ] as const) {
    const { client: refused } = await service(t, failure(status, { code, message: code }))
    await assert.rejects(refused.events.follow().next(), { status, code })
  }
})

test('follow waits for a service whose database was replaced by an older copy, and refuses a wrong number at its start', async t => {
  const ahead = failure(400, { code: 'invalid_after', message: 'invalid after' })
  const { client } = await service(t, page([1, 2]), ahead, ahead, page([4_294_967_299]))
  const { seqs } = await take(client, 3)
  assert.deepEqual(seqs, [1, 2, 4_294_967_299])
  const { client: wrong } = await service(t, ahead)
  await assert.rejects(wrong.events.follow({ after: 9 }).next(), { code: 'invalid_after' })
})

test('follow refuses an address that is not that of a service', async t => {
  for (const body of ['<html>It works!</html>', '{"events":[]}', '"a"']) {
    const { client } = await service(t, failure(200, body))
    await assert.rejects(client.events.follow().next(), { code: 'invalid_response' })
  }
})

test('an aborted follow ends without an error: before, while it waits, and between events', async t => {
  const never: Respond = () => {}
  const { client, requests } = await service(t, never)
  const collect = async (events: AsyncIterable<{ readonly seq: number }>, each = () => {}) => {
    const seqs: number[] = []
    for await (const { seq } of events) {
      seqs.push(seq)
      each()
    }
    return seqs
  }
  assert.deepEqual(await collect(client.events.follow({ signal: AbortSignal.abort() })), [])
  assert.equal(requests.length, 0)
  const stop = new AbortController()
  const waiting = collect(client.events.follow({ signal: stop.signal }))
  while (requests.length === 0) await new Promise(setImmediate)
  stop.abort()
  assert.deepEqual(await waiting, [])
  const { client: other } = await service(t, page([1, 2, 3]))
  const second = new AbortController()
  assert.deepEqual(await collect(other.events.follow({ signal: second.signal }), () => second.abort()), [1])
})

test('an abort ends the pause after a failure', async () => {
  const stop = new AbortController()
  const read = async (): Promise<EventPage> => {
    throw new ZatgateError(503, 'closing', 'closing')
  }
  const events = follow(read, { signal: stop.signal }, async (_ms, signal) => {
    assert.equal(signal, stop.signal)
    stop.abort()
  })
  assert.deepEqual(await events.next(), { done: true, value: undefined })
})
