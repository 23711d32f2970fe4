import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { createOtlpTracer } from '../../../src/adapters/traces/tracer.ts'
import { startTestApi } from '../../harness/api.ts'
import { recordingLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { until } from '../../harness/until.ts'

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: { readonly key: string; readonly value: { stringValue?: string; intValue?: string } }[]
  readonly status: { readonly code: number }
}

/** A collector that speaks OTLP over HTTP and keeps what it receives. */
async function startCollector(respond: (response: ServerResponse) => void = response => response.end('{}')) {
  const batches: ReceivedSpan[][] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    assert.equal(`${request.method} ${request.url}`, 'POST /v1/traces')
    assert.equal(request.headers['content-type'], 'application/json')
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString())
    batches.push(resourceSpans[0].scopeSpans[0].spans)
    respond(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function startTracer(endpoint: string) {
  const clock = new ManualClock()
  const log = recordingLog()
  const http = createHttpClient({ allowPrivate: true })
  const tracer = createOtlpTracer({ endpoint, roles: ['api', 'delivery'], http, clock, random: systemRandom, log })
  return { tracer, clock, log, http }
}

test('spans reach a collector with their ids, times, attributes and status', async () => {
  await using collector = await startCollector()
  const { tracer, clock, http } = startTracer(`${collector.endpoint}/`)
  const startMs = clock.nowMs()
  const span = tracer.start('server', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)
  clock.advance(2)
  span.end('GET /healthz', false, { 'http.response.status_code': 200 })
  await assert.rejects(
    tracer.run('client', 'mail', {}, async () => Promise.reject(new Error('refused'))),
    /refused/,
  )
  await tracer.close()
  http.close()
  const [request, mail] = collector.batches.flat()
  assert.equal(request?.traceId, 'a'.repeat(32))
  assert.equal(request?.parentSpanId, 'b'.repeat(16))
  assert.match(request?.spanId ?? '', /^[0-9a-f]{16}$/)
  assert.equal(request?.kind, 2)
  assert.equal(request?.startTimeUnixNano, `${startMs}000000`)
  assert.equal(request?.endTimeUnixNano, `${startMs + 2_000}000000`)
  assert.deepEqual(request?.attributes, [{ key: 'http.response.status_code', value: { intValue: '200' } }])
  assert.equal(request?.status.code, 0)
  assert.equal(mail?.status.code, 2)
  assert.equal(mail?.parentSpanId, undefined)
  assert.notEqual(mail?.traceId, request?.traceId)
})

test('an invalid traceparent begins a new trace', async () => {
  await using collector = await startCollector()
  const { tracer, http } = startTracer(collector.endpoint)
  for (const header of [
    '00-x',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ])
    tracer.start('server', header).end('span', false)
  await tracer.close()
  http.close()
  const spans = collector.batches.flat()
  assert.equal(spans.length, 3)
  for (const span of spans) assert.equal(span.parentSpanId, undefined)
})

test('spans for a collector that does not respond are bounded, and nothing waits for it', async () => {
  const held: ServerResponse[] = []
  await using collector = await startCollector(response => {
    if (held.length === 0) held.push(response)
    else response.end('{}')
  })
  const { tracer, http } = startTracer(collector.endpoint)
  tracer.start('internal').end('first', false)
  await until('the first request', () => held.length > 0)
  for (let count = 0; count < 10_000; count++) tracer.start('internal').end('later', false)
  held[0]?.end('{}')
  await until('the rest', () => collector.batches.length === 5)
  await tracer.close()
  http.close()
  assert.deepEqual(
    collector.batches.map(batch => batch.length),
    [1, 512, 512, 512, 512],
  )
})

test('a collector that refuses spans is logged once, and its recovery with the number of lost spans', async () => {
  let status = 503
  await using collector = await startCollector(response => void response.writeHead(status).end())
  const { tracer, clock, log, http } = startTracer(collector.endpoint)
  for (let batch = 1; batch <= 3; batch++) {
    if (batch === 3) status = 200
    tracer.start('internal').end('span', false)
    await until(`batch ${batch}`, () => {
      clock.advance(2)
      return collector.batches.length >= batch
    })
  }
  await tracer.close()
  http.close()
  assert.deepEqual(
    log.lines.map(({ level, details }) => [level, details.dropped]),
    [
      ['warn', 1],
      ['info', 2],
    ],
  )
})

test('a request is a span with its route, without the id in its path; a trace is taken from trusted proxies only', async () => {
  await using collector = await startCollector()
  const { tracer, http } = startTracer(collector.endpoint)
  const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`
  const id = '72823ba5-c29d-4b9f-9c56-5811dfbf13db'
  for (const trustProxy of [1, false] as const) {
    const api = await startTestApi({ tracer, settings: { trustProxy } })
    await (await fetch(`${api.url}/v1/invoices/${id}`, { headers: { traceparent } })).arrayBuffer()
    await api.close()
  }
  await tracer.close()
  http.close()
  const [trusted, untrusted] = collector.batches.flat()
  assert.equal(trusted?.name, 'GET /v1/invoices/:id')
  assert.equal(trusted?.traceId, 'c'.repeat(32))
  assert.notEqual(untrusted?.traceId, 'c'.repeat(32))
  assert.ok(!JSON.stringify(collector.batches).includes(id.slice(0, 8)))
})
