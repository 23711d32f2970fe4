import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandboxService } from '../../../harness/service.ts'

test('the rates are public: one faulty source changes none, and without a fresh rate the response is 503', async t => {
  const at = await startSandboxService()
  t.after(() => at.close())
  const read = async (query = '') => {
    const response = await fetch(`${at.url}/v1/rates${query}`)
    return [response.status, await response.json()] as [number, { rates: Record<string, unknown>[]; code?: string }]
  }
  at.sandbox.rates.faultsOf.gemini.response = 'thousandfold'
  const [status, { rates }] = await read()
  assert.deepEqual(
    [status, rates.map(({ currency, price }) => [currency, price])],
    [
      200,
      [
        ['USD', '1419.06'],
        ['EUR', '1222.31'],
      ],
    ],
  )
  const [, { rates: other }] = await read('?currency=pln,PLN')
  assert.deepEqual(
    other.map(({ price, cross }) => [price, cross]),
    [['5173.18323', { source: 'coinbase', pair: 'USD/PLN', price: '3.6455' }]],
  )
  for (const query of ['?currency=', '?currency=ETH', '?currency=USD,', `?currency=${'USD,'.repeat(60)}USD`]) {
    const [refused, { code }] = await read(query)
    assert.deepEqual([refused, code], [400, 'invalid_currency'], query)
  }
  at.sandbox.rates.faults.down = true
  const [dark, { code }] = await read('?currency=BTC')
  assert.deepEqual([dark, code], [503, 'rate_unavailable'])
})
