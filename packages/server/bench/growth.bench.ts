import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Account } from '../src/domain/account/account.ts'
import type { NewInvoice } from '../src/domain/sale/invoice.ts'
import type { Store } from '../src/ports/store.ts'
import { openTestContainer, scopeOf } from '../test/harness/container.ts'
import { ManualClock } from '../test/harness/manual-clock.ts'
import { testViewingKey } from '../test/harness/viewing-key.ts'
import { instantAddresses } from './addresses.ts'
import { onEachDatabase } from './databases.ts'
import { count, report } from './report.ts'

const SMALL = 1_000
/** From the environment variable BENCH_INVOICES. The goal applies to 1,000,000. */
const LARGE = Number(process.env.BENCH_INVOICES ?? 50_000)
const ROUNDS = 5
const CONCURRENCY = 64
const SEED_CONCURRENCY = 256
const GOAL = 0.8

/** Operations of one round. Few, so that the small database stays small. */
const ROUND = { create: 400, read: 4_000, list: 100, expire: 400, export: 10_000 }
const EXPIRY_BATCH = 200
const PAGE = 50

/** The speed for an account with many open invoices against one with few: it must not depend on their number. */
async function run(): Promise<void> {
  await onEachDatabase(async (name, freshUrl) => {
    const small = await openFilled(await freshUrl(), SMALL)
    const large = await openFilled(await freshUrl(), LARGE)
    // Operations that add rows run last.
    for (const work of ['read', 'list', 'export', 'expire', 'create'] as const) {
      const rates: { small: number[]; large: number[] } = { small: [], large: [] }
      for (let round = 0; round < ROUNDS; round++) {
        rates.small.push(await small[work]())
        rates.large.push(await large[work]())
      }
      report({
        what: `${work} at ${count(LARGE)} invoices, ${name}`,
        perSecond: Math.max(...rates.large),
        unit: work === 'list' ? 'pages' : 'invoices',
        bound: { name: `at ${count(SMALL)}`, perSecond: Math.max(...rates.small) },
        goal: GOAL,
      })
    }
    await small.close()
    await large.close()
  })
}

/** A database with this many open invoices of one account. Each method runs one round and returns its rate. */
async function openFilled(url: string, invoices: number) {
  const stack = new AsyncDisposableStack()
  const clock = new ManualClock()
  const adapters = { databaseUrl: url, clock, noteScanner: instantAddresses() }
  const { infrastructure, services } = await openTestContainer(scopeOf(stack), adapters)
  const { store } = infrastructure
  const { accounts, exports, invoiceExpiry, viewingKeys } = services
  const created = await accounts.findOrCreate('shop@example.org')
  const account = await viewingKeys.setWithoutNotification(created, testViewingKey())
  const viewingKeyId = account.viewingKeyId!
  const seller = { ...account, plan: 'Business' }
  // Lower than those of the service.
  let index = 0n
  const draft = (expiresAt: number): NewInvoice => ({
    publicId: randomUUID(),
    accountId: account.id,
    viewingKeyId,
    diversifierIndex: index++,
    purpose: 'sale',
    address: `uregtest1${'q'.repeat(105)}`,
    amountZat: 150_000_000n,
    confirmations: 3,
    createdAt: clock.secs - 86_400 + Number(index % 86_000n),
    expiresAt,
    watchUntil: expiresAt + 7 * 86_400,
  })
  const seed = (total: number, expiresAt: number) =>
    runConcurrently(total, SEED_CONCURRENCY, () => insert(store, account, draft(expiresAt)))

  const ids = await seed(invoices, clock.secs + 900)
  await store.write(tx => tx.chain.setSyncedThrough(clock.secs, clock.secs))
  if (url.startsWith('postgres')) await analyse(url)

  return {
    close: () => stack.disposeAsync(),

    create: () =>
      timed(ROUND.create, async () => {
        await runConcurrently(ROUND.create, CONCURRENCY, () =>
          services.invoices.create(seller, { amountZat: 1n, expiresInSecs: undefined, idempotencyKey: undefined }),
        )
      }),

    read: () =>
      timed(ROUND.read, async () => {
        await runConcurrently(ROUND.read, CONCURRENCY, () =>
          services.invoices.read(ids[Math.floor(Math.random() * ids.length)]!),
        )
      }),

    list: () =>
      timed(ROUND.list, async () => {
        const [newest] = await services.invoices.list(account, { limit: 1 })
        let before = newest!.publicId
        for (let page = 0; page < ROUND.list; page++) {
          const rows = await services.invoices.list(account, { limit: PAGE, before })
          before = rows.length === PAGE ? rows.at(-1)!.publicId : newest!.publicId
        }
      }),

    async expire() {
      await seed(ROUND.expire, clock.secs - 1)
      return timed(ROUND.expire, async () => {
        while ((await invoiceExpiry.expireDue(EXPIRY_BATCH)) === EXPIRY_BATCH);
      })
    },

    export: () =>
      timed(ROUND.export, async () => {
        let rows = 0
        while (rows < ROUND.export) {
          const { chunks } = exports.invoices(account, null, 'csv', { from: 0 })
          for await (const chunk of chunks) {
            rows += chunk.split('\r\n').length - 1
            if (rows >= ROUND.export) break
          }
        }
      }),
  }
}

/** A running server does this by itself within about a minute. */
async function analyse(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
}

async function insert(store: Store, account: Account, draft: NewInvoice): Promise<string> {
  await store.writeBatched(account.id, tx => tx.invoices.insert(draft))
  return draft.publicId
}

/** Runs `work` `times` times, at most `concurrency` at a time. */
async function runConcurrently<T>(times: number, concurrency: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let started = 0
  const runNext = async () => {
    while (started++ < times) results.push(await work())
  }
  await Promise.all(Array.from({ length: concurrency }, runNext))
  return results
}

async function timed(operations: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (operations / (performance.now() - startedAt)) * 1000
}

await run()
