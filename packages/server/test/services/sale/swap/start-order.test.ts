import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SWAP_START_ERRORS } from '../../../../src/http/routes/sale/swap.ts'
import type { Store, Tx } from '../../../../src/ports/store.ts'
import { startTestApi } from '../../../harness/api.ts'
import { sqliteStore } from '../../../harness/databases.ts'
import { call } from '../../../harness/http-call.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { BTC } from '../../../harness/swap.ts'
import { startProvider } from '../../../harness/swap-provider.ts'
import { withRepositories } from '../../../harness/tx.ts'

const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

/** Transactions and reads of invoices. */
interface Counts {
  writes: number
  invoiceReads: number
}

function countingStore(store: Store, counts: Counts): Store {
  const counted = (tx: Tx): Tx => {
    const { byPublicId, byPublicIds, byIds, lock } = tx.invoices
    const readOnce = <A extends unknown[], R>(read: (...args: A) => R) => {
      return (...args: A): R => {
        counts.invoiceReads++
        return read(...args)
      }
    }
    const reads = { byPublicId, byPublicIds, byIds, lock }
    const invoices = Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, readOnce(read as never)]))
    return withRepositories(tx, { invoices: { ...tx.invoices, ...invoices } })
  }
  return {
    ...store,
    read: work => store.read(tx => work(counted(tx))),
    query: work => store.query(tx => work(counted(tx))),
    write(work) {
      counts.writes++
      return store.write(tx => work(counted(tx)))
    },
    lookup: {
      ...store.lookup,
      invoice(publicId) {
        counts.invoiceReads++
        return store.lookup.invoice(publicId)
      },
    },
  }
}

async function open(t: TestContext) {
  const clock = new ManualClock()
  const { provider: swapProvider, oneclick } = await startProvider(t, { clock })
  const counts: Counts = { writes: 0, invoiceReads: 0 }
  const { store } = await sqliteStore(t)
  const api = await startTestApi({ clock, swapProvider, store: countingStore(store, counts) })
  t.after(() => api.close())
  const { apiKey: token } = await api.merchant()
  return {
    api,
    clock,
    oneclick,
    invoice: async (json: object = { amount_zat: 2_500_000 }): Promise<string> =>
      (await call(api, 'POST /v1/invoices', { token, json })).body.id,
    start: (id: string, json: unknown = { asset_id: BTC, refund_to: 'the-buyers-own-address' }) =>
      call(api, `POST /v1/invoices/${id}/swap`, { json }),
    /** The counts that `work` adds. */
    async countsOf(work: () => Promise<unknown>): Promise<[writes: number, invoiceReads: number]> {
      const { writes, invoiceReads } = counts
      await work()
      return [counts.writes - writes, counts.invoiceReads - invoiceReads]
    },
  }
}

type Shop = Awaited<ReturnType<typeof open>>

interface Start {
  id: string
  json: Record<string, unknown>
}

/** Make a start fail with the error. */
const CAUSES: Record<(typeof SWAP_START_ERRORS)[number] | 'unknown_field', (shop: Shop, start: Start) => unknown> = {
  no_such_invoice(_, start) {
    start.id = UNKNOWN
  },
  refund_to_required(_, start) {
    start.json.refund_to = ' '
  },
  unknown_field(_, start) {
    start.json.refund_too = 'x'
  },
  invoice_not_pending: ({ clock }) => clock.advance(900),
  async swap_needs_amount({ invoice }, start) {
    start.id = await invoice({ open_amount: true })
  },
  async swap_in_progress({ api, clock, oneclick, start }, { id }) {
    const shown = async () => (await call(api, `GET /v1/invoices/${id}`)).body.swap
    if (!(await shown())) await start(id)
    oneclick.drive((await shown()).deposit_address, { outcome: 'PROCESSING', deliver: false })
    clock.advance(5)
    await api.swapStatus.pollDue(10)
  },
  async too_many_swap_requests({ start }, { id }) {
    for (let i = 0; i < 5; i++) await start(id)
  },
  unsupported_asset_id(_, start) {
    start.json.asset_id = 'none'
  },
  swap_refused(_, start) {
    start.json.refund_to = 'invalid'
  },
  swap_provider_unavailable({ oneclick }) {
    oneclick.script.add('quote', 'bad_gateway_html', 1)
  },
}

const ORDER = [...SWAP_START_ERRORS.slice(0, 2), 'unknown_field', ...SWAP_START_ERRORS.slice(2)] as const

test('of two errors of a start, the one that is listed first is reported', async t => {
  const shop = await open(t)
  for (const [index, first] of ORDER.entries())
    for (const second of [first, ...ORDER.slice(index + 1)]) {
      // The provider either refuses or does not answer.
      if (first === 'swap_refused' && second !== first) continue
      const start: Start = { id: await shop.invoice(), json: { asset_id: BTC, refund_to: 'the-buyers-own-address' } }
      // The earlier of two wrong values of a field replaces the later; the provider fails once all swaps are started.
      const causes = second === 'swap_provider_unavailable' ? [first, second] : [second, first]
      for (const cause of new Set(causes)) await CAUSES[cause](shop, start)
      assert.equal((await shop.start(start.id, start.json)).body.code, first, `${first} and ${second}`)
      shop.oneclick.script.clear()
      shop.clock.advance(900)
    }
})

test('a start reads the invoice once, and again under the lock of each of its two or three transactions', async t => {
  const shop = await open(t)
  const id = await shop.invoice()
  assert.deepEqual(await shop.countsOf(() => shop.start(id)), [2, 3])
  assert.deepEqual(await shop.countsOf(() => shop.start(id)), [3, 4])
  const json = { asset_id: 'none', refund_to: 'the-buyers-own-address' }
  assert.deepEqual(await shop.countsOf(() => shop.start(id, json)), [2, 3])
  assert.deepEqual(await shop.countsOf(() => shop.start(id, { asset_id: BTC })), [0, 1])
})
