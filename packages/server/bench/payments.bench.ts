import type { Store } from '../src/ports/store.ts'
import { createInvoiceUpdater } from '../src/services/sale/invoice-state.ts'
import { openStore } from '../src/store/open.ts'
import { NOW, openShop, type Shop } from '../test/harness/fixtures.ts'
import { testOutbox } from '../test/harness/outbox.ts'
import { run as runSql } from '../test/harness/poison.ts'
import { onEachDatabase } from './databases.ts'
import { count, report } from './report.ts'

const FEW = 1_000
/** From the environment variable BENCH_PAYMENTS. The goal applies to 1,000,000. */
const MANY = Number(process.env.BENCH_PAYMENTS ?? 1_000_000)
const PER_BLOCK = 300
const EVALUATIONS = 50
const ROUNDS = 5
const MAX_MS = 100

const updateInvoices = createInvoiceUpdater({ outbox: testOutbox })

/** Evaluations of an invoice with very many payments against one with few: it depends on their blocks, not on their number. */
async function run(): Promise<void> {
  await onEachDatabase(async (name, freshUrl) => {
    const url = await freshUrl()
    const store = await openStore(url)
    const shop = await openShop(store)
    for (const location of ['mined', 'mempool', 'dropped']) {
      const few = await sell(shop, url, FEW, location)
      const many = await sell(shop, url, MANY, location)
      const first = await evaluate(store, many, 1)
      const rates: { few: number[]; many: number[] } = { few: [], many: [] }
      let slowest = 0
      for (let round = 0; round < ROUNDS; round++) {
        rates.few.push(1000 / (await evaluate(store, few, EVALUATIONS)).meanMs)
        const { meanMs, maxMs } = await evaluate(store, many, EVALUATIONS)
        rates.many.push(1000 / meanMs)
        slowest = Math.max(slowest, maxMs)
      }
      report({
        what: `evaluate ${count(MANY)} payments, ${location}, ${name}`,
        perSecond: Math.max(...rates.many),
        unit: 'invoices',
        bound: { name: `${count(FEW)} payments`, perSecond: Math.max(...rates.few) },
        notes: [`first ${first.maxMs.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms, goal ${MAX_MS} ms`],
      })
    }
    await store.close()
  })
}

/** An invoice with that many payments, written as the service writes them: each row, and the sum of each block. */
async function sell(shop: Shop, url: string, payments: number, location: string): Promise<number> {
  const { id } = await shop.sell({ amountZat: BigInt(payments) * 2n })
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${payments - 1})`
  const height = location === 'mined' ? `1 + i / ${PER_BLOCK}` : 'NULL'
  const txid = `'${id}-' || i`
  const row = `${id}, ${txid}, 'orchard', 0, 1, '${location}', ${height}, ${NOW}`
  const columns = 'invoice_id, txid, pool, output_index, value_zat, location, height, seen_at'
  const at = location === 'mined' ? `1 + i / ${PER_BLOCK}` : '-1'
  const totals = `${numbers} INSERT INTO payment_totals (invoice_id, height, value_zat) SELECT ${id}, ${at}, count(*) FROM n GROUP BY 2`
  await runSql(url, [
    `${numbers} INSERT INTO payments (${columns}) SELECT ${row} FROM n`,
    ...(location === 'dropped' ? [] : [totals]),
    'ANALYZE',
  ])
  return id
}

async function evaluate(store: Store, id: number, times: number) {
  const startedAt = performance.now()
  let maxMs = 0
  for (let i = 0; i < times; i++) {
    const before = performance.now()
    await store.write(tx => updateInvoices(tx, [id], NOW + i))
    maxMs = Math.max(maxMs, performance.now() - before)
  }
  return { meanMs: (performance.now() - startedAt) / times, maxMs }
}

await run()
