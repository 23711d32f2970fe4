import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { consensusParams } from '../../../src/domain/network-upgrade.ts'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import type { Store } from '../../../src/ports/store.ts'
import { type ChainRecorder, createChainRecorder } from '../../../src/services/chain-sync.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../src/services/invoice-state.ts'
import { openStore } from '../../../src/store/open.ts'
import { openShop, type Shop } from '../../harness/fixtures.ts'
import { silentLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { testOutbox } from '../../harness/outbox.ts'
import { paymentsOf } from '../../harness/payments.ts'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '../../harness/postgres.ts'
import { TestNetwork } from '../../harness/simulation/network.ts'

const bin = findPostgres()
const ROUNDS = 25

let postgres: TestPostgres
let stores: Store[] = []
let services: ChainRecorder[]
let shop: Shop
const clock = new ManualClock()

before(async () => {
  if (!bin) return
  postgres = await startPostgres(bin)
  const url = await postgres.freshDatabase()
  stores = [await openStore(url), await openStore(url)]
  services = stores.map(store =>
    createChainRecorder({
      store,
      updateInvoices: createInvoiceUpdater({ outbox: testOutbox }),
      reportChanges: createChangeReporter({ log: silentLog }),
      clock,
      params: consensusParams('regtest'),
    }),
  )
  shop = await openShop(stores[0]!)
})

after(async () => {
  for (const store of stores) await store.close()
  await postgres?.stop()
})

test('two processes that record the same payments at once, in the mempool and in blocks, count each once and as mined', {
  skip: !bin && NO_POSTGRES,
}, async () => {
  const chain = new TestNetwork()
  const [one, other] = services as [ChainRecorder, ChainRecorder]
  await one.recordBlocks({ blocks: chain.blocksFrom(), notes: [] })
  const terms = { amountZat: 10n, confirmations: 1, createdAt: clock.secs, expiresAt: clock.secs + 900 }
  const invoices: Invoice[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const invoice = await shop.sell({ ...terms, watchUntil: clock.secs + 86_400 })
    invoices.push(invoice)
    const txid = chain.pay(invoice, 10n)
    const seen = { notes: chain.mempoolNotes(shop.viewingKey.id), expiryHeights: new Map() }
    const blocks = [chain.mineOnly([txid], clock.secs)]
    const read = { blocks, notes: chain.notesIn(blocks, shop.viewingKey.id) }
    // The slower process gets a mismatch, or a conflict from the database.
    const race = await Promise.allSettled([
      one.recordMempool(seen),
      one.recordBlocks(read),
      other.recordBlocks(read),
      other.recordMempool(seen),
    ])
    assert.equal(race[0].status, 'fulfilled')
    assert.equal(race[3].status, 'fulfilled')
    const recorded = [race[1], race[2]].filter(result => result.status === 'fulfilled' && result.value === null)
    assert.equal(recorded.length, 1)
  }
  const after = await stores[0]!.read(tx => tx.invoices.byIds(invoices.map(invoice => invoice.id)))
  assert.deepEqual(
    after.map(({ status, receivedZat }) => [status, receivedZat]),
    invoices.map(() => ['paid', 10n]),
  )
  const payments = await stores[0]!.read(tx =>
    paymentsOf(
      tx,
      invoices.map(invoice => invoice.id),
    ),
  )
  assert.deepEqual(
    payments.map(({ location }) => location),
    invoices.map((_, round) => ({ at: 'mined', height: round + 1 })),
  )
})
