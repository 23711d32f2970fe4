import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi()
after(() => api.close())

const SUCCESS = { success_url: 'https://shop.example/thanks' }

function requests({ apiKey, sessionToken }: Merchant) {
  return {
    async create(json: object, headers: Record<string, string> = {}) {
      const { status, body } = await call(api, 'POST /v1/invoices', {
        token: apiKey,
        json: { amount_zat: 5, ...json },
        headers,
      })
      assert.equal(status, 200)
      return { id: body.id, secs: body.expires_at - api.clock.secs, redirects: body.auto_redirect }
    },
    async change(json: object) {
      assert.equal((await call(api, 'PATCH /v1/account/store', { token: sessionToken, json })).status, 200)
    },
  }
}

test('without a profile, and after it is cleared, the defaults are those of the service', async () => {
  const { create, change } = requests(await api.merchant())
  const check = async () => {
    const { secs, redirects } = await create(SUCCESS)
    assert.deepEqual([secs, redirects], [900, undefined])
  }
  await check()
  await change({ expires_in_secs: 3_600, after_payment: 'return' })
  await change({ expires_in_secs: null, after_payment: null })
  await check()
})

test('the profile gives what a request leaves out, and never what it says', async () => {
  const { create, change } = requests(await api.merchant())
  const other = requests(await api.merchant())
  await change({ expires_in_secs: 3_600, after_payment: 'return' })
  const given = async (json: object) => {
    const { secs, redirects } = await create(json)
    return [secs, redirects]
  }
  assert.deepEqual(await given({}), [3_600, undefined], 'without a page to return to')
  assert.deepEqual(await given(SUCCESS), [3_600, true])
  assert.deepEqual(await given({ ...SUCCESS, auto_redirect: false, expires_in_secs: 60 }), [60, false])
  assert.equal((await other.create({})).secs, 900)
  await change({ after_payment: 'stay' })
  assert.deepEqual(await given(SUCCESS), [3_600, undefined])
  assert.deepEqual(await given({ ...SUCCESS, auto_redirect: true }), [3_600, true])
})

test('a repeated request returns its invoice also after the defaults have changed', async () => {
  const { create, change } = requests(await api.merchant())
  const again = () => create(SUCCESS, { 'idempotency-key': 'one' })
  const { id } = await again()
  await change({ expires_in_secs: 3_600, after_payment: 'return' })
  assert.deepEqual(await again(), { id, secs: 900, redirects: undefined })
})
