import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { systemRandom } from '../src/adapters/system/random.ts'
import type { Account } from '../src/domain/account.ts'
import { consensusParams } from '../src/domain/network-upgrade.ts'
import { DEFAULT_PLANS } from '../src/domain/plan.ts'
import type { NewInvoice } from '../src/ports/repository/invoice.ts'
import type { Store } from '../src/ports.ts'
import { createExports } from '../src/services/export.ts'
import { createInvoices } from '../src/services/invoice.ts'
import { createReassess, createReport } from '../src/services/invoice-state.ts'
import { createPayments } from '../src/services/payment.ts'
import { openStore } from '../src/store/open.ts'
import { makeAccount, makeViewingKey } from '../test/store/fixtures.ts'
import { silentLog } from '../test/support/log.ts'
import { ManualClock } from '../test/support/manual-clock.ts'
import { onEachDatabase } from './databases.ts'
import { count, report } from './report.ts'

const FEW = 1_000
/** The setting BENCH_INVOICES; the goal is set for 1,000,000. */
const MANY = Number(process.env.BENCH_INVOICES ?? 50_000)
const ROUNDS = 5
const AT_ONCE = 64
const SEEDED_AT_ONCE = 256
const GOAL = 0.8

/** What one round does of each: little, so that the small database stays small. */
const ROUND = { create: 400, read: 4_000, list: 100, expire: 400, export: 10_000 }
const EXPIRY_BATCH = 200
const PAGE = 50

/** How fast an account with many open invoices is served, against one with few: nothing may depend on their number. */
export async function run(): Promise<void> {
  await onEachDatabase(async (name, freshUrl) => {
    const few = await openFilled(await freshUrl(), FEW)
    const many = await openFilled(await freshUrl(), MANY)
    // What adds rows comes last.
    for (const work of ['read', 'list', 'export', 'expire', 'create'] as const) {
      const rates: { few: number[]; many: number[] } = { few: [], many: [] }
      for (let round = 0; round < ROUNDS; round++) {
        rates.few.push(await few[work]())
        rates.many.push(await many[work]())
      }
      report({
        what: `${work} at ${count(MANY)} invoices, ${name}`,
        perSecond: Math.max(...rates.many),
        unit: work === 'list' ? 'pages' : 'invoices',
        bound: { name: `at ${count(FEW)}`, perSecond: Math.max(...rates.few) },
        goal: GOAL,
      })
    }
    await few.close()
    await many.close()
  })
}

/** A database with so many open invoices of one account; each member does its round of work, and gives its rate. */
async function openFilled(url: string, invoices: number) {
  const store = await openStore(url)
  const account = await makeAccount(store)
  const { id: viewingKeyId } = await makeViewingKey(store)
  const seller = { ...account, plan: 'Business', viewingKeyId }
  const clock = new ManualClock()
  let index = 0n
  const spare = async () => ({ index: index++, address: `uregtest1${'q'.repeat(105)}` })
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
  const seed = (number: number, expiresAt: number) =>
    inTurns(number, SEEDED_AT_ONCE, () => insert(store, account, draft(expiresAt)))

  const ids = await seed(invoices, clock.secs + 900)
  await store.write(rows => rows.chain.setSeenThrough(clock.secs, clock.secs))
  if (url.startsWith('postgres')) await analyse(url)
  const addresses = { take: spare, giveBack: () => {} }
  const plans = DEFAULT_PLANS
  const service = createInvoices({ store, addresses, clock, random: systemRandom, plans, lateWatchDays: 7 })
  const [reassess, report] = [createReassess(), createReport({ log: silentLog })]
  const payments = createPayments({ store, reassess, report, clock, params: consensusParams('regtest') })
  const exports = createExports({ store, clock })

  return {
    close: () => store.close(),

    create: () =>
      timed(ROUND.create, async () => {
        await inTurns(ROUND.create, AT_ONCE, () =>
          service.create(seller, { amountZat: 1n, expiresInSecs: undefined, idempotencyKey: undefined }),
        )
      }),

    read: () =>
      timed(ROUND.read, async () => {
        await inTurns(ROUND.read, AT_ONCE, () => service.read(ids[Math.floor(Math.random() * ids.length)]!))
      }),

    list: () =>
      timed(ROUND.list, async () => {
        const [newest] = await service.list(account, { limit: 1 })
        let before = newest!.publicId
        for (let page = 0; page < ROUND.list; page++) {
          const rows = await service.list(account, { limit: PAGE, before })
          before = rows.length === PAGE ? rows.at(-1)!.publicId : newest!.publicId
        }
      }),

    async expire() {
      await seed(ROUND.expire, clock.secs - 1)
      return timed(ROUND.expire, async () => {
        while ((await payments.closeDue(EXPIRY_BATCH)) === EXPIRY_BATCH);
      })
    },

    export: () =>
      timed(ROUND.export, async () => {
        let rows = 0
        while (rows < ROUND.export) {
          const { chunks } = exports.write(account, 'csv', { from: 0 })
          for await (const chunk of chunks) {
            rows += chunk.split('\r\n').length - 1
            if (rows >= ROUND.export) break
          }
        }
      }),
  }
}

/** What a running server does by itself, within a minute or so. */
async function analyse(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
}

async function insert(store: Store, account: Account, draft: NewInvoice): Promise<string> {
  await store.write(rows => rows.invoices.insert(draft), { crowd: account.id })
  return draft.publicId
}

/** Runs `work` so often, some at a time. */
async function inTurns<T>(times: number, atOnce: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = []
  let begun = 0
  const taker = async () => {
    while (begun++ < times) done.push(await work())
  }
  await Promise.all(Array.from({ length: atOnce }, taker))
  return done
}

async function timed(pieces: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (pieces / (performance.now() - began)) * 1000
}

if (import.meta.main) await run()
