import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Network } from '../../../../src/domain/account/account.ts'
import type { Block } from '../../../../src/domain/chain/chain.ts'
import { consensusParams } from '../../../../src/domain/chain/network-upgrade.ts'
import { MAX_ZAT } from '../../../../src/domain/money.ts'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import { createChainRecorder } from '../../../../src/services/chain/chain-sync.ts'
import { createRecordedChain } from '../../../../src/services/chain/recorded-chain.ts'
import { createInvoiceExpiry } from '../../../../src/services/sale/invoice-expiry.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../../src/services/sale/invoice-state.ts'
import { openEmptyStore, sqliteEngine } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'
import { silentLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { type MempoolList, recordList } from '../../../harness/mempool-list.ts'
import { testOutbox } from '../../../harness/outbox.ts'
import { TestNetwork } from '../../../harness/simulation/network.ts'

/** The service over a simulated network with its first block recorded and NU6.3 at the given height. */
async function harnessOf(context: TestContext, nu63Height = 0, network: Network = 'regtest') {
  const store = await openEmptyStore(sqliteEngine, context)
  const clock = new ManualClock(NOW)
  const [updateInvoices, report] = [
    createInvoiceUpdater({ outbox: testOutbox }),
    createChangeReporter({ log: silentLog }),
  ]
  const params = { ...consensusParams('regtest', { nu63Height, nu7Height: null }), network }
  const process = (ownClock: Clock = clock) =>
    createChainRecorder({ store, updateInvoices, reportChanges: report, clock: ownClock, params })
  const chainRecorder = process()
  const invoiceExpiry = createInvoiceExpiry({ store, updateInvoices, reportChanges: report, clock, params })
  const recordedChain = createRecordedChain({ store, updateInvoices, reportChanges: report, clock, log: silentLog })
  const shop = await openShop(store)
  const chain = new TestNetwork({ time: NOW, nu63Height })
  await chainRecorder.recordBlocks({ blocks: chain.blocksFrom(), notes: [] })

  const pay = (invoice: Invoice, valueZat: bigint) => chain.pay(invoice, valueZat)
  const mine = (...txids: string[]): Block => chain.mineOnly(txids, clock.secs)
  const notes = (block: Block) => chain.notesIn([block], shop.viewingKey.id)
  const unmined = () => chain.mempoolNotes(shop.viewingKey.id)
  const read = async (invoice: Invoice) => (await store.read(tx => tx.invoices.byIds([invoice.id])))[0]!
  const list = (change: Partial<MempoolList> = {}): MempoolList => ({
    notes: unmined(),
    txids: new Set(chain.mempool.keys()),
    readAt: clock.secs,
    syncedThrough: clock.secs,
    ...change,
  })
  return {
    store,
    clock,
    process,
    chainRecorder,
    invoiceExpiry,
    recordedChain,
    shop,
    chain,
    pay,
    mine,
    notes,
    unmined,
    read,
    list,
  }
}

const NO_EXPIRY = new Map<string, number>()

test('before NU6.3 an Ironwood note pays nothing, and from NU6.3 an Orchard note pays nothing, mined or not', async t => {
  const harness = await harnessOf(t, 3)
  const orchard = await harness.shop.sell()
  const ironwood = await harness.shop.sell()
  for (let height = 1; height <= 4; height++) {
    const [one, other] = [harness.pay(orchard, 1n), harness.pay(ironwood, 1n)]
    const both = harness.unmined().map(note => ({ ...note, pool: note.txid === one ? 'orchard' : 'ironwood' }) as const)
    await harness.chainRecorder.recordMempool({ notes: both, expiryHeights: NO_EXPIRY })
    const expected = [Math.min(height, 2), Math.max(0, height - 2)].map(BigInt)
    assert.deepEqual([(await harness.read(orchard)).receivedZat, (await harness.read(ironwood)).receivedZat], expected)
    const block = harness.mine(one, other)
    assert.equal(await harness.chainRecorder.recordBlocks({ blocks: [block], notes: both }), null)
    assert.deepEqual([(await harness.read(orchard)).receivedZat, (await harness.read(ironwood)).receivedZat], expected)
  }
})

test('an expired unmined transaction is not counted, and is dropped once blocks pass its expiry height', async t => {
  const harness = await harnessOf(t)
  const invoice = await harness.shop.sell()
  const txid = harness.pay(invoice, 5n)
  const seen = { notes: harness.unmined(), expiryHeights: new Map([[txid, 2]]) }
  await harness.chainRecorder.recordMempool(seen)
  assert.equal((await harness.read(invoice)).receivedZat, 5n)
  await harness.chainRecorder.recordBlocks({ blocks: [harness.mine()], notes: [] })
  assert.equal((await harness.read(invoice)).receivedZat, 5n)
  await harness.chainRecorder.recordBlocks({ blocks: [harness.mine()], notes: [] })
  assert.equal((await harness.read(invoice)).receivedZat, 0n)
  await harness.chainRecorder.recordMempool(seen)
  assert.equal(
    (await harness.read(invoice)).receivedZat,
    0n,
    'a node that still serves it does not make it count again',
  )
})

test('an expiry height known only from the stream is kept when blocks and snapshots include the transaction', async t => {
  const harness = await harnessOf(t)
  const invoice = await harness.shop.sell()
  const txid = harness.pay(invoice, 5n)
  await harness.chainRecorder.recordMempool({ notes: harness.unmined(), expiryHeights: new Map([[txid, 3]]) })
  const block = harness.mine(txid)
  await harness.chainRecorder.recordBlocks({ blocks: [block], notes: harness.notes(block) })
  await harness.recordedChain.rewindTo(0, null)
  harness.chain.removeBlocks(1, () => true)
  await recordList(harness.chainRecorder, harness.list())
  assert.equal((await harness.read(invoice)).receivedZat, 5n)
  await harness.chainRecorder.recordBlocks({ blocks: [harness.mine(), harness.mine(), harness.mine()], notes: [] })
  assert.equal((await harness.read(invoice)).receivedZat, 0n)
})

test('a batch with a block that does not follow is refused, and nothing of it is written', async t => {
  const harness = await harnessOf(t)
  const invoice = await harness.shop.sell()
  const good = harness.mine(harness.pay(invoice, 5n))
  const next = harness.mine()
  const bad: [string, Block[]][] = [
    ['gap', [next]],
    ['fork', [{ ...good, prevHash: 'other' }]],
    ['fork', [good, { ...next, prevHash: 'other' }]],
    ['hidden_outputs', [good, { ...next, treeSizes: { ...next.treeSizes, ironwood: next.treeSizes.ironwood + 1 } }]],
    ['hidden_outputs', [{ ...good, outputCounts: { ...good.outputCounts, ironwood: 0 } }]],
  ]
  for (const [error, blocks] of bad) {
    const notes = blocks[0] === next ? [] : harness.notes(good)
    const mismatch = await harness.chainRecorder.recordBlocks({ blocks, notes })
    assert.equal(mismatch?.problem.problem, error)
    assert.equal((await harness.recordedChain.position())!.tip.height, 0)
    assert.equal((await harness.read(invoice)).receivedZat, 0n)
  }
  assert.equal(await harness.chainRecorder.recordBlocks({ blocks: [good, next], notes: harness.notes(good) }), null)
  assert.equal((await harness.read(invoice)).receivedZat, 5n)
})

test('a note above the total supply pays nothing and does not stop the sync', async t => {
  const { shop, pay, mine, notes, chainRecorder, read } = await harnessOf(t)
  const invoice = await shop.sell()
  const block = mine(pay(invoice, MAX_ZAT + 1n), pay(invoice, 2n ** 64n - 1n), pay(invoice, 3n))
  assert.equal(await chainRecorder.recordBlocks({ blocks: [block], notes: notes(block) }), null)
  assert.equal((await read(invoice)).receivedZat, 3n)
})

test('a note that belongs to none of its blocks is an error, not a payment', async t => {
  const harness = await harnessOf(t)
  harness.pay(await harness.shop.sell(), 5n)
  const notes = harness.unmined()
  await assert.rejects(
    harness.chainRecorder.recordBlocks({ blocks: [harness.mine()], notes }),
    /does not belong to the given blocks/,
  )
  assert.equal((await harness.recordedChain.position())!.tip.height, 0)
})

test('blocks of a rescan must be in the recorded chain, not above it', async t => {
  const harness = await harnessOf(t)
  const invoice = await harness.shop.sell()
  const block = harness.mine(harness.pay(invoice, 5n))
  const notes = harness.notes(block)
  assert.deepEqual(await harness.chainRecorder.recordRescanned({ blocks: [block], notes }), {
    found: 0,
    mismatch: { height: 1, problem: { problem: 'gap', expected: 0 } },
  })
  await harness.chainRecorder.recordBlocks({ blocks: [block], notes: [] })
  const foreign = { ...block, hash: 'other' }
  assert.deepEqual((await harness.chainRecorder.recordRescanned({ blocks: [foreign], notes })).mismatch?.problem, {
    problem: 'fork',
  })
  const outputCounts = { ...block.outputCounts, ironwood: block.outputCounts.ironwood - 1 }
  const hiding = { ...block, outputCounts }
  const { mismatch } = await harness.chainRecorder.recordRescanned({ blocks: [hiding], notes: [] })
  assert.equal(mismatch?.problem.problem, 'hidden_outputs', 'a server that leaves outputs out is refused')
  assert.equal((await harness.read(invoice)).receivedZat, 0n)
  assert.deepEqual(await harness.chainRecorder.recordRescanned({ blocks: [block], notes }), {
    found: 1,
    mismatch: null,
  })
  assert.equal((await harness.read(invoice)).receivedZat, 5n)
})

test('a payment recorded after a snapshot was requested does not count as vanished from it', async t => {
  const harness = await harnessOf(t)
  const invoice = await harness.shop.sell()
  const old = harness.list({ lastSeq: await harness.chainRecorder.lastSeq() })
  harness.pay(invoice, 5n)
  await harness.chainRecorder.recordMempool({ notes: harness.unmined(), expiryHeights: NO_EXPIRY })
  for (let i = 0; i < 3; i++) {
    await recordList(harness.chainRecorder, old)
    harness.clock.advance(1_000)
    await harness.chainRecorder.recordBlocks({ blocks: [harness.mine()], notes: [] })
  }
  assert.equal((await harness.read(invoice)).receivedZat, 5n)
})

test('a process whose clock is hours wrong records no absence, so that another one drops nothing by it', async t => {
  const { shop, clock, chain, process, chainRecorder, pay, mine, list, read } = await harnessOf(t, 0, 'test')
  const invoice = await shop.sell()
  const txid = pay(invoice, 5n)
  await recordList(chainRecorder, list())
  chain.evict(txid)
  const behind = new ManualClock(clock.secs - 3 * 3_600)
  await recordList(process(behind), list({ readAt: behind.secs, syncedThrough: null }))
  await chainRecorder.recordBlocks({ blocks: [mine()], notes: [] })
  await recordList(chainRecorder, list())
  assert.equal((await read(invoice)).receivedZat, 5n)
  for (let i = 0; i < 4; i++) {
    clock.advance(30)
    await recordList(chainRecorder, list())
  }
  await chainRecorder.recordBlocks({ blocks: [mine()], notes: [] })
  await recordList(chainRecorder, list())
  assert.equal((await read(invoice)).receivedZat, 0n)
})

test('the wait of a vanished payment starts again at another server, also when its first list proves nothing', async t => {
  const { shop, clock, chain, chainRecorder, pay, mine, list, read } = await harnessOf(t)
  const invoice = await shop.sell()
  const txid = pay(invoice, 5n)
  await recordList(chainRecorder, list())
  chain.evict(txid)
  for (let i = 0; i < 5; i++) {
    if (i > 0) clock.advance(30)
    await recordList(chainRecorder, list())
  }
  await chainRecorder.recordBlocks({ blocks: [mine()], notes: [] })
  await recordList(chainRecorder, list({ serverEpoch: 2, rewound: true }))
  await recordList(chainRecorder, list({ serverEpoch: 2 }))
  assert.equal((await read(invoice)).receivedZat, 5n)
})

test('the synced time never decreases', async t => {
  const harness = await harnessOf(t)
  const invoice = await harness.shop.sell()
  harness.clock.advance(900)
  await recordList(harness.chainRecorder, harness.list())
  await recordList(harness.chainRecorder, harness.list({ syncedThrough: NOW }))
  assert.equal(await harness.invoiceExpiry.expireDue(1), 1)
  assert.equal((await harness.read(invoice)).status, 'expired')
})

test('due invoices expire in bounded batches, earliest first, except those kept open by a swap', async t => {
  const harness = await harnessOf(t)
  const invoices: Invoice[] = []
  for (const secs of [300, 100, 200, 400]) invoices.push(await harness.shop.sell({ expiresAt: NOW + secs }))
  await harness.store.write(tx => tx.invoices.setKeptOpenBySwap(invoices[1]!.id, true))
  harness.clock.advance(300)
  await recordList(harness.chainRecorder, harness.list())
  const statuses = async () => Promise.all(invoices.map(async invoice => (await harness.read(invoice)).status))
  assert.equal(await harness.invoiceExpiry.expireDue(1), 1)
  assert.deepEqual(await statuses(), ['pending', 'pending', 'expired', 'pending'])
  assert.equal(await harness.invoiceExpiry.expireDue(10), 1)
  assert.deepEqual(await statuses(), ['expired', 'pending', 'expired', 'pending'])
})

test('without confirmations, a payment of an old mempool snapshot does not pay together with one of a new block', async t => {
  const { shop, clock, chain, chainRecorder, pay, mine, notes, list, read } = await harnessOf(t)
  const invoice = await shop.sell({ amountZat: 10n, confirmations: 0 })
  const evicted = pay(invoice, 6n)
  await recordList(chainRecorder, list())
  chain.evict(evicted)
  clock.advance(31)
  const block = mine(pay(invoice, 4n))
  await chainRecorder.recordBlocks({ blocks: [block], notes: notes(block) })
  assert.equal((await read(invoice)).status, 'detected')
})

test('without confirmations, a payment that the newest snapshot lacks does not pay, also if that proves nothing', async t => {
  const { shop, chain, chainRecorder, pay, mine, notes, list, read } = await harnessOf(t)
  const invoice = await shop.sell({ amountZat: 10n, confirmations: 0 })
  const evicted = pay(invoice, 6n)
  await recordList(chainRecorder, list())
  chain.evict(evicted)
  await recordList(chainRecorder, list({ rewound: true }))
  const block = mine(pay(invoice, 4n))
  await chainRecorder.recordBlocks({ blocks: [block], notes: notes(block) })
  assert.equal((await read(invoice)).status, 'detected')
})

test('without confirmations, a payment does not pay because another process has recorded an old snapshot with it', async t => {
  const { shop, clock, chain, process, chainRecorder, pay, mine, notes, list, read } = await harnessOf(t)
  const invoice = await shop.sell({ amountZat: 10n, confirmations: 0 })
  const evicted = pay(invoice, 6n)
  const old = list()
  await recordList(chainRecorder, old)
  chain.evict(evicted)
  clock.advance(31)
  await recordList(chainRecorder, list())
  await recordList(process(), old)
  const block = mine(pay(invoice, 4n))
  await chainRecorder.recordBlocks({ blocks: [block], notes: notes(block) })
  assert.equal((await read(invoice)).status, 'detected')
})

test('without confirmations, a payment that is still in the mempool pays with the next snapshot after a long gap', async t => {
  const { shop, clock, chainRecorder, pay, mine, notes, list, read } = await harnessOf(t)
  const invoice = await shop.sell({ amountZat: 10n, confirmations: 0 })
  pay(invoice, 6n)
  await recordList(chainRecorder, list())
  clock.advance(31)
  const block = mine(pay(invoice, 4n))
  await chainRecorder.recordBlocks({ blocks: [block], notes: notes(block) })
  assert.equal((await read(invoice)).status, 'detected')
  await recordList(chainRecorder, list())
  assert.equal((await read(invoice)).status, 'paid')
})

test('a swap with a deposit is included in the event of its invoice', async t => {
  const harness = await harnessOf(t)
  const swap = { asset: 'nep141:btc', blockchain: 'btc', amountInFormatted: '0.1', status: 'SUCCESS' }
  const updateInvoices = createInvoiceUpdater({ outbox: testOutbox, swapOf: async () => swap })
  const bodies: string[] = []
  await harness.store.write(async tx => {
    const { append } = tx.events
    tx.events.append = async events => {
      bodies.push(...events.map(event => event.body))
      return append(events)
    }
    const invoice = await tx.invoices.insert(harness.shop.draft({ confirmations: 0 }))
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
    await updateInvoices(tx, [invoice.id], NOW, { mempoolIsKnown: true })
  })
  const included = { asset: 'nep141:btc', blockchain: 'btc', amount_in_formatted: '0.1', status: 'SUCCESS' }
  assert.deepEqual(
    bodies.map(body => [JSON.parse(body).type, JSON.parse(body).swap]),
    [
      ['invoice.payment_received', included],
      ['invoice.paid', included],
    ],
  )
})
