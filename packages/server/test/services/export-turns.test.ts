import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../src/domain/error.ts'
import type { Store } from '../../src/ports/store.ts'
import { createInvoiceExports } from '../../src/services/export.ts'
import { onBothDatabases, openEmptyStore } from '../harness/databases.ts'
import { NOW, openShop, type Shop } from '../harness/fixtures.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const INVOICES = 1_203
const inProgress = (error: unknown) => error instanceof AppError && error.code === 'export_in_progress'

async function fill(shop: Shop): Promise<void> {
  for (let from = 0; from < INVOICES; from += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, INVOICES - from) }, (_, i) => shop.sell({ createdAt: NOW + i })),
    )
}

/** A store that counts the pages, and how many of them were read in one turn of the event loop. */
function countPages(store: Store) {
  const counts = { pages: 0, ofThisTurn: 0, highest: 0 }
  const query: Store['query'] = work => {
    if (counts.ofThisTurn === 0) setImmediate(() => (counts.ofThisTurn = 0))
    counts.pages++
    counts.highest = Math.max(counts.highest, ++counts.ofThisTurn)
    return store.query(work)
  }
  return { counts, store: { ...store, query } }
}

onBothDatabases(engine => {
  async function harness(t: TestContext, shops: number) {
    const { store, counts } = countPages(await openEmptyStore(engine, t))
    const clock = new ManualClock(NOW + 1_000_000)
    const opened = await Promise.all(Array.from({ length: shops }, () => openShop(store)))
    for (const shop of opened) await fill(shop)
    const exports = createInvoiceExports({ store, clock })
    return {
      counts,
      clock,
      shops: opened,
      begin: (shop: Shop) => exports.exportInvoices(shop.account, 'json', { from: 0 }),
    }
  }

  test('other work runs between two pages, whatever the number of exports', async t => {
    const { counts, shops, begin } = await harness(t, 3)
    let turns = 0
    let running = true
    const turn = () => {
      turns++
      if (running) setImmediate(turn)
    }
    turn()
    const files = await Promise.all(
      shops.map(async shop => {
        let text = ''
        for await (const chunk of begin(shop).chunks) text += chunk
        return text
      }),
    )
    running = false
    for (const file of files) assert.equal(JSON.parse(file).length, INVOICES)
    assert.ok(turns >= counts.pages, `${turns} turns for ${counts.pages} pages`)
    assert.equal(counts.highest, 1)
  })

  test('an account has one export at a time, until it ends or its reader leaves', async t => {
    const { clock, shops, begin } = await harness(t, 2)
    const [shop, other] = shops as [Shop, Shop]
    const first = begin(shop)
    assert.throws(() => begin(shop), inProgress)
    await begin(other).chunks.return?.()
    await first.chunks.next()
    assert.throws(() => begin(shop), inProgress)
    for await (const _chunk of first.chunks);

    await begin(shop).chunks.return?.()
    const failing = begin(shop).chunks
    await assert.rejects(failing.throw?.(new Error('closed')) as Promise<unknown>, /closed/)

    const stalled = begin(shop)
    await stalled.chunks.next()
    clock.advance(59)
    assert.throws(() => begin(shop), inProgress)
    clock.advance(1)
    const next = begin(shop)
    await assert.rejects(stalled.chunks.next(), /not read for a minute/)
    assert.throws(() => begin(shop), inProgress, 'the end of the stalled one frees nothing')
    for await (const _chunk of next.chunks);
    await begin(shop).chunks.return?.()
  })

  test('after its reader leaves, an export reads nothing more', async t => {
    const { counts, shops, begin } = await harness(t, 1)
    for await (const chunk of begin(shops[0] as Shop).chunks) {
      assert.ok(chunk.length > 0)
      break
    }
    assert.equal(counts.pages, 1)
  })
})
