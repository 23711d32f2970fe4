import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { vectorsMissing } from '../../../../../zcash/test/vectors.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { header } from '../../../harness/fixtures.ts'
import { call } from '../../../harness/http-call.ts'
import { testViewingKey } from '../../../harness/viewing-key.ts'

const VECTORS = new URL('../../../../../../../shared/vectors/unified_viewing_keys_r2.json', import.meta.url)
const DAY = 86_400

const api = await startTestApi()
after(() => api.close())

const setKey = (user: Merchant, viewing_key: string) =>
  call(api, 'PUT /v1/account/viewing-key', { token: user.sessionToken, json: { viewing_key } })
const createInvoice = (user: Merchant, json: object = {}, headers: Record<string, string> = {}) =>
  call(api, 'POST /v1/invoices', { token: user.apiKey, json: { amount_zat: 1, ...json }, headers })
const isoOf = (secs: number) => new Date(secs * 1000).toISOString().replace('.000', '')

/** Appends headers up to this height. The first call sets the height of the first block. */
async function growChainTo(height: number): Promise<void> {
  const tip = (await api.store.read(tx => tx.chain.tip()))?.height ?? height - 1
  const headers = Array.from({ length: height - tip }, (_, i) => header(tip + 1 + i))
  await api.store.write(tx => tx.chain.appendHeaders(headers))
}

test('a Revision 2 key is accepted until it expires, and has the same first address as Revision 0', async () => {
  const user = await api.merchant({ viewingKey: null })
  const plain = await setKey(user, testViewingKey(20))
  for (const expiry of [{}, { time: BigInt(api.clock.secs) }, { time: 2n ** 64n - 1n }, { height: 3_000_000 }]) {
    const { status, body, text } = await setKey(user, testViewingKey(20, expiry))
    assert.deepEqual([status, body.first_address], [200, plain.body.first_address])
    assert.ok(!text.includes('uvf'), 'the key is not echoed')
    assert.deepEqual(Object.keys(body).sort(), Object.keys(plain.body).sort())
  }
})

test('an expired key is rejected with its expiry date and changes nothing', async () => {
  const user = await api.merchant({ viewingKey: null })
  const key = testViewingKey(21, { time: BigInt(api.clock.secs - 1) })
  const { status, body, text } = await setKey(user, key)
  assert.deepEqual([status, body.code, body.message], [400, 'invalid_viewing_key', 'invalid viewing_key'])
  assert.equal(body.detail, `expired on ${isoOf(api.clock.secs - 1)}: export a new key from the wallet`)
  assert.ok(!text.includes(key.slice(0, 20)))
  assert.equal((await createInvoice(user)).body.code, 'viewing_key_not_set')
})

test('other texts are rejected with the reason, and the response never repeats them', async () => {
  const user = await api.merchant({ viewingKey: null })
  const cases: readonly (readonly [string, RegExp])[] = [
    ['abandon '.repeat(24).trim(), /seed phrase, which can spend the money: never paste it anywhere/],
    [`secret-extended-key-regtest1${'q'.repeat(200)}`, /is a spending key, .*never paste it anywhere/],
    [`zxviewregtestsapling1${'q'.repeat(200)}`, /is a Sapling viewing key/],
    [`urview1${'q'.repeat(200)}`, /Revision 1 .*withdrawn/],
    [`zu1${'q'.repeat(100)}`, /Revision 2 address/],
    [
      (await setKey(await api.merchant(), testViewingKey(22))).body.first_address,
      /is an address; a viewing key starts/,
    ],
  ]
  for (const [viewing_key, detail] of cases) {
    const { status, body, text } = await setKey(user, viewing_key)
    assert.deepEqual([status, body.code], [400, 'invalid_viewing_key'])
    assert.match(body.detail, detail)
    assert.ok(!text.includes(viewing_key.slice(-30)))
  }
})

test('every official Revision 2 test key is rejected, for its network or for a missing Orchard item', {
  skip: vectorsMissing,
}, async () => {
  const user = await api.merchant({ viewingKey: null })
  const keys = (JSON.parse(readFileSync(VECTORS, 'utf8')) as unknown[][])
    .flat()
    .filter((column): column is string => typeof column === 'string' && /^uv[fi]1/.test(column))
  assert.equal(keys.length, 40)
  for (const key of keys) {
    const { status, body } = await setKey(user, key)
    assert.equal(parseViewingKey(key).network, 'main')
    assert.deepEqual([status, body.code], [400, 'invalid_viewing_key'])
    assert.ok(body.detail.length > 10)
  }
})

test('no invoice expires after its key, and existing invoices are unaffected', async () => {
  const user = await api.merchant({ viewingKey: null })
  const expiresAt = api.clock.secs + DAY
  await setKey(user, testViewingKey(23, { time: BigInt(expiresAt) }))
  const first = await createInvoice(user, {}, { 'idempotency-key': 'first' })
  assert.equal(first.status, 200)

  api.clock.advance(DAY - 900)
  assert.equal((await createInvoice(user, { expires_in_secs: 900 })).status, 200)
  api.clock.advance(1)
  const late = await createInvoice(user, { expires_in_secs: 900 })
  assert.deepEqual([late.status, late.body.code], [409, 'viewing_key_expires_too_soon'])
  assert.match(late.body.detail, new RegExp(isoOf(expiresAt)))
  assert.equal((await createInvoice(user, { expires_in_secs: 899 })).status, 200)

  const repeated = await createInvoice(user, {}, { 'idempotency-key': 'first' })
  assert.deepEqual([repeated.status, repeated.body.id], [200, first.body.id])
  api.clock.advance(900)
  const expired = await createInvoice(user)
  assert.deepEqual(
    [expired.status, expired.body],
    [
      409,
      {
        code: 'viewing_key_expired',
        message: 'viewing key expired',
        detail: `the viewing key expired on ${isoOf(expiresAt)}: set another viewing key`,
      },
    ],
  )
  assert.equal((await call(api, `GET /v1/invoices/${first.body.id}`)).body.status, 'pending')
  const watched = await api.store.read(tx => tx.viewingKeys.watchedAt(api.clock.secs))
  const { viewingKeyId } = await api.invoices.read(first.body.id)
  assert.ok(watched.some(({ id }) => id === viewingKeyId))

  assert.equal((await setKey(user, testViewingKey(23))).status, 200)
  assert.equal((await createInvoice(user)).status, 200, 'the same key without an expiry')
})

test('a key can also expire by height, measured at the newest synced block', async () => {
  const user = await api.merchant({ viewingKey: null })
  const height = 4_000
  assert.equal((await setKey(user, testViewingKey(24, { height }))).status, 200, 'no block is synced yet')
  await growChainTo(height)
  assert.equal((await setKey(user, testViewingKey(24, { height }))).status, 200)
  assert.equal((await createInvoice(user)).status, 200)
  await growChainTo(height + 1)
  const { status, body } = await createInvoice(user)
  assert.deepEqual([status, body.code], [409, 'viewing_key_expired'])
  assert.equal(
    body.detail,
    'the viewing key expired at block 4000, and the chain is at block 4001: set another viewing key',
  )
  const refused = await setKey(user, testViewingKey(24, { height }))
  assert.deepEqual(
    [refused.status, refused.body.detail],
    [400, 'expired at block 4000, and the chain is at block 4001: export a new key from the wallet'],
  )
})
