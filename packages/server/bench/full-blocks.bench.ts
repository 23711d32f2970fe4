import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createActions } from '@zatgate/sandbox/chain/actions'
import { foreignReceiver } from '@zatgate/sandbox/chain/keys'
import { SeededRandom } from '@zatgate/sandbox/random'
import { type Sandbox, startSandbox } from '@zatgate/sandbox/sandbox'
import { orchardReceiver } from '@zatgate/zcash/address'
import type { Action } from '@zatgate/zcash/note'
import { incomingViewingKeyFromBytes } from '@zatgate/zcash/viewing-key'
import type { Store } from '../src/ports/store.ts'
import { openStore } from '../src/store/open.ts'
import { joined } from '../test/harness/service.ts'
import { count, printLine } from './report.ts'
import { startServiceProcess } from './service-process.ts'
import { AMOUNT_ZAT, addShops, type Shop } from './shops.ts'

const SHOPS = 10_000
const MINUTES = 10
const BLOCK_MS = 25_000
/** A full block: 330 actions, two in each transaction. */
const TRANSACTIONS_PER_BLOCK = 165
const PAYMENTS_PER_BLOCK = 10
/** Transactions from one payment to the next one. */
const PAYMENT_INTERVAL = Math.floor(TRANSACTIONS_PER_BLOCK / PAYMENTS_PER_BLOCK)
const POLL_MS = 20
const GOAL_MS = 2_000

/** A transaction, and the invoice that it pays. */
interface Draft {
  readonly actions: readonly Action[]
  readonly invoice: string | null
}

/**
 * Full blocks every 25 seconds, and how long payments take from the mempool to `detected`, with 10,000 open invoices. The
 * server shows its mempool at once; lightwalletd caches it for two seconds more.
 */
async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sandbox = stack.adopt(await startSandbox({ faults: { mempoolCacheMs: 0 } }), it => it.close())
  const url = `sqlite:${join(folder, 'zatgate.db')}`
  const key = randomBytes(32)
  const shops = await addShops(url, key, { shops: SHOPS, invoicesEach: 1 })
  const blocks = Math.round((MINUTES * 60_000) / BLOCK_MS)
  const drafts = createDrafts(sandbox, shops, blocks)
  const service = await startServiceProcess({
    DATA_DIR: folder,
    DATABASE_URL: url,
    PORT: '0',
    LOG_LEVEL: 'error',
    ENCRYPTION_KEY: key.toString('base64'),
    ...joined(sandbox),
  })
  stack.defer(() => service.stop())
  const store = stack.adopt(await openStore(url), it => it.close())
  const lags: number[] = []
  const watch = watchInvoices(store)
  stack.defer(() => watch.stop())
  await untilHeight(store, sandbox.chain.height)
  const start = performance.now()
  for (const [number, draft] of drafts.entries()) {
    await sleep(Math.max(0, start + (number * BLOCK_MS) / TRANSACTIONS_PER_BLOCK - performance.now()))
    sandbox.chain.add({ pool: sandbox.chain.paymentPool, actions: draft.actions })
    if (draft.invoice !== null) watch.paid(draft.invoice)
    if ((number + 1) % TRANSACTIONS_PER_BLOCK !== 0) continue
    const height = sandbox.chain.mine()
    const mined = performance.now()
    void untilHeight(store, height).then(() => lags.push(performance.now() - mined))
  }
  await untilHeight(store, sandbox.chain.height)
  await sleep(GOAL_MS)
  const payments = blocks * PAYMENTS_PER_BLOCK
  const late = payments - watch.delays.length
  const what = `${count(SHOPS)} keys, ${blocks} full blocks in ${MINUTES} minutes`
  const { p50, p99, max } = summary(watch.delays)
  printLine(
    `${what}: detected after p50 ${p50} ms, p99 ${p99} ms (goal ≤ ${GOAL_MS}), max ${max} ms; ${late} of ${payments} payments missing`,
  )
  printLine(
    `${what}: a block is recorded after p50 ${summary(lags).p50} ms, max ${summary(lags).max} ms (goal < ${BLOCK_MS})`,
  )
}

/** Made ahead, since their cryptography would compete with that of the service. */
function createDrafts({ chain }: Sandbox, shops: readonly Shop[], blocks: number): Draft[] {
  const foreign = foreignReceiver(chain.seed)
  const unpaid = shops.map(({ incoming, invoices }) => ({ incoming, invoice: invoices[0]! }))
  return Array.from({ length: blocks * TRANSACTIONS_PER_BLOCK }, (_, number) => {
    const place = number % TRANSACTIONS_PER_BLOCK
    const isPayment = place % PAYMENT_INTERVAL === 0 && place < PAYMENTS_PER_BLOCK * PAYMENT_INTERVAL
    const shop = isPayment ? unpaid.splice(randomInt(unpaid.length), 1)[0] : undefined
    const receiver = shop ? orchardReceiver(incomingViewingKeyFromBytes(shop.incoming), 0n) : foreign
    const random = new SeededRandom(chain.seed, `draft ${number}`)
    const actions = createActions(random, chain.paymentPool, [{ receiver, value: AMOUNT_ZAT }], foreign)
    return { actions, invoice: shop?.invoice ?? null }
  })
}

/** Measures from `paid` until an invoice is no longer pending. */
function watchInvoices(store: Store) {
  const paidAt = new Map<string, number>()
  const delays: number[] = []
  let stopped = false
  const polling = (async () => {
    while (!stopped) {
      const ids = [...paidAt.keys()]
      const invoices = ids.length === 0 ? [] : await store.read(tx => tx.invoices.byPublicIds(ids))
      for (const { publicId, status } of invoices) {
        if (status === 'pending') continue
        delays.push(performance.now() - paidAt.get(publicId)!)
        paidAt.delete(publicId)
      }
      await sleep(POLL_MS)
    }
  })()
  return {
    delays,
    paid: (invoice: string) => void paidAt.set(invoice, performance.now()),
    async stop() {
      stopped = true
      await polling
    },
  }
}

async function untilHeight(store: Store, height: number): Promise<void> {
  while (((await store.read(tx => tx.chain.tip()))?.height ?? 0) < height) await sleep(POLL_MS)
}

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

await run()
