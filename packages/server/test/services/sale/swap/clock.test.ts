import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Header } from '../../../../src/domain/chain/chain.ts'
import { consensusParams } from '../../../../src/domain/chain/network-upgrade.ts'
import type { Swap } from '../../../../src/ports/repository/sale/swap.ts'
import type { Tx } from '../../../../src/ports/store.ts'
import type { SwapProvider } from '../../../../src/ports/swap-provider.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { openShop } from '../../../harness/fixtures.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { SkewedClock } from '../../../harness/skewed-clock.ts'

const DAY = 86_400

function headers(unixSecs: number): Header[] {
  return Array.from({ length: 11 }, (_, i) => ({
    height: i + 1,
    hash: `hash ${i + 1}`,
    prevHash: `hash ${i}`,
    time: unixSecs - (10 - i) * 75,
    treeSizes: { sapling: 0, orchard: 0, ironwood: 1 },
  }))
}

test('a swap polled while the clock was 7 days ahead is polled again once the clock is right', async t => {
  const base = new ManualClock()
  const clock = new SkewedClock({ base })
  let polls = 0
  const swapProvider = {
    enabled: true,
    status: async () => {
      polls += 1
      return { status: 'PENDING_DEPOSIT', updatedAtMs: base.nowMs(), raw: '{}' }
    },
  } as unknown as SwapProvider
  const params = { ...consensusParams('regtest'), network: 'test' } as const
  const { infrastructure, services } = await openTestContainer(t, { clock, swapProvider, params })
  const { store } = infrastructure
  await store.write(tx => tx.chain.appendHeaders(headers(base.secs)))
  const invoice = await (await openShop(store)).sell({ createdAt: base.secs, expiresAt: base.secs + 900 })
  const swap = await store.write(tx => insertSwap(tx, invoice.id, base.secs))
  const read = () => store.read(tx => tx.swaps.byId(swap.id)) as Promise<Swap>

  clock.skewSecs = 7 * DAY
  assert.equal(await services.swapStatus.pollDue(10), 1)
  assert.equal((await read()).lastReportAt, base.secs)
  clock.skewSecs = 0
  base.advance(60)
  assert.equal(await services.swapStatus.pollDue(10), 1)
  assert.equal(polls, 2)
  assert.equal(await services.swapStatus.pollDue(10), 0)
})

test('a swap that succeeds while the chain is 5 hours behind keeps its invoice open for its coins', async t => {
  const base = new ManualClock()
  const swapProvider = {
    enabled: true,
    status: async () => ({ status: 'SUCCESS', updatedAtMs: base.nowMs(), raw: '{}' }),
  } as unknown as SwapProvider
  const params = { ...consensusParams('regtest'), network: 'test' } as const
  const { infrastructure, services } = await openTestContainer(t, { clock: base, swapProvider, params })
  const { store } = infrastructure
  await store.write(tx => tx.chain.appendHeaders(headers(base.secs - 5 * 3_600)))
  const invoice = await (await openShop(store)).sell({ createdAt: base.secs, expiresAt: base.secs + 900 })
  const swap = await store.write(tx => insertSwap(tx, invoice.id, base.secs))
  assert.equal(await services.swapStatus.pollDue(10), 1)
  await store.write(tx => tx.chain.removeAllHeaders())
  await store.write(tx => tx.chain.appendHeaders(headers(base.secs)))
  base.advance(1_800)
  await services.swapStatus.refresh((await store.read(tx => tx.swaps.byId(swap.id))) as Swap)
  const [kept] = await store.read(tx => tx.invoices.byIds([invoice.id]))
  assert.equal(kept?.keptOpenBySwap, true)
})

test('a status is recorded for its own swap only, whatever has its row id in a promoted standby', async t => {
  const clock = new ManualClock()
  const status = async () => ({ status: 'REFUNDED', updatedAtMs: clock.nowMs(), raw: '{}' })
  const { infrastructure, services } = await openTestContainer(t, {
    clock,
    swapProvider: { enabled: true, status } as unknown as SwapProvider,
  })
  const { store } = infrastructure
  const invoice = await (await openShop(store)).sell({ createdAt: clock.secs, expiresAt: clock.secs + 900 })
  const swap = await store.write(tx => insertSwap(tx, invoice.id, clock.secs))
  const lost = { ...swap, publicId: '22222222-2222-4222-8222-222222222222' }
  await services.swapStatus.refresh(lost)
  assert.equal((await store.read(tx => tx.swaps.byId(swap.id)))?.status, swap.status)
})

async function insertSwap(tx: Tx, invoiceId: number, now: number): Promise<Swap> {
  const swap = await tx.swaps.insert(
    {
      publicId: '11111111-1111-4111-8111-111111111111',
      invoiceId,
      assetId: 'nep141:btc.omft.near',
      symbol: 'BTC',
      blockchain: 'btc',
      decimals: 8,
      refundTo: 'the-buyers-own-address',
      depositAddress: 'deposit address',
      depositMemo: null,
      amountIn: 101n,
      minAmountIn: 100n,
      amountInUsd: '1',
      amountOutUsd: null,
      contractAddress: null,
      timeEstimate: 150,
      deadline: now + 900,
      quoteDeadline: now + 3 * DAY,
      quoteRaw: '{}',
      createdAt: now,
    },
    now * 1000,
  )
  assert.ok(swap)
  return swap
}
