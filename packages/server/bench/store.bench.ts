import type { Store } from '../src/ports/store.ts'
import { openStore } from '../src/store/open.ts'
import { openShop, type Shop } from '../test/harness/fixtures.ts'
import { onEachDatabase } from './databases.ts'
import { report } from './report.ts'

const WRITERS = 64
const SECONDS = 2
const SHOPS = 8

/** Invoices written per second: with group commit, against one commit for each. */
async function run(): Promise<void> {
  await onEachDatabase(async (name, freshUrl) => {
    const single = await openStore(await freshUrl(), { limits: { maxBatch: 1 } })
    const bound = await createRate(single)
    await single.close()
    const grouped = await openStore(await freshUrl())
    const perSecond = await createRate(grouped)
    await grouped.close()
    report({
      what: `store invoices, ${name}`,
      perSecond,
      unit: 'invoices',
      bound: { name: 'one commit for each', perSecond: bound },
    })
  })
}

async function createRate(store: Store): Promise<number> {
  const shops = await Promise.all(Array.from({ length: SHOPS }, () => openShop(store)))
  await createsIn(store, shops, SECONDS / 3)
  return createsIn(store, shops, SECONDS)
}

async function createsIn(store: Store, shops: readonly Shop[], seconds: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let made = 0
  const make = async (shop: Shop) => {
    while (performance.now() < end) {
      await store.writeBatched(shop.account.id, async tx => {
        await tx.usage.increment(shop.account.id, '2026-11', null)
        return tx.invoices.insert(shop.draft())
      })
      made++
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => make(shops[writer % SHOPS] as Shop)))
  return made / ((performance.now() - start) / 1000)
}

await run()
