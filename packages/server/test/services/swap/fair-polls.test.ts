import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { openShop } from '../../harness/fixtures.ts'

const NOW = 1_800_000_000
const ABANDONED = 300

onBothDatabases(engine => {
  test('the abandoned swaps of one account delay no current swap of another, and still get turns', async t => {
    const store = await openEmptyStore(engine, t)
    const attacker = await openShop(store)
    const honest = await openShop(store)
    const insert = async (shop: typeof attacker, name: string, deadline: number, dueMs: number) => {
      const invoice = await shop.sell({ createdAt: deadline - 900, expiresAt: deadline })
      return store.write(tx =>
        tx.swaps.insert(
          {
            publicId: crypto.randomUUID(),
            invoiceId: invoice.id,
            assetId: 'nep141:btc.omft.near',
            symbol: 'BTC',
            blockchain: 'btc',
            decimals: 8,
            refundTo: 'an-address',
            depositAddress: name,
            depositMemo: null,
            amountIn: 101n,
            minAmountIn: 100n,
            amountInUsd: '1',
            timeEstimate: 150,
            deadline,
            quoteDeadline: NOW + 86_400,
            quoteRaw: '{}',
            createdAt: deadline - 900,
          },
          dueMs,
        ),
      )
    }
    for (let i = 0; i < ABANDONED; i++) await insert(attacker, `abandoned ${i}`, NOW - 3_600, (NOW - 600) * 1000)
    const own = await insert(honest, 'honest', NOW + 600, NOW * 1000)
    const claim = () => store.write(tx => tx.swaps.claimDue(NOW * 1000, NOW * 1000 + 30_000, 16))
    const claimed = await claim()
    assert.equal(claimed.length, 16)
    assert.ok(claimed.some(({ id }) => id === own?.id))
    assert.equal((await claim()).length, 16)
  })
})
