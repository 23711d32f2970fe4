import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'
import { until } from '../../../harness/until.ts'

const PATH = '/v1/account/export?format=json'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

test('HEAD starts no export, and neither does a cookie', async () => {
  const { status, headers } = await call(api, `HEAD ${PATH}`, { token: merchant.sessionToken })
  assert.deepEqual([status, headers.get('allow')], [405, 'GET'])
  const cookie = `__Host-zatgate=${merchant.sessionToken}`
  assert.equal((await call(api, `GET ${PATH}`, { headers: { cookie } })).status, 401)
})

test('a second export of the account gets 429 with Retry-After, until the reader of the first one leaves', async () => {
  const slots = api.exports.invoices(merchant.account, null, 'json', { from: 0 })
  const refused = await call(api, `GET ${PATH}`, { token: merchant.sessionToken })
  assert.deepEqual([refused.status, refused.body.code], [429, 'export_in_progress'])
  assert.equal(refused.headers.get('retry-after'), '30')
  assert.equal((await call(api, `GET ${PATH}`, { token: (await api.merchant()).sessionToken })).status, 200)
  await slots.chunks.return?.()
  assert.equal((await call(api, `GET ${PATH}`, { token: merchant.sessionToken })).status, 200)

  for (let i = 0; i < 20; i++) {
    const reading = new AbortController()
    const headers = { authorization: `Bearer ${merchant.sessionToken}` }
    const aborted = fetch(api.url + PATH, { headers, signal: reading.signal }).then(response => response.text())
    if (i % 2 === 0) reading.abort()
    else setImmediate(() => reading.abort())
    await aborted.catch(() => {})
  }
  await until(
    'the slot is free',
    async () => (await call(api, `GET ${PATH}`, { token: merchant.sessionToken })).status === 200,
  )
})

test('an export whose period ends before it starts is rejected', async () => {
  const read = (to: number) =>
    call(api, `GET /v1/account/export?format=csv&from=20&to=${to}`, { token: merchant.sessionToken })
  const { status, body } = await read(19)
  assert.deepEqual([status, body], [400, { code: 'invalid_to', message: 'invalid to', detail: 'not before from' }])
  assert.equal((await read(20)).status, 200)
})
