import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { consensusParams } from '../../../../src/domain/chain/network-upgrade.ts'
import type { NoteScanner } from '../../../../src/ports/note-scanner.ts'
import type { Vault } from '../../../../src/ports/vault.ts'
import { createChainRecorder } from '../../../../src/services/chain/chain-sync.ts'
import { createDashboard } from '../../../../src/services/sale/dashboard.ts'
import { createInvoiceExpiry } from '../../../../src/services/sale/invoice-expiry.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../../src/services/sale/invoice-state.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'
import { recordingLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { testOutbox } from '../../../harness/outbox.ts'
import { TestNetwork } from '../../../harness/simulation/network.ts'

/** One invoice of 10 zat with 2 confirmations on a simulated network. */
async function open(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  const clock = new ManualClock(NOW)
  const log = recordingLog()
  const params = consensusParams('regtest')
  const updating = {
    store,
    updateInvoices: createInvoiceUpdater({ outbox: testOutbox }),
    reportChanges: createChangeReporter({ log }),
    clock,
    params,
  }
  const recorder = createChainRecorder(updating)
  const expiry = createInvoiceExpiry(updating)
  const unused = { noteScanner: {} as NoteScanner, vault: {} as Vault }
  const dashboard = createDashboard({ ...unused, store, clock, params, lateWatchDays: 7 })
  const shop = await openShop(store)
  const chain = new TestNetwork({ time: NOW })
  await recorder.recordBlocks({ blocks: chain.blocksFrom(), notes: [] })
  const invoice = await shop.sell({ amountZat: 10n, confirmations: 2, expiresAt: NOW + 100 })
  return {
    clock,
    invoice,
    store,
    expire: () => expiry.expireDue(10),
    pay: (valueZat: bigint) => chain.pay(invoice, valueZat),
    async mine(...txids: string[]): Promise<void> {
      const blocks = [chain.mineOnly(txids, clock.secs)]
      await recorder.recordBlocks({ blocks, notes: chain.notesIn(blocks, shop.viewingKey.id) })
    },
    async readMempool(syncedThrough = clock.secs): Promise<void> {
      await recorder.recordSnapshot({
        notes: chain.mempoolNotes(shop.viewingKey.id),
        expiryHeights: new Map(),
        txids: new Set(chain.mempool.keys()),
        readAt: clock.secs,
        lastSeq: Number.MAX_SAFE_INTEGER,
        serverEpoch: 1,
        syncedThrough,
        provesMissing: true,
        uncompared: new Set(),
      })
    },
    /** The status and reason on the invoice's page. */
    async shown() {
      const { invoice: stored, because } = await dashboard.invoice(shop.account, invoice.publicId)
      return [stored.status, because]
    },
    /** The status changes logged since the last call. */
    logged() {
      const lines = log.lines.splice(0)
      return lines.map(({ level, details: { invoice: id, status, because }, message }) => {
        assert.deepEqual([level, message], ['debug', 'the status of an invoice changed'])
        assert.equal(id, invoice.publicId.slice(0, 8))
        return [status, because]
      })
    },
  }
}

onBothDatabases(engine => {
  test('the log and the page give the same reason for a status, from the first payment until the last', async t => {
    const { clock, pay, mine, readMempool, expire, shown, logged } = await open(engine, t)
    assert.deepEqual([await shown(), logged()], [['pending', 'before_expiry'], []])
    const part = pay(4n)
    await readMempool()
    assert.deepEqual([await shown(), logged()], [['pending', 'before_expiry'], []])
    clock.advance(101)
    await mine(part)
    assert.deepEqual(await shown(), ['pending', 'before_expiry'], 'the mempool is not known up to the expiry')
    await readMempool()
    await expire()
    assert.deepEqual([await shown(), logged()], [['underpaid', 'expired'], [['underpaid', 'expired']]])
    const rest = pay(6n)
    await readMempool()
    assert.deepEqual([await shown(), logged()], [['underpaid', 'late_unconfirmed'], []])
    await mine(rest)
    await mine()
    assert.deepEqual([await shown(), logged()], [['paid', 'confirmed'], [['paid', 'confirmed']]])
  })

  test('a swap keeps an unpaid invoice open past its expiry, and a full payment too', async t => {
    const { clock, invoice, store, pay, readMempool, expire, shown, logged } = await open(engine, t)
    const keepOpen = (open: boolean) => store.write(tx => tx.invoices.setKeptOpenBySwap(invoice.id, open))
    await keepOpen(true)
    clock.advance(101)
    await readMempool()
    await expire()
    assert.deepEqual([await shown(), logged()], [['pending', 'swap_keeps_open'], []])
    await keepOpen(false)
    assert.deepEqual(await shown(), ['pending', null], 'it is due, and waits for its evaluation')
    pay(10n)
    await readMempool()
    await expire()
    assert.deepEqual([await shown(), logged()], [['detected', 'unconfirmed'], [['detected', 'unconfirmed']]])
  })

  test('a synced time ahead of the clock, which a wrong clock wrote, is no reason', async t => {
    const { clock, readMempool, shown } = await open(engine, t)
    clock.advance(1_000)
    await readMempool()
    clock.advance(-990)
    assert.deepEqual(await shown(), ['pending', 'before_expiry'])
  })
})
