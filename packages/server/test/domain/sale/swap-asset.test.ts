import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateIn, feeCents, findAssets } from '../../../src/domain/sale/swap-asset.ts'

const asset = (name: string) => {
  const [symbol = '', blockchain = ''] = name.split(' ')
  return { symbol, blockchain }
}
const ASSETS = ['ZZZ near', 'USDC base', 'WBTC eth', 'USDC eth', 'BTC btc', 'ETH eth', 'SOL sol'].map(asset)
const found = (query: string) => findAssets(ASSETS, query).map(({ symbol, blockchain }) => `${symbol} ${blockchain}`)

test('common assets lead the list', () => {
  assert.deepEqual(found(''), ['BTC btc', 'ETH eth', 'USDC eth', 'USDC base', 'SOL sol', 'WBTC eth', 'ZZZ near'])
})

test('an asset is found by parts of its symbol and its chain, in any case and order', () => {
  assert.deepEqual(found('btc'), ['BTC btc', 'WBTC eth'])
  assert.deepEqual(found('  Ethereum USDC '), ['USDC eth'])
  assert.deepEqual(found('bitcoin'), ['BTC btc'])
  assert.deepEqual(found('solana'), ['SOL sol'])
  assert.deepEqual(found('usdc doge'), [])
})

test('an estimate has four digits and no exponent', () => {
  const zat = 2_500_000n
  assert.equal(estimateIn({ perZec: 0.016981 }, zat), '0.0004245')
  assert.equal(estimateIn({ perZec: 1419.368 }, zat), '35.48')
  assert.equal(estimateIn({ perZec: 6.0556e10 }, zat), '1513900000')
  assert.equal(estimateIn({ perZec: 1e-12 }, zat), '0.000000000000025')
  assert.equal(estimateIn({ perZec: 40 }, zat), '1')
  for (const perZec of [0, Number.POSITIVE_INFINITY, Number.NaN]) assert.equal(estimateIn({ perZec }, zat), null)
})

test('a fee is the difference between both values, in cents rounded up', () => {
  assert.equal(feeCents('35.584090080000', '35.47650'), 11n)
  assert.equal(feeCents('1', '0.999999'), 1n)
  assert.equal(feeCents('1', '1.0'), null)
  assert.equal(feeCents('1', '2'), null)
  assert.equal(feeCents('1', null), null)
})
