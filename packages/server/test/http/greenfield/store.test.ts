import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../harness/api.ts'
import { header } from '../../harness/fixtures.ts'
import { conforms } from '../../harness/greenfield.ts'
import { greenfieldClient } from '../../harness/greenfield-client.ts'
import { call } from '../../harness/http-call.ts'

const api = await startTestApi()
const merchant = await api.merchant()
const ask = await greenfieldClient(api, merchant)
after(() => api.close())

test('the one store of a key has what plugins read, and what the store profile says', async () => {
  await api.storeProfiles.change(
    merchant.account,
    { name: 'Sunflower', currency: 'EUR', expiresInSecs: 1_800 },
    api.url,
  )
  const { body } = await ask('GET /api/v1/stores/')
  conforms('StoreDataList', body)
  const [store] = body
  assert.deepEqual([store.id, store.name, store.defaultCurrency], [merchant.account.publicId, 'Sunflower', 'EUR'])
  assert.deepEqual(
    [store.invoiceExpiration, store.monitoringExpiration, store.speedPolicy],
    [1_800, 604_800, 'LowMediumSpeed'],
  )
  assert.deepEqual((await ask(`GET /api/v1/stores/${store.id.toUpperCase()}`)).body, store)
})

test('there is one payment method, which is enabled once there is a viewing key', async () => {
  const { body } = await ask('GET payment-methods')
  assert.deepEqual(body, [{ paymentMethodId: 'ZEC-CHAIN', enabled: true }])
  assert.deepEqual((await ask('GET payment-methods/zec_chain')).body, body[0])
  assert.equal((await ask('GET payment-methods/BTC-CHAIN')).status, 404)
  assert.deepEqual((await ask('GET payment-methods/OnChain')).body, [{ cryptoCode: 'ZEC', enabled: true }])
  assert.deepEqual((await ask('GET payment-methods/LightningNetwork')).body, [])
  const keyless = await greenfieldClient(api, await api.merchant({ viewingKey: null }))
  assert.equal((await keyless('GET payment-methods')).body[0].enabled, false)
})

test('rates are given for pairs with ZEC, and what is wrong with another pair beside them', async () => {
  const { body } = await ask('GET rates?currencyPair=ZEC_eur&currencyPair=ZEC_SATS,BTC_EUR')
  conforms('StoreRateResult', body[0])
  assert.deepEqual(body[0], { currencyPair: 'ZEC_EUR', errors: [], rate: '100' })
  assert.deepEqual(body[1], { currencyPair: 'ZEC_SATS', errors: [], rate: '10000000000' })
  assert.equal(body[2].errors.length, 1)
  assert.equal((await ask('GET rates')).body[0].currencyPair, 'ZEC_EUR')
})

test('the service counts as synchronized for an hour after the chain was last read', async () => {
  assert.deepEqual((await call(api, 'GET /api/v1/health')).body, { synchronized: false })
  await api.store.write(async tx => {
    await tx.chain.appendHeaders([header(8)])
    await tx.chain.setSyncedThrough(api.clock.secs, api.clock.secs)
  })
  const { body } = await ask('GET /api/v1/server/info')
  conforms('ApplicationServerInfoData', body)
  assert.match(body.version, /^2\.\d+\.\d+$/)
  assert.deepEqual([body.fullySynched, body.supportedPaymentMethods], [true, ['ZEC-CHAIN']])
  assert.equal(body.syncStatus[0].chainHeight, 8)
  api.clock.advance(3_600)
  assert.equal((await ask('GET /api/v1/server/info')).body.fullySynched, true)
  api.clock.advance(1)
  assert.equal((await ask('GET /api/v1/server/info')).body.fullySynched, false)
})
