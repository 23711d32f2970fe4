import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { AppError } from '@zatgate/server/domain/error'
import type { QuoteRequest, SwapProvider } from '@zatgate/server/ports/swap-provider'
import { SimulatedClock } from '../../src/runtime/clock.ts'
import { Scheduler } from '../../src/runtime/scheduler.ts'
import { SwapProviderServer } from '../../src/world/swap-provider/provider.ts'
import { TAMPERINGS } from '../../src/world/swap-provider/quote.ts'

let scheduler: Scheduler
let provider: SwapProviderServer
let client: SwapProvider
let request: QuoteRequest

beforeEach(async () => {
  scheduler = new Scheduler(1, Date.UTC(2026, 0, 1))
  scheduler.switchRate = 0
  provider = new SwapProviderServer(scheduler, 1)
  client = provider.connect(new SimulatedClock(scheduler))
  const [asset] = await client.assets()
  request = {
    asset: asset!,
    amountZat: 10_000n,
    recipient: 'utest1 uview-1 7',
    refundTo: 'refund',
    deadline: scheduler.nowMs / 1000 + 900,
  }
})

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected

test('the adapter of the service accepts its list, its quotes and its statuses', async () => {
  assert.deepEqual(
    (await client.assets()).map(({ symbol }) => symbol),
    ['BTC', 'ETH', 'XLM'],
  )
  const { depositAddress: address, depositMemo: memo } = await client.quote(request)
  const order = provider.orders.get(address)!
  assert.equal((await client.status({ address, memo }))?.status, 'PENDING_DEPOSIT')
  provider.setStatus(order, 'SUCCESS')
  provider.setStatus(order, 'FAILED')
  assert.equal((await client.status({ address, memo }))?.status, 'SUCCESS')
})

test('the adapter refuses every changed quote', async () => {
  for (const tampering of TAMPERINGS) {
    provider.faults.tampering = tampering
    await assert.rejects(client.quote(request), code('swap_provider_unavailable'), tampering)
  }
})

test('an earlier quote with the same terms is replayed, and refused when it is old', async () => {
  const first = await client.quote(request)
  provider.faults.replays = true
  assert.equal((await client.quote(request)).depositAddress, first.depositAddress)
  scheduler.advance(301_000)
  await assert.rejects(client.quote(request), code('swap_provider_unavailable'))
})

test('too small amounts and past deadlines are refused', async () => {
  await assert.rejects(client.quote({ ...request, amountZat: 1n }), code('swap_refused'))
  await assert.rejects(client.quote({ ...request, deadline: scheduler.nowMs / 1000 }), code('swap_refused'))
})

test('a status can be unknown, earlier, or of another order', async () => {
  provider.faults.unindexedMs = 10_000_000
  const { depositAddress: address, depositMemo: memo } = await client.quote(request)
  const order = provider.orders.get(address)!
  assert.equal(await client.status({ address, memo }), null)
  provider.heal()
  provider.setStatus(order, 'PROCESSING')
  provider.faults.staleRate = 1
  assert.equal((await client.status({ address, memo }))?.status, 'PENDING_DEPOSIT')
  await client.quote(request)
  provider.faults.foreignRate = 1
  await assert.rejects(async () => {
    for (let i = 0; i < 20; i++) await client.status({ address, memo })
  }, code('swap_provider_unavailable'))
})

test('a request without a response ends at its deadline', async () => {
  provider.faults.hangs = true
  const rejected = assert.rejects(client.quote(request), code('swap_provider_unavailable'))
  await new Promise(resolve => setImmediate(resolve))
  scheduler.advance(15_000)
  await scheduler.run()
  await rejected
})
