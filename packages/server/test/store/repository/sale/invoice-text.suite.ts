import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimePosition } from '../../../../src/ports/repository/page.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

export function invoiceTextSuite(engine: DatabaseEngine): void {
  test('paging returns each invoice with a text from before a time once, oldest first, and no others', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const expected: TimePosition[] = []
    for (let i = 0; i < 20; i++) {
      const createdAt = NOW + ((i * 3) % 5)
      const texts = [{ description: 'a' }, { metadata: '{}' }, { orderId: '1', locale: 'de' }][i % 3]
      const { id } = await shop.sell({ createdAt, ...texts })
      if (i % 3 < 2 && createdAt < NOW + 3) expected.push({ createdAt, id })
      await other.sell({ createdAt, description: 'other' })
    }
    expected.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id)
    for (const limit of [1, 4, 100]) {
      const found: TimePosition[] = []
      for (;;) {
        const page: TimePosition[] = await store.query(tx =>
          tx.invoiceTexts.list(shop.account.id, NOW + 3, found.at(-1) ?? null, limit),
        )
        found.push(...page)
        if (page.length < limit) break
      }
      assert.deepEqual(found, expected, `pages of ${limit}`)
    }
  })

  test('the next account is one with an old text, and an account whose texts are erased is passed', async t => {
    const store = await openEmptyStore(engine, t)
    const shops = [await openShop(store), await openShop(store), await openShop(store), await openShop(store)]
    const [first, without, later, last] = shops.map(({ account }) => account.id) as [number, number, number, number]
    const { id } = await shops[0]!.sell({ description: 'a' })
    await shops[1]!.sell({ orderId: '1' })
    await shops[2]!.sell({ description: 'c', createdAt: NOW + 1 })
    await shops[3]!.sell({ metadata: '{}' })
    const next = (after: number) => store.query(tx => tx.invoiceTexts.accountAfter(after, NOW + 1))
    assert.deepEqual(
      [await next(0), await next(first), await next(without), await next(last)],
      [first, last, last, null],
    )
    assert.equal(await store.query(tx => tx.invoiceTexts.accountAfter(first, NOW + 2)), later)
    await store.write(tx => tx.invoiceTexts.erase(first, [id]))
    assert.equal(await next(0), last)
  })
}
