import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Store } from '../../../../src/ports/store.ts'
import type { SwapProvider, SwapStatusResponse } from '../../../../src/ports/swap-provider.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { openEmptyStore, sqliteEngine } from '../../../harness/databases.ts'
import { openShop } from '../../../harness/fixtures.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const ASSET = {
  assetId: 'nep141:btc.omft.near',
  symbol: 'BTC',
  blockchain: 'btc',
  decimals: 8,
  priceUsd: 1,
  perZec: 0,
  contractAddress: null,
}

const QUOTE = {
  depositMemo: null,
  amountIn: 101n,
  minAmountIn: 100n,
  amountInUsd: '1',
  amountOutUsd: null,
  timeEstimate: 150,
  raw: '{}',
}

/** A service whose database is replaced by a promoted standby when the test says so. */
async function openTwoDatabases(t: TestContext, swapProvider: (promote: () => void) => Partial<SwapProvider>) {
  const clock = new ManualClock()
  const terms = { createdAt: clock.secs, expiresAt: clock.secs + 900 }
  const primary = await openEmptyStore(sqliteEngine, t)
  const standby = await openEmptyStore(sqliteEngine, t)
  let current = primary
  const store = new Proxy({} as Store, { get: (_, name: keyof Store) => current[name] })
  const provider = {
    enabled: true,
    assets: async () => [ASSET],
    ...swapProvider(() => {
      current = standby
    }),
  } as SwapProvider
  const { services } = await openTestContainer(t, { clock, store, swapProvider: provider })
  return { swaps: services.swaps, terms, primary, standby }
}

const REQUEST = { assetId: ASSET.assetId, refundTo: 'refund address' }

test('a quote is never stored for the invoice that has the row id of its own one in a promoted standby', async t => {
  const { swaps, terms, primary, standby } = await openTwoDatabases(t, promote => ({
    async quote({ deadline }) {
      promote()
      return { ...QUOTE, depositAddress: 'deposit address', quoteDeadline: deadline }
    },
  }))
  const lost = await (await openShop(primary)).sell(terms)
  const other = await (await openShop(standby)).sell(terms)
  assert.equal(other.id, lost.id)

  await assert.rejects(swaps.start(lost, REQUEST), { code: 'no_such_invoice' })
  assert.equal((await standby.read(tx => tx.invoices.byIds([other.id])))[0]?.swapId, null)
})

test('a swap that a promoted standby lacks is no error for the buyer who starts the next one', async t => {
  let quotes = 0
  const { swaps, terms, primary, standby } = await openTwoDatabases(t, promote => ({
    quote: async ({ deadline }) => ({ ...QUOTE, depositAddress: `deposit ${++quotes}`, quoteDeadline: deadline }),
    async status() {
      promote()
      return { status: 'PENDING_DEPOSIT', updatedAtMs: 1, raw: '{}' } as SwapStatusResponse
    },
  }))
  const invoice = await (await openShop(primary)).sell(terms)
  await swaps.start(invoice, REQUEST)
  const shop = await openShop(standby)
  await shop.sell({ ...terms, publicId: invoice.publicId })
  const next = await swaps.start(invoice, REQUEST)
  assert.equal(next.depositAddress, 'deposit 2')
  assert.equal((await standby.read(tx => tx.invoices.byPublicId(invoice.publicId)))?.swapId, next.id)
})
