import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../src/domain/error.ts'
import type { SwapAsset } from '../../../../src/ports/swap-provider.ts'
import { createSwapAssets } from '../../../../src/services/sale/swap-asset.ts'
import { recordingLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const BTC: SwapAsset = {
  assetId: 'btc',
  symbol: 'BTC',
  blockchain: 'btc',
  decimals: 8,
  priceUsd: 1,
  perZec: 0,
  contractAddress: null,
}

/** A provider that returns a new list for each request, or is down. */
function assetsOf() {
  const clock = new ManualClock()
  const log = recordingLog()
  const state = { down: false, requests: 0 }
  const provider = {
    async assets() {
      state.requests += 1
      if (state.down) throw new AppError('swap_provider_unavailable', { cause: new Error('down') })
      return [{ ...BTC, priceUsd: state.requests }]
    },
  }
  const { list } = createSwapAssets({ provider, clock, log })
  return { clock, log, state, list, price: async () => (await list())[0]?.priceUsd }
}

test('a list is served for five minutes and then requested again', async () => {
  const { clock, state, price } = assetsOf()
  assert.equal(await price(), 1)
  clock.advance(299)
  assert.equal(await price(), 1)
  clock.advance(1)
  assert.equal(await price(), 2)
  assert.equal(state.requests, 2)
})

test('a clock that was ahead and is set back keeps neither a list nor a failure', async () => {
  const { clock, state, list, price } = assetsOf()
  clock.advance(3_600)
  state.down = true
  await assert.rejects(list())
  clock.advance(-3_600)
  state.down = false
  assert.equal(await price(), 2)
  clock.advance(3_600)
  assert.equal(await price(), 3)
  clock.advance(-3_600)
  assert.equal(await price(), 4)
})

test('concurrent calls send one request to the provider', async () => {
  const { state, price } = assetsOf()
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 50 }, price))), new Set([1]))
  assert.equal(state.requests, 1)
})

test('while the provider is down, the old list is served and requests to the provider are limited', async () => {
  const { clock, state, log, price } = assetsOf()
  await price()
  state.down = true
  clock.advance(86_400)
  for (let i = 0; i < 10; i++) assert.equal(await price(), 1)
  assert.equal(state.requests, 2)
  assert.equal(log.lines.length, 1)
  state.down = false
  clock.advance(5)
  assert.equal(await price(), 3)
})

test('a provider that is down from the start is unavailable, and is asked for the list again after five seconds', async () => {
  const { clock, state, price } = assetsOf()
  state.down = true
  for (let i = 0; i < 2; i++)
    await assert.rejects(price(), error => error instanceof AppError && error.message === 'swap provider unavailable')
  state.down = false
  await assert.rejects(price())
  clock.advance(5)
  assert.equal(await price(), 2)
})
