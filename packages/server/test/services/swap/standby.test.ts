import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/ports/store.ts'
import type { SwapProvider } from '../../../src/ports/swap-provider.ts'
import { openTestContainer } from '../../harness/container.ts'
import { openEmptyStore, sqliteEngine } from '../../harness/databases.ts'
import { openShop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const ASSET = { assetId: 'nep141:btc.omft.near', symbol: 'BTC', blockchain: 'btc', decimals: 8, priceUsd: 1 }

test('a quote is never stored for the invoice that has the row id of its own one in a promoted standby', async t => {
  const clock = new ManualClock()
  const terms = { createdAt: clock.secs, expiresAt: clock.secs + 900 }
  const primary = await openEmptyStore(sqliteEngine, t)
  const standby = await openEmptyStore(sqliteEngine, t)
  let current = primary
  const store = new Proxy({} as Store, { get: (_, name: keyof Store) => current[name] })
  const swapProvider = {
    enabled: true,
    assets: async () => [ASSET],
    async quote({ deadline }) {
      current = standby
      return {
        depositAddress: 'deposit address',
        depositMemo: null,
        amountIn: 101n,
        minAmountIn: 100n,
        amountInUsd: '1',
        quoteDeadline: deadline,
        timeEstimate: 150,
        raw: '{}',
      }
    },
  } as Partial<SwapProvider> as SwapProvider
  const { services } = await openTestContainer(t, { clock, store, swapProvider })
  const lost = await (await openShop(primary)).sell(terms)
  const other = await (await openShop(standby)).sell(terms)
  assert.equal(other.id, lost.id)

  const start = services.swaps.start(lost.publicId, { assetId: ASSET.assetId, refundTo: 'refund address' })
  await assert.rejects(start, { code: 'no_such_invoice' })
  assert.equal((await standby.read(tx => tx.invoices.byIds([other.id])))[0]?.swapId, null)
})
