import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Session } from '../../../src/domain/account/session.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createExports } from '../../../src/services/sale/export.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { NOW, openShop, type Shop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

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
    const exports = createExports({ store, clock })
    return {
      store,
      counts,
      clock,
      shops: opened,
      begin: (shop: Shop, session: Pick<Session, 'id'> | null = null) =>
        exports.invoices(shop.account, session, 'json', { from: 0 }),
    }
  }

  const openSession = (store: Store, { account }: Shop) =>
    store.write(tx =>
      tx.sessions.insert({
        publicId: randomUUID(),
        accountId: account.id,
        label: 'browser',
        origin: 'browser',
        hash: randomBytes(32),
        createdAt: NOW,
        expiresAt: NOW + 2_000_000,
      }),
    )

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
    await assert.rejects(stalled.chunks.next(), /too slowly/)
    assert.throws(() => begin(shop), inProgress, 'the end of the stalled one frees nothing')
    for await (const _chunk of next.chunks);
    await begin(shop).chunks.return?.()
  })

  test('a session that reads a page now and then does not keep another one from exporting', async t => {
    const { store, clock, shops, begin } = await harness(t, 1)
    const shop = shops[0] as Shop
    const [stolen, own] = [await openSession(store, shop), await openSession(store, shop)]
    const slow = begin(shop, stolen).chunks
    await slow.next()
    clock.advance(59)
    await slow.next()
    assert.throws(() => begin(shop, own), inProgress, 'within its first minute')
    clock.advance(59)
    assert.throws(() => begin(shop, stolen), inProgress, 'its own session does not displace it')
    const next = begin(shop, own).chunks
    await assert.rejects(slow.next(), /too slowly/)
    assert.throws(() => begin(shop, stolen), inProgress)
    const first = await next.next()
    let text = first.value
    for await (const chunk of next) text += chunk
    assert.equal(JSON.parse(text).length, INVOICES)
  })

  test('an export stops and frees its place when its session has ended', async t => {
    const { store, counts, clock, shops, begin } = await harness(t, 1)
    const shop = shops[0] as Shop
    const [stolen, own] = [await openSession(store, shop), await openSession(store, shop)]
    const reading = begin(shop, stolen).chunks
    await reading.next()
    await store.write(tx => tx.sessions.end(shop.account.id, stolen.publicId, clock.secs))
    clock.advanceMs(999)
    const before = counts.pages
    await reading.next()
    assert.equal(counts.pages, before + 1, 'the session is checked once a second')
    clock.advanceMs(1)
    await assert.rejects(reading.next(), /session of the export has ended/)
    await begin(shop, own).chunks.return?.()

    const expiring = begin(shop, own).chunks
    await expiring.next()
    clock.advance(2_000_000)
    await assert.rejects(expiring.next(), /session of the export has ended/)
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
