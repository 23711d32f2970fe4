import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { startTestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

interface Operation {
  readonly line: string
  readonly token: string | undefined
  readonly parameters: readonly string[]
}

/** Every operation of the API, with a token that it accepts. */
async function operations(): Promise<Operation[]> {
  const { body } = await call(api, 'GET /openapi.json')
  const paths = body.paths as Record<
    string,
    Record<string, { security?: object[]; parameters?: { in: string; name: string }[] }>
  >
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [], parameters = [] }]) => ({
      line: `${method.toUpperCase()} ${path.replace(/\{\w+\}/, randomUUID())}`,
      token: security.some(scheme => 'sessionAuth' in scheme)
        ? merchant.sessionToken
        : security.length > 0
          ? merchant.apiKey
          : undefined,
      parameters: parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name),
    })),
  )
}

test('every endpoint refuses a query parameter that it does not have, and names those that it has', async () => {
  const all = (await operations()).filter(({ line }) => line.includes(' /v1/') && !line.endsWith('/ws'))
  assert.ok(all.length > 25)
  for (const { line, token, parameters } of all) {
    const response = await call(api, `${line}?limti=5`, token === undefined ? {} : { token })
    assert.deepEqual(
      [response.status, response.body.code, response.body.message],
      [400, 'unknown_parameter', 'unknown parameter limti'],
      line,
    )
    const detail = parameters.length === 0 ? 'this endpoint has no parameters' : `one of ${parameters.join(', ')}`
    assert.equal(response.body.detail, detail, line)
  }
})

test('the cache buster of jQuery is ignored by every read, sockets and preflights included, and refused elsewhere', async () => {
  for (const { line, token } of await operations()) {
    if (!line.includes(' /v1/')) continue
    const { status, body } = await call(api, `${line}?_=1700000000000`, token === undefined ? {} : { token })
    assert.equal(body?.code === 'unknown_parameter', !line.startsWith('GET '), `${line}: ${status}`)
  }
  assert.equal((await call(api, `OPTIONS /v1/invoices/${randomUUID()}?_=1`)).status, 204)
})

test('a page that begins at an id that is not in the list is refused, with or without rows', async () => {
  const lists = (await operations()).filter(({ parameters }) => parameters.includes('before'))
  assert.equal(lists.length, 8)
  const stranger = await api.merchant()
  const { body: other } = await call(api, 'POST /v1/invoices', { token: stranger.apiKey, json: { amount_zat: 1 } })
  for (let rows = 0; rows < 2; rows++) {
    for (const { line } of lists)
      for (const id of [randomUUID(), other.id as string]) {
        const response = await call(api, `${line}?before=${id}`, { token: merchant.sessionToken })
        assert.deepEqual([response.status, response.body.code], [400, 'invalid_before'], line)
        assert.equal(response.body.detail, 'the id of a row of this list', line)
      }
    await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json: { amount_zat: 1 } })
  }
  const { body } = await call(api, 'GET /v1/account/invoices', { token: merchant.sessionToken })
  const last = await call(api, `GET /v1/account/invoices?before=${body.at(-1).id}`, { token: merchant.sessionToken })
  assert.deepEqual([last.status, last.body], [200, []])
})
