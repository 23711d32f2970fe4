import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '../../../../src/domain/chain/network-upgrade.ts'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import { createChainRecorder } from '../../../../src/services/chain/chain-sync.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../../src/services/sale/invoice-state.ts'
import { onPostgres } from '../../../harness/databases.ts'
import { openShop } from '../../../harness/fixtures.ts'
import { silentLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { testOutbox } from '../../../harness/outbox.ts'
import { paymentsOf } from '../../../harness/payments.ts'
import { TestNetwork } from '../../../harness/simulation/network.ts'

const ROUNDS = 25

onPostgres(engine => {
  test('two processes that record the same payments at once, in the mempool and in blocks, count each once and as mined', async t => {
    const database = await engine.createDatabase(t)
    const clock = new ManualClock()
    const start = async () => {
      const store = await database.open()
      const updateInvoices = createInvoiceUpdater({ outbox: testOutbox })
      const reportChanges = createChangeReporter({ log: silentLog })
      const params = consensusParams('regtest')
      return { store, recorder: createChainRecorder({ store, updateInvoices, reportChanges, clock, params }) }
    }
    const [{ store, recorder: one }, { recorder: other }] = [await start(), await start()]
    const shop = await openShop(store)
    const chain = new TestNetwork()
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
    const after = await store.read(tx => tx.invoices.byIds(invoices.map(invoice => invoice.id)))
    assert.deepEqual(
      after.map(({ status, receivedZat }) => [status, receivedZat]),
      invoices.map(() => ['paid', 10n]),
    )
    const payments = await store.read(tx =>
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
})
