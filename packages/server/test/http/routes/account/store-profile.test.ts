import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makePng } from '../../../adapters/image/images.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { type CallOptions, call } from '../../../harness/http-call.ts'

const api = await startTestApi({ settings: { publicUrl: 'https://pay.example' } })
after(() => api.close())

const as =
  ({ sessionToken: token }: Merchant) =>
  (line: string, options: CallOptions = {}) =>
    call(api, line, { token, ...options })

const EMPTY = {
  name: null,
  accent: null,
  support: null,
  website: null,
  locale: null,
  currency: null,
  expires_in_secs: null,
  after_payment: null,
  frame_origins: null,
  logo_url: null,
}

test('a profile begins empty; a change sets what it names, null clears it, and another account sees none of it', async () => {
  const send = as(await api.merchant())
  assert.deepEqual((await send('GET /v1/account/store')).body, EMPTY)
  const json = { name: 'Shop <b>', accent: '#AABBCC', locale: 'pt', frame_origins: ['https://Shop.example'] }
  const changed = { ...EMPTY, ...json, accent: '#aabbcc', frame_origins: ['https://shop.example'] }
  const { status, body } = await send('PATCH /v1/account/store', { json })
  assert.deepEqual([status, body], [200, changed])
  const cleared = { ...changed, locale: null, frame_origins: null }
  assert.deepEqual(
    (await send('PATCH /v1/account/store', { json: { locale: null, frame_origins: null } })).body,
    cleared,
  )
  assert.deepEqual((await send('GET /v1/account/store')).body, cleared)
  assert.deepEqual((await as(await api.merchant())('GET /v1/account/store')).body, EMPTY)
})

test('a value that is not valid is refused by its name, and nothing is changed', async () => {
  const send = as(await api.merchant())
  for (const json of [
    { name: '' },
    { name: 'x'.repeat(81) },
    { accent: 'red' },
    { support: 'nowhere' },
    { website: 'http://shop.example' },
    { locale: 'xx' },
    { currency: 'XXY' },
    { expires_in_secs: 59 },
    { after_payment: 'leave' },
    { frame_origins: [] },
    { frame_origins: ['https://a.example;x'] },
    { frame_origins: Array(11).fill('https://a.example') },
  ]) {
    const { status, body } = await send('PATCH /v1/account/store', { json: { ...json } })
    const [field] = Object.keys(json)
    assert.deepEqual([status, body.code], [400, `invalid_${field}`])
  }
  assert.equal((await send('PATCH /v1/account/store', { json: { logo: 'x' } })).body.code, 'unknown_field')
  assert.deepEqual((await send('GET /v1/account/store')).body, EMPTY)
})

test('a logo is set by its bytes whatever its type says, replaced and removed', async () => {
  const send = as(await api.merchant())
  const { status, body } = await send('PUT /v1/account/store/logo', {
    raw: makePng(600, 300),
    headers: { 'content-type': 'text/html' },
  })
  assert.equal(status, 200)
  assert.match(body.logo_url, /^https:\/\/pay\.example\/logo\/[0-9a-f]{64}\.png$/)
  const second = await send('PUT /v1/account/store/logo', { raw: makePng(3, 3) })
  assert.notEqual(second.body.logo_url, body.logo_url)
  assert.equal((await send('DELETE /v1/account/store/logo')).body.logo_url, null)
})

test('a file that is no image, and an image that is too large, are refused', async () => {
  const send = as(await api.merchant())
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  for (const raw of [svg, '<!doctype html><script>alert(1)</script>', '{}', '', makePng(4_097, 1)]) {
    const { status, body } = await send('PUT /v1/account/store/logo', { raw, headers: { 'content-type': 'image/png' } })
    assert.deepEqual([status, body.code], [400, 'invalid_logo'])
  }
  const { status, body } = await send('PUT /v1/account/store/logo', { raw: new Uint8Array(1024 * 1024 + 1) })
  assert.deepEqual([status, body.code], [413, 'body_too_large'])
  assert.deepEqual((await send('GET /v1/account/store')).body, EMPTY)
})

test('other routes still take JSON alone', async () => {
  const send = as(await api.merchant())
  const { status } = await send('PATCH /v1/account/store', { raw: '{}', headers: { 'content-type': 'image/png' } })
  assert.equal(status, 415)
})
