import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../src/ports.ts'
import { openStore } from '../src/store/open.ts'
import type { Shop } from '../test/store/fixtures.ts'
import { openShop } from '../test/store/fixtures.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../test/support/postgres.ts'

const WRITERS = 64
const SECONDS = 3
const SHOPS = 8

/** Invoices made a second: commits shared by those who wait together, against a commit for each. */
export async function run(): Promise<void> {
  await onSqlite()
  await onPostgres()
}

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  const rates: number[] = []
  for (const batch of [1, 128]) {
    const store = await openStore(`sqlite:${join(folder, `${batch}.db`)}`, { limits: { batch } })
    rates.push(await createRate(store, true))
    await store.close()
  }
  rmSync(folder, { recursive: true })
  print('SQLite', rates)
}

async function onPostgres(): Promise<void> {
  const bin = findPostgres()
  if (bin === null) {
    process.stdout.write(`PostgreSQL: skipped, ${NO_POSTGRES}\n`)
    return
  }
  const server = await startPostgres(bin, { durable: true })
  const store = await openStore(await server.freshDatabase())
  print('PostgreSQL', [await createRate(store, false), await createRate(store, true)])
  await store.close()
  await server.stop()
}

async function createRate(store: Store, crowd: boolean): Promise<number> {
  const shops = await Promise.all(Array.from({ length: SHOPS }, () => openShop(store)))
  await createsIn(store, shops, crowd, SECONDS / 3)
  return createsIn(store, shops, crowd, SECONDS)
}

async function createsIn(store: Store, shops: readonly Shop[], crowd: boolean, seconds: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let made = 0
  const make = async (shop: Shop) => {
    while (performance.now() < end) {
      await store.write(
        async rows => {
          await rows.usage.take(shop.account.id, '2026-11', null)
          return rows.invoices.insert(shop.draft())
        },
        crowd ? { crowd: shop.account.id } : {},
      )
      made++
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => make(shops[writer % SHOPS] as Shop)))
  return made / ((performance.now() - start) / 1000)
}

function print(database: string, [alone = 0, gathered = 0]: readonly number[]): void {
  const rate = (value: number) => `${Math.round(value)} creates/s`
  const ratio = (gathered / alone).toFixed(2)
  process.stdout.write(`${database}: gathered ${rate(gathered)}, one by one ${rate(alone)}, ratio ${ratio}\n`)
}

if (import.meta.main) await run()
