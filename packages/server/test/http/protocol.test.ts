import assert from 'node:assert/strict'
import { once } from 'node:events'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startTestApi, type TestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'
import { recordingLog } from '../harness/log.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const UNKNOWN = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const JSON_TYPE = { 'content-type': 'application/json' }
const post = (raw: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
  call(api, 'POST /v1/invoices', { token: merchant.apiKey, raw, headers })

/** Sends raw bytes and reads until the server closes the connection. */
async function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let response = ''
  socket.setEncoding('latin1').on('data', data => {
    response += data
  })
  socket.on('error', () => {})
  socket.end(text)
  await once(socket, 'close')
  return response
}

test('GET /healthz returns ok as text', async () => {
  const { status, text, headers } = await call(api, 'GET /healthz')
  assert.deepEqual([status, text], [200, 'ok'])
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
})

test('invalid JSON and JSON that is not an object are rejected', async () => {
  for (const text of ['', '{', '{"amount_zat": 1,}', "{'amount_zat': 1}", 'amount_zat=1', '\0', '{"amount_zat": 01}']) {
    const { status, body } = await post(text)
    assert.deepEqual([status, body.code, body.message], [400, 'invalid_json', 'invalid json'], JSON.stringify(text))
  }
  for (const text of ['[]', 'null', '5', '"x"']) assert.equal((await post(text)).body.message, 'invalid json', text)
})

test('another content type gets 415; JSON with a charset is accepted', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'json',
  ]) {
    const { status, body } = await post('{"amount_zat": 1}', { 'content-type': type })
    assert.deepEqual([status, body.code], [415, 'unsupported_media_type'], type)
  }
  assert.equal((await post('{"amount_zat": 1}', { 'content-type': 'application/json; charset=utf-8' })).status, 200)
})

test('a compressed body gets 415, and one in another encoding of text 400, with what to send', async () => {
  for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'gzip, identity']) {
    const { status, body } = await post('{"amount_zat": 1}', { ...JSON_TYPE, 'content-encoding': encoding })
    assert.deepEqual([status, body.detail], [415, 'send the body without Content-Encoding'], encoding)
  }
  assert.equal((await post('{"amount_zat": 1}', { ...JSON_TYPE, 'content-encoding': 'identity' })).status, 200)
  const marked = await post('\uFEFF{"amount_zat": 1}')
  assert.deepEqual([marked.status, marked.body.message], [400, 'invalid json'])
  assert.equal(marked.body.detail, 'the body begins with a byte order mark (BOM): send UTF-8 without one')
  const wide = await post([...'{"amount_zat": 1}'].map(letter => `${letter}\0`).join(''))
  assert.equal(wide.body.detail, 'the body is not UTF-8: it may be UTF-16')
})

test('a body of 64 KiB is accepted, one byte more gets 413', async () => {
  const padded = (length: number) => '{"amount_zat": 1}'.padEnd(length)
  assert.equal((await post(padded(65_536))).status, 200)
  const { status, body } = await post(padded(65_537))
  assert.deepEqual([status, body], [413, { code: 'body_too_large', message: 'body too large' }])
})

test('a chunked body has the same limit of 64 KiB', async () => {
  const { host } = new URL(api.url)
  const head = `POST /v1/invoices HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${merchant.apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
  assert.match(await raw(api.url, `${head}${chunk}${chunk}${chunk}0\r\n\r\n`), /^HTTP\/1\.1 413 /)
})

test('endpoints without a body accept an empty one with a JSON content type', async () => {
  const { token } = await api.sessions.create(merchant.account, 'to end')
  assert.equal((await call(api, 'POST /v1/auth/logout', { token, headers: JSON_TYPE })).status, 204)
})

test('an unknown path gets 404, a wrong method gets 405 with Allow', async () => {
  for (const line of [
    'GET /',
    'GET /v1',
    'POST /v1/invoices/',
    'GET /v1//invoices',
    'GET /v2/invoices',
    'GET /%zz',
    'PUT /healthz/x',
  ]) {
    const { status, body } = await call(api, line)
    assert.deepEqual([status, body], [404, { code: 'not_found', message: 'not found' }], line)
  }
  const allowed = {
    'PUT /v1/invoices': 'GET, HEAD, POST',
    [`DELETE /v1/invoices/${UNKNOWN}`]: 'GET, HEAD, OPTIONS',
    'POST /v1/account': 'GET, HEAD, PATCH',
    'GET /v1/account/viewing-key': 'PUT',
    'POST /healthz': 'GET, HEAD',
    'GET /v1/auth/logout': 'POST',
    'PATCH /v1/account/api-keys?x=1': 'GET, HEAD, POST',
    [`POST /v1/invoices/${UNKNOWN}/ws`]: 'GET, HEAD',
  }
  for (const [line, allow] of Object.entries(allowed)) {
    const { status, body, headers } = await call(api, line)
    assert.deepEqual([status, body], [405, { code: 'method_not_allowed', message: 'method not allowed' }], line)
    assert.equal(headers.get('allow'), allow, line)
  }
})

test('unusual methods are handled like any other', async () => {
  const { host } = new URL(api.url)
  const send = (line: string) => raw(api.url, `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  assert.match(await send('PROPFIND /v1/invoices'), /^HTTP\/1\.1 405 [\s\S]*allow: GET, HEAD, POST\r\n/)
  assert.match(await send('PURGE /nowhere'), /^HTTP\/1\.1 404 /)
})

test('signup and login return 410 for every method and any body', async () => {
  for (const path of ['/v1/auth/signup', '/v1/auth/login'])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
      const { status, body } = await call(api, `${method} ${path}`)
      assert.equal(status, 410, `${method} ${path}`)
      if (method !== 'HEAD') assert.equal(body.code, 'gone')
    }
  const { host } = new URL(api.url)
  for (const method of METHODS.filter(name => name !== 'CONNECT')) {
    const response = await raw(
      api.url,
      `${method} /v1/auth/login HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    )
    assert.match(response, /^HTTP\/1\.1 410 /, method)
  }
  for (const bytes of ['{', 'x'.repeat(70_000)])
    assert.equal(
      (await call(api, 'POST /v1/auth/login', { raw: bytes, headers: { 'content-type': 'text/x' } })).status,
      410,
    )
})

test('every response, including errors, has the security headers', async () => {
  for (const line of [
    'GET /healthz',
    `GET /v1/invoices/${UNKNOWN}`,
    'GET /nowhere',
    'DELETE /v1/invoices',
    'GET /%zz',
  ]) {
    const { headers } = await call(api, line)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', line)
    assert.equal(headers.get('cache-control'), 'no-store', line)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', line)
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/, line)
    assert.equal(headers.get('x-powered-by'), null)
  }
})

test('the HSTS header is sent if the public URL is https, for its own host unless the setting includes others', async t => {
  for (const [hstsSubdomains, expected] of [
    [false, 'max-age=31536000'],
    [true, 'max-age=31536000; includeSubDomains'],
  ] as const) {
    const own = await startTestApi({ settings: { publicUrl: 'https://pay.example.org', hstsSubdomains } })
    t.after(() => own.close())
    assert.equal((await call(own, 'GET /healthz')).headers.get('strict-transport-security'), expected)
  }
  assert.equal((await call(api, 'GET /healthz')).headers.get('strict-transport-security'), null)
})

test('no HSTS header is sent for a host name that is shared: it would also apply to the services on the other ports', async t => {
  const own = await startTestApi({ settings: { publicUrl: 'https://umbrel.local:3470' } })
  t.after(() => own.close())
  assert.equal((await call(own, 'GET /healthz')).headers.get('strict-transport-security'), null)
})

test('pages of any origin may read an invoice, but not the account endpoints', async () => {
  const origin = { origin: 'https://shop.example' }
  const open = await call(api, `GET /v1/invoices/${UNKNOWN}`, { headers: origin })
  assert.equal(open.headers.get('access-control-allow-origin'), '*')
  const preflight = await call(api, `OPTIONS /v1/invoices/${UNKNOWN}`, { headers: origin })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /GET/)
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? []
  for (const name of ['content-type', 'cache-control', 'pragma', 'traceparent', 'tracestate', 'x-requested-with'])
    assert.ok(allowed.includes(name), name)
  assert.ok(!allowed.includes('authorization'))
  for (const line of ['GET /v1/account', 'POST /v1/invoices', 'OPTIONS /v1/account']) {
    const closed = await call(api, line, { headers: origin })
    assert.equal(closed.headers.get('access-control-allow-origin'), null, line)
  }
})

test('beyond the rate limit a client gets 429 with Retry-After; health checks do not count', async t => {
  const own = await startTestApi({ settings: { rateLimit: 5 } })
  t.after(() => own.close())
  const statuses: number[] = []
  for (let i = 0; i < 5; i++)
    statuses.push((await call(own, ['GET /v1/account', 'GET /nowhere'][i % 2] as string)).status)
  assert.deepEqual(statuses, [401, 404, 401, 404, 401])
  for (const line of [`GET /v1/invoices/${UNKNOWN}`, 'GET /nowhere', 'DELETE /v1/invoices']) {
    const { status, body, headers } = await call(own, line)
    assert.deepEqual([status, body], [429, { code: 'too_many_requests', message: 'too many requests' }], line)
    assert.ok(Number(headers.get('retry-after')) >= 1 && Number(headers.get('retry-after')) <= 60)
  }
  assert.equal((await call(own, 'GET /healthz')).status, 200)
})

test('behind a trusted proxy each client has its own rate limit; otherwise the header is ignored', async t => {
  const trusting = await startTestApi({ settings: { rateLimit: 1, trustProxy: ['127.0.0.1'] } })
  t.after(() => trusting.close())
  const plain = await startTestApi({ settings: { rateLimit: 1 } })
  t.after(() => plain.close())
  const statusFor = async (target: TestApi, address: string) =>
    (await call(target, 'GET /nowhere', { headers: { 'x-forwarded-for': address } })).status
  assert.deepEqual([await statusFor(trusting, '192.0.2.1'), await statusFor(trusting, '192.0.2.2')], [404, 404])
  assert.equal(await statusFor(trusting, '192.0.2.1'), 429)
  assert.deepEqual([await statusFor(plain, '192.0.2.1'), await statusFor(plain, '192.0.2.2')], [404, 429])
})

test('metrics require the token; without the setting the path does not exist', async t => {
  const own = await startTestApi({ settings: { metricsToken: 'a-token-of-some-length' } })
  t.after(() => own.close())
  await call(own, `GET /v1/invoices/${UNKNOWN}`)
  const { status, text } = await call(own, 'GET /metrics', { token: 'a-token-of-some-length' })
  assert.equal(status, 200)
  assert.match(text, /zatgate_http_request_seconds_count\{method="GET",route="\/v1\/invoices\/:id",status="404"\} 1/)
  assert.ok(!text.includes(UNKNOWN))
  assert.equal((await call(own, 'GET /metrics', { token: 'another-token-entirely' })).status, 401)
  assert.equal((await call(own, 'GET /metrics')).status, 401)
  assert.equal((await call(api, 'GET /metrics')).status, 404)
})

test('with a port for health checks, the port behind the proxy has no metrics', async t => {
  const own = await startTestApi({ settings: { metricsToken: 'a-token-of-some-length', healthPort: 3001 } })
  t.after(() => own.close())
  assert.equal((await call(own, 'GET /metrics', { token: 'a-token-of-some-length' })).status, 404)
})

test('an internal error is a bare 500, and the log has its cause without the id in the path', async t => {
  const log = recordingLog()
  const own = await startTestApi({ log })
  const { apiKey } = await own.merchant()
  t.after(() => own.close().catch(() => undefined))
  await own.store.close()
  const { status, body } = await call(own, `GET /v1/invoices/${UNKNOWN}`)
  assert.ok(status === 500 || status === 503, String(status))
  assert.deepEqual(Object.keys(body), ['code', 'message'])
  assert.ok(log.lines.some(({ details }) => details.route === '/v1/invoices/:id'))
  const logged = JSON.stringify(log.lines)
  assert.ok(!logged.includes(UNKNOWN) && !logged.includes(apiKey))
})

test('malformed HTTP is rejected and the server stays up', async () => {
  for (const text of [
    '\x16\x03\x01\x02\0\x01',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
  ]) {
    const response = await raw(api.url, text)
    assert.match(
      response,
      /^HTTP\/1\.1 4\d\d [\s\S]*\r\n\r\n\{"code":"([a-z_]+)","message":"[a-z ]+","doc_url":"http:\/\/[\d.:]+\/docs\/errors#\1"\}$/,
    )
  }
  assert.equal((await call(api, 'GET /healthz')).status, 200)
})

test('a request in progress during shutdown is completed, then the server closes', async () => {
  const own = await startTestApi()
  const { apiKey } = await own.merchant()
  const { hostname, port, host } = new URL(own.url)
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1')
  const head = `POST /v1/invoices HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`
  socket.write(`${head}Content-Length: 16\r\nExpect: 100-continue\r\n\r\n`)
  const [interim] = await once(socket, 'data')
  assert.match(interim, /^HTTP\/1\.1 100 /)
  const closing = own.close()
  socket.write('{"amount_zat":5}')
  const [response] = await once(socket, 'data')
  assert.match(response, /^HTTP\/1\.1 200 [\s\S]*"amount_zat":5,/)
  await closing
  await assert.rejects(fetch(`${own.url}/healthz`))
})
