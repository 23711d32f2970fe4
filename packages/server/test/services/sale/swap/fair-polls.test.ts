import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayBesideAbandoned, insertSwap } from '../../../harness/abandoned-swaps.ts'
import { onBothDatabases, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

const ABANDONED = 300

onBothDatabases(engine => {
  test('the abandoned swaps of one account delay no current swap of another, and still get turns', async t => {
    const store = await openEmptyStore(engine, t)
    const [attacker, honest] = [await openShop(store), await openShop(store)]
    const own = await store.write(async tx => {
      for (let i = 0; i < ABANDONED; i++) await insertSwap(tx, attacker, `abandoned ${i}`, 4_500, (NOW - 600) * 1000)
      return insertSwap(tx, honest, 'honest', 300, NOW * 1000)
    })
    const claim = () => store.write(tx => tx.swaps.claimDue(NOW * 1000, NOW * 1000 + 30_000, 16))
    const claimed = await claim()
    assert.equal(claimed.length, 16)
    assert.ok(claimed.some(({ id }) => id === own.id))
    assert.equal((await claim()).length, 16)
  })

  test('beside 1,500 abandoned swaps, a new swap is polled within two seconds of its time', async t => {
    const { url } = await engine.createDatabase(t)
    const delayMs = await delayBesideAbandoned(t, 1_500, { databaseUrl: url })
    assert.ok(delayMs < 2_000, `${delayMs} ms`)
  })
})
