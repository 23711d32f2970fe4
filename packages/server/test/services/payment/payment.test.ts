import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Block } from '../../../src/domain/chain.ts'
import { MAX_ZAT } from '../../../src/domain/money.ts'
import { consensusParams } from '../../../src/domain/network-upgrade.ts'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import { createHeaderChain } from '../../../src/services/chain-rewind.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../src/services/invoice-state.ts'
import { createPayments, type MempoolSnapshot } from '../../../src/services/payment.ts'
import { openEmptyStore, sqliteEngine } from '../../store/databases.ts'
import { NOW, openShop } from '../../store/fixtures.ts'
import { silentLog } from '../../support/log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { ModelChain, notesOf } from '../../support/model-chain.ts'

/** The service over a model chain with its first block recorded and NU6.3 at the given height. */
async function rigOf(context: TestContext, nu63Height = 0) {
  const store = await openEmptyStore(sqliteEngine, context)
  const clock = new ManualClock(NOW)
  const [reassess, report] = [createInvoiceUpdater(), createChangeReporter({ log: silentLog })]
  const payments = createPayments({
    store,
    updateInvoices: reassess,
    reportChanges: report,
    clock,
    params: consensusParams('regtest', { nu63Height, nu7Height: null }),
  })
  const headers = createHeaderChain({ store, updateInvoices: reassess, reportChanges: report, clock, log: silentLog })
  const shop = await openShop(store)
  const chain = new ModelChain()
  await payments.recordBlocks({ blocks: chain.blocks, notes: [] })
  let paid = 0

  const pay = (invoice: Invoice, valueZat: bigint) => {
    const txid = (++paid).toString(16).padStart(64, '0')
    chain.broadcast({ txid, diversifierIndex: invoice.diversifierIndex, valueZat })
    return txid
  }
  const mine = (...txids: string[]): Block => {
    chain.mine(txids, clock.secs)
    return chain.blocks.at(-1)!
  }
  const notes = (block: Block) => notesOf(chain.blocks[block.height]!.paying, shop.viewingKey.id)
  const unmined = () => notesOf(chain.mempool.values(), shop.viewingKey.id)
  const read = async (invoice: Invoice) => (await store.read(tx => tx.invoices.byIds([invoice.id])))[0]!
  const snapshot = (change: Partial<MempoolSnapshot> = {}): MempoolSnapshot => ({
    notes: unmined(),
    expiryHeights: new Map(),
    txids: new Set(chain.mempool.keys()),
    lastSeq: Number.MAX_SAFE_INTEGER,
    serverEpoch: 1,
    syncedThrough: clock.secs,
    provesMissing: true,
    ...change,
  })
  return { store, clock, payments, headers, shop, chain, pay, mine, notes, unmined, read, snapshot }
}

const NO_EXPIRY = new Map<string, number>()

test('before NU6.3 an Ironwood note pays nothing, and from NU6.3 an Orchard note pays nothing, mined or not', async t => {
  const rig = await rigOf(t, 3)
  const orchard = await rig.shop.sell()
  const ironwood = await rig.shop.sell()
  for (let height = 1; height <= 4; height++) {
    const [one, other] = [rig.pay(orchard, 1n), rig.pay(ironwood, 1n)]
    const both = rig.unmined().map(note => ({ ...note, pool: note.txid === one ? 'orchard' : 'ironwood' }) as const)
    await rig.payments.recordMempool({ notes: both, expiryHeights: NO_EXPIRY })
    const expected = [Math.min(height, 2), Math.max(0, height - 2)].map(BigInt)
    assert.deepEqual([(await rig.read(orchard)).receivedZat, (await rig.read(ironwood)).receivedZat], expected)
    const block = rig.mine(one, other)
    assert.equal(await rig.payments.recordBlocks({ blocks: [block], notes: both }), null)
    assert.deepEqual([(await rig.read(orchard)).receivedZat, (await rig.read(ironwood)).receivedZat], expected)
  }
})

test('an expired unmined transaction is not counted, and is dropped once blocks pass its expiry height', async t => {
  const rig = await rigOf(t)
  const invoice = await rig.shop.sell()
  const txid = rig.pay(invoice, 5n)
  const seen = { notes: rig.unmined(), expiryHeights: new Map([[txid, 2]]) }
  await rig.payments.recordMempool(seen)
  assert.equal((await rig.read(invoice)).receivedZat, 5n)
  await rig.payments.recordBlocks({ blocks: [rig.mine()], notes: [] })
  assert.equal((await rig.read(invoice)).receivedZat, 5n)
  await rig.payments.recordBlocks({ blocks: [rig.mine()], notes: [] })
  assert.equal((await rig.read(invoice)).receivedZat, 0n)
  await rig.payments.recordMempool(seen)
  assert.equal((await rig.read(invoice)).receivedZat, 0n, 'a node that still serves it does not make it count again')
})

test('an expiry height known only from the stream is kept when blocks and snapshots include the transaction', async t => {
  const rig = await rigOf(t)
  const invoice = await rig.shop.sell()
  const txid = rig.pay(invoice, 5n)
  await rig.payments.recordMempool({ notes: rig.unmined(), expiryHeights: new Map([[txid, 3]]) })
  const block = rig.mine(txid)
  await rig.payments.recordBlocks({ blocks: [block], notes: rig.notes(block) })
  await rig.headers.rewindTo(0, null)
  rig.chain.removeBlocks(1, () => true)
  await rig.payments.recordSnapshot(rig.snapshot())
  assert.equal((await rig.read(invoice)).receivedZat, 5n)
  await rig.payments.recordBlocks({ blocks: [rig.mine(), rig.mine(), rig.mine()], notes: [] })
  assert.equal((await rig.read(invoice)).receivedZat, 0n)
})

test('a batch with a block that does not follow is refused, and nothing of it is written', async t => {
  const rig = await rigOf(t)
  const invoice = await rig.shop.sell()
  const good = rig.mine(rig.pay(invoice, 5n))
  const next = rig.mine()
  const bad: [string, Block[]][] = [
    ['gap', [next]],
    ['fork', [{ ...good, prevHash: 'other' }]],
    ['fork', [good, { ...next, prevHash: 'other' }]],
    ['hidden_outputs', [good, { ...next, treeSizes: { ...next.treeSizes, ironwood: 2 } }]],
    ['hidden_outputs', [{ ...good, outputCounts: { ...good.outputCounts, ironwood: 0 } }]],
  ]
  for (const [fault, blocks] of bad) {
    const notes = blocks[0] === next ? [] : rig.notes(good)
    const misfit = await rig.payments.recordBlocks({ blocks, notes })
    assert.equal(misfit?.problem.problem, fault)
    assert.equal((await rig.headers.position())!.tip.height, 0)
    assert.equal((await rig.read(invoice)).receivedZat, 0n)
  }
  assert.equal(await rig.payments.recordBlocks({ blocks: [good, next], notes: rig.notes(good) }), null)
  assert.equal((await rig.read(invoice)).receivedZat, 5n)
})

test('a note above the total supply pays nothing and does not stop the sync', async t => {
  const { shop, pay, mine, notes, payments, read } = await rigOf(t)
  const invoice = await shop.sell()
  const block = mine(pay(invoice, MAX_ZAT + 1n), pay(invoice, 2n ** 64n - 1n), pay(invoice, 3n))
  assert.equal(await payments.recordBlocks({ blocks: [block], notes: notes(block) }), null)
  assert.equal((await read(invoice)).receivedZat, 3n)
})

test('a note that belongs to none of its blocks is an error, not a payment', async t => {
  const rig = await rigOf(t)
  rig.pay(await rig.shop.sell(), 5n)
  const notes = rig.unmined()
  await assert.rejects(
    rig.payments.recordBlocks({ blocks: [rig.mine()], notes }),
    /does not belong to the given blocks/,
  )
  assert.equal((await rig.headers.position())!.tip.height, 0)
})

test('blocks of a rescan must be in the recorded chain, not above it', async t => {
  const rig = await rigOf(t)
  const invoice = await rig.shop.sell()
  const block = rig.mine(rig.pay(invoice, 5n))
  const notes = rig.notes(block)
  assert.deepEqual(await rig.payments.recordRescanned({ blocks: [block], notes }), {
    found: 0,
    misfit: { height: 1, fault: { fault: 'gap', expected: 0 } },
  })
  await rig.payments.recordBlocks({ blocks: [block], notes: [] })
  const foreign = { ...block, hash: 'other' }
  assert.deepEqual((await rig.payments.recordRescanned({ blocks: [foreign], notes })).mismatch?.problem, {
    fault: 'fork',
  })
  assert.equal((await rig.read(invoice)).receivedZat, 0n)
  assert.deepEqual(await rig.payments.recordRescanned({ blocks: [block], notes }), { found: 1, misfit: null })
  assert.equal((await rig.read(invoice)).receivedZat, 5n)
})

test('a payment recorded after a snapshot was requested does not count as missing from it', async t => {
  const rig = await rigOf(t)
  const invoice = await rig.shop.sell()
  const old = rig.snapshot({ lastSeq: await rig.payments.lastSeq() })
  rig.pay(invoice, 5n)
  await rig.payments.recordMempool({ notes: rig.unmined(), expiryHeights: NO_EXPIRY })
  for (let i = 0; i < 3; i++) {
    await rig.payments.recordSnapshot(old)
    rig.clock.advance(1_000)
    await rig.payments.recordBlocks({ blocks: [rig.mine()], notes: [] })
  }
  assert.equal((await rig.read(invoice)).receivedZat, 5n)
})

test('the synced time never decreases', async t => {
  const rig = await rigOf(t)
  const invoice = await rig.shop.sell()
  rig.clock.advance(900)
  await rig.payments.recordSnapshot(rig.snapshot())
  await rig.payments.recordSnapshot(rig.snapshot({ syncedThrough: NOW }))
  assert.equal(await rig.payments.expireDue(1), 1)
  assert.equal((await rig.read(invoice)).status, 'expired')
})

test('due invoices expire in bounded batches, earliest first, except those kept open by a swap', async t => {
  const rig = await rigOf(t)
  const invoices: Invoice[] = []
  for (const secs of [300, 100, 200, 400]) invoices.push(await rig.shop.sell({ expiresAt: NOW + secs }))
  await rig.store.write(tx => tx.invoices.setKeptOpenBySwap(invoices[1]!.id, true))
  rig.clock.advance(300)
  await rig.payments.recordSnapshot(rig.snapshot())
  const statuses = async () => Promise.all(invoices.map(async invoice => (await rig.read(invoice)).status))
  assert.equal(await rig.payments.expireDue(1), 1)
  assert.deepEqual(await statuses(), ['pending', 'pending', 'expired', 'pending'])
  assert.equal(await rig.payments.expireDue(10), 1)
  assert.deepEqual(await statuses(), ['expired', 'pending', 'expired', 'pending'])
})

test('a swap with a deposit is included in the event of its invoice', async t => {
  const rig = await rigOf(t)
  const swap = { asset: 'nep141:btc', blockchain: 'btc', amountInFormatted: '0.1', status: 'SUCCESS' }
  const reassess = createInvoiceUpdater({ swapOf: async () => swap })
  const bodies: (string | null)[] = []
  await rig.store.write(async tx => {
    const { append } = tx.events
    tx.events.append = async events => {
      bodies.push(...events.map(event => event.body))
      return append(events)
    }
    const invoice = await tx.invoices.insert(rig.shop.draft({ confirmations: 0 }))
    await tx.payments.upsert([
      {
        invoiceId: invoice.id,
        txid: 'ab'.repeat(32),
        pool: 'ironwood',
        outputIndex: 0,
        valueZat: invoice.amountZat,
        location: { at: 'mempool' },
        expiryHeight: null,
        seenAt: NOW,
        lastSeenHeight: 0,
      },
    ])
    await tx.payments.markPresent([await tx.payments.lastSeq()], 0)
    await reassess(tx, [invoice.id], NOW)
  })
  assert.deepEqual(
    bodies.map(body => body && JSON.parse(body).swap),
    [{ asset: 'nep141:btc', blockchain: 'btc', amount_in_formatted: '0.1', status: 'SUCCESS' }],
  )
})
