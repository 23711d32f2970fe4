import assert from 'node:assert/strict'
import { after } from 'node:test'
import { HEADERS_KEPT } from '../../../src/domain/chain/chain.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'

after(closeNoteScanner)

/** Asserts that the recorded headers are those of the server's chain. */
async function assertSameChain(harness: ChainSyncHarness): Promise<void> {
  const position = await harness.recordedChain.position()
  assert.equal(position!.tip.height, harness.sandbox.height)
  for (let height = position!.oldest; height <= position!.tip.height; height++) {
    const header = await harness.recordedChain.headerAt(height)
    const hash = Buffer.from(harness.sandbox.block(height)!.hash).reverse().toString('hex')
    assert.equal(header?.hash, hash, `height ${height}`)
  }
}

chainSyncTest(
  'starts with HEADERS_KEPT headers below the tip, and keeps no more',
  async harness => {
    await harness.sync()
    const first = await harness.recordedChain.position()
    assert.deepEqual([first!.oldest, first!.tip.height], [1_500 - HEADERS_KEPT, 1_500])
    harness.sandbox.mine(30)
    await harness.sync()
    const later = await harness.recordedChain.position()
    assert.deepEqual([later!.oldest, later!.tip.height], [1_530 - HEADERS_KEPT, 1_530])
    await assertSameChain(harness)
  },
  { startHeight: 1_500 },
)

chainSyncTest('on a chain synced from its beginning, a reorganisation can replace every block', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
  harness.pay(invoice, 10n)
  harness.sandbox.mine(2)
  await harness.sync()
  harness.sandbox.reorg({ depth: harness.sandbox.height })
  await harness.sync()
  await assertSameChain(harness)
  assert.equal((await harness.recordedChain.position())!.oldest, 1)
})

chainSyncTest(
  'known blocks are read again only when the server does not report the hash of the newest',
  async harness => {
    harness.sandbox.mine(3)
    await harness.sync()
    const { height } = harness.sandbox
    const { blocks, tip } = harness.chain
    const reads: [number, number][] = []
    harness.chain.blocks = (from, to, signal) => {
      reads.push([from, to])
      return blocks(from, to, signal)
    }
    await harness.sync()
    assert.deepEqual(reads, [])
    const reversed = Buffer.from(harness.sandbox.block(height)!.hash).toString('hex')
    for (const hash of [null, reversed]) {
      harness.chain.tip = async signal => ({ ...(await tip(signal)), hash })
      await harness.sync()
      assert.deepEqual(reads.splice(0), [[height - 1, height]])
    }
    harness.chain.tip = tip
    harness.sandbox.reorg({ depth: 1 })
    assert.equal(harness.sandbox.height, height)
    await harness.sync()
    await assertSameChain(harness)
  },
)

chainSyncTest('a reorganisation between the comparison and the read of blocks is not an error', async harness => {
  harness.sandbox.mine(3)
  await harness.sync()
  harness.sandbox.mine(2)
  const { blocks } = harness.chain
  const tip = await harness.tip()
  harness.chain.blocks = (from, to, signal) => {
    if (from === tip + 1) {
      harness.sandbox.reorg({ depth: 3 })
      harness.chain.blocks = blocks
    }
    return blocks(from, to, signal)
  }
  await harness.sync()
  await assertSameChain(harness)
  assert.deepEqual(
    harness.logged.filter(({ level }) => level === 'error'),
    [],
  )
})

chainSyncTest('blocks that are not linked are an error at the third attempt in a row', async harness => {
  await harness.sync()
  harness.sandbox.mine(1)
  const { blocks } = harness.chain
  const tip = await harness.tip()
  harness.chain.blocks = async function* (from, to, signal) {
    for await (const block of blocks(from, to, signal))
      yield block.height > tip ? { ...block, prevHash: 'f'.repeat(64) } : block
  }
  for (const attempt of [1, 2])
    assert.equal(await harness.chainSync.sync(harness.signal), 'again', `attempt ${attempt}`)
  await assert.rejects(harness.chainSync.sync(harness.signal), /does not follow the previous block/)
})

chainSyncTest('on a chain shorter than HEADERS_KEPT, the sync starts at height 1', async harness => {
  const { blocks } = harness.chain
  const requested: number[] = []
  harness.chain.blocks = (from, to, signal) => {
    requested.push(from)
    return blocks(from, to, signal)
  }
  await harness.sync()
  assert.equal(Math.min(...requested), 1)
  assert.equal((await harness.recordedChain.position())!.oldest, 1)
})

chainSyncTest(
  'a detected payment that a reorganisation drops no longer counts, and counts again when it returns',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    const txid = harness.pay(invoice, 10n)
    harness.sandbox.mine(2)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')

    const transaction = harness.sandbox.find(txid)!.transaction
    harness.sandbox.reorg({ depth: 2, drop: [txid] })
    await harness.sync()
    await harness.sync()
    assert.equal(
      await harness.status(invoice),
      'detected',
      'the sync that removed the blocks does not count the payment as vanished yet',
    )
    await harness.syncUntilVanishedAreDropped()
    const dropped = await harness.read(invoice)
    assert.deepEqual([dropped.status, dropped.receivedZat, dropped.txid], ['pending', 0n, null])
    await assertSameChain(harness)

    const again = harness.sandbox.add({
      pool: transaction.pool,
      actions: transaction.actions,
      expiryHeight: transaction.expiryHeight,
    })
    assert.equal(again.id, txid)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')
    harness.sandbox.mine(3)
    await harness.sync()
    const paid = await harness.read(invoice)
    assert.deepEqual([paid.status, paid.receivedZat, paid.txid], ['paid', 10n, txid])
  },
)

chainSyncTest(
  'a payment that a reorganisation moves is counted once, and its confirmations start again',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(2)
    await harness.sync()
    harness.sandbox.reorg({ depth: 2, remine: true })
    await harness.sync()
    assert.deepEqual([await harness.status(invoice), (await harness.read(invoice)).receivedZat], ['detected', 10n])

    harness.sandbox.reorg({ depth: 2, blocks: 4 })
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected', 'the payment is back in the mempool and unconfirmed')
    harness.sandbox.mine(2)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')
    harness.sandbox.mine(1)
    await harness.sync()
    assert.deepEqual([await harness.status(invoice), (await harness.read(invoice)).receivedZat], ['paid', 10n])
    await assertSameChain(harness)
  },
)

chainSyncTest('a replaced block at the same height is detected', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
  harness.sandbox.mine(1)
  await harness.sync()
  harness.pay(invoice, 10n)
  harness.sandbox.reorg({ depth: 1, remine: true })
  await harness.sync()
  assert.equal(await harness.status(invoice), 'paid')
  await assertSameChain(harness)
  assert.deepEqual(harness.metrics.reorgs, [1])
})

chainSyncTest(
  'an invoice whose payment is removed by a reorganisation stays paid and needs attention',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n, confirmations: 2 })
    const txid = harness.pay(invoice, 10n)
    harness.sandbox.mine(2)
    await harness.sync()
    const paid = await harness.read(invoice)
    assert.deepEqual([paid.status, paid.needsAttention], ['paid', false])

    harness.sandbox.reorg({ depth: 2 })
    await harness.sync()
    const unmined = await harness.read(invoice)
    assert.deepEqual([unmined.status, unmined.needsAttention, unmined.paidAt], ['paid', true, paid.paidAt])
    assert.equal(harness.metrics.needsAttention, 1)
    const warnings = harness.logged.filter(line => line.message.includes('removed payments of a paid invoice'))
    assert.deepEqual(
      warnings.map(line => line.details),
      [{ invoice: invoice.publicId.slice(0, 8), because: 'payments_removed' }],
      'no full invoice id',
    )

    harness.sandbox.mine(1)
    await harness.sync()
    const mined = await harness.read(invoice)
    assert.deepEqual([mined.status, mined.needsAttention, mined.txid], ['paid', false, txid])
    assert.equal(harness.metrics.needsAttention, 0)
    assert.equal((await harness.events()).filter(event => event.type === 'invoice.paid').length, 1)
  },
)

chainSyncTest(
  'syncs through a reorganisation 1,000 blocks deep that moves a payment',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    harness.pay(invoice, 10n, { expiryHeight: 0 })
    harness.sandbox.mine(1_000)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
    harness.sandbox.reorg({ depth: 1_000, remine: true })
    await harness.sync()
    await assertSameChain(harness)
    assert.deepEqual(harness.metrics.reorgs, [1_000])
    const after = await harness.read(invoice)
    assert.deepEqual([after.status, after.receivedZat, after.needsAttention], ['paid', 10n, false])
  },
  { startHeight: 50 },
)

chainSyncTest('a reorganisation deeper than the kept headers rejects every time and changes nothing', async harness => {
  await harness.sync()
  harness.sandbox.mine(1_010)
  await harness.sync()
  const before = await harness.recordedChain.position()
  harness.sandbox.reorg({ depth: 1_005 })
  for (const _ of [1, 2]) {
    await assert.rejects(harness.sync(), { name: 'DeepReorganisationError' })
    assert.deepEqual(await harness.recordedChain.position(), before)
  }
})

chainSyncTest(
  'catches up in bounded batches after an outage, and continues after a restart in between',
  async harness => {
    await harness.syncFully()
    const { seenThrough } = harness.metrics
    const invoices = []
    for (let i = 0; i < 5; i++) {
      const invoice = await harness.invoice({ amount: 10n })
      harness.pay(invoice, 10n)
      harness.sandbox.mine(270)
      invoices.push(invoice)
    }
    assert.equal(await harness.chainSync.sync(harness.signal), 'again')
    assert.equal(await harness.tip(), 1_001, 'ten batches of a hundred blocks')
    assert.equal(harness.metrics.seenThrough, seenThrough, 'an incomplete sync does not advance it')
    await harness.restart()
    await harness.sync()
    await assertSameChain(harness)
    for (const invoice of invoices) assert.equal(await harness.status(invoice), 'paid')
  },
)

chainSyncTest('an invoice paid during an outage across its expiry becomes paid and never expires', async harness => {
  await harness.sync()
  const paid = await harness.invoice({ amount: 10n })
  const seen = await harness.invoice({ amount: 10n })
  const empty = await harness.invoice({ amount: 10n })
  await harness.server.setFaults({ down: true })
  harness.clock.advance(600)
  harness.pay(paid, 10n)
  harness.sandbox.mine(1)
  harness.pay(seen, 10n)
  harness.clock.advance(3_600)
  await assert.rejects(harness.sync())
  assert.equal(await harness.invoiceExpiry.expireDue(10), 0, 'no invoice expires during the outage')
  harness.sandbox.mine(1, { empty: true })

  await harness.server.setFaults({ down: false })
  await harness.sync()
  assert.equal(await harness.invoiceExpiry.expireDue(10), 0, 'soon after a failure the mempool list may be stale')
  harness.clock.advance(5)
  await harness.syncFully()
  assert.equal(await harness.invoiceExpiry.expireDue(10), 1)
  assert.deepEqual(
    [await harness.status(paid), await harness.status(seen), await harness.status(empty)],
    ['detected', 'detected', 'expired'],
  )
  harness.sandbox.mine(3)
  await harness.sync()
  assert.deepEqual([await harness.status(paid), await harness.status(seen)], ['paid', 'paid'])
})

chainSyncTest(
  'a sync covers the time until its start: a payment made during the sync does not let its invoice expire',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    harness.clock.advance(890)
    const { mempoolSnapshot } = harness.chain
    harness.chain.mempoolSnapshot = async signal => {
      const snapshot = await mempoolSnapshot(signal)
      harness.clock.advance(5)
      harness.pay(invoice, 10n)
      harness.clock.advance(60)
      return snapshot
    }
    await harness.sync()
    harness.chain.mempoolSnapshot = mempoolSnapshot
    assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
    await harness.syncFully()
    assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
    assert.equal(await harness.status(invoice), 'detected')
  },
)

chainSyncTest(
  'no invoice expires by an incomplete sync, when the server fails before its blocks are read',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(1)
    harness.clock.advance(2_000)
    await harness.server.setFaults({ repairing: true })
    await assert.rejects(harness.sync())
    assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
    await harness.server.setFaults({ repairing: false })
    await harness.syncFully()
    assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
    assert.equal(await harness.status(invoice), 'detected')
  },
)

chainSyncTest(
  'an unmined payment is dropped when its transaction expires, and when it has vanished from syncs and a new block',
  async harness => {
    await harness.sync()
    const dying = await harness.invoice({ amount: 10n })
    const evicted = await harness.invoice({ amount: 10n })
    harness.pay(dying, 10n, { expiryHeight: harness.sandbox.height + 2 })
    const txid = harness.pay(evicted, 10n)
    await harness.streamMempool()
    assert.deepEqual([await harness.status(dying), await harness.status(evicted)], ['detected', 'detected'])

    harness.sandbox.mine(2, { empty: true })
    harness.sandbox.evict(txid)
    await harness.sync()
    assert.deepEqual([await harness.status(dying), await harness.status(evicted)], ['pending', 'detected'])
    await harness.syncUntilVanishedAreDropped()
    assert.equal(await harness.status(evicted), 'pending')
  },
)

chainSyncTest(
  'Orchard notes pay below NU6.3 and Ironwood notes from NU6.3 on, and no others',
  async harness => {
    await harness.sync()
    const before = await harness.invoice({ amount: 10n })
    const across = await harness.invoice({ amount: 10n })
    harness.pay(before, 10n)
    harness.pay(across, 4n)
    harness.sandbox.mine(1)
    await harness.sync()
    harness.sandbox.mine(8 - harness.sandbox.height)
    const stuck = harness.pay(across, 6n)
    await harness.sync()
    assert.deepEqual([await harness.status(before), await harness.status(across)], ['paid', 'detected'])
    harness.sandbox.mine(2, { empty: true })
    assert.equal(harness.sandbox.paymentPool, 'ironwood')
    await harness.syncUntilVanishedAreDropped()
    assert.equal((await harness.read(across)).receivedZat, 4n, `${stuck} can no longer be mined`)
    harness.pay(across, 6n)
    await harness.sync()
    assert.equal(await harness.status(across), 'detected')
    harness.sandbox.mine(3)
    await harness.sync()
    assert.deepEqual([await harness.status(across), (await harness.read(across)).receivedZat], ['paid', 10n])
  },
  { nu63Height: 10 },
)

chainSyncTest('a rescan finds a missed payment and changes nothing else', async harness => {
  await harness.sync()
  const known = await harness.invoice({ amount: 10n })
  harness.pay(known, 10n)
  const missed = await harness.invoice({ amount: 10n })
  harness.pay(missed, 10n)
  harness.sandbox.mine(4)
  await harness.sync()
  harness.sandbox.mine(150)
  await harness.sync()
  await harness.forgetPayments(missed)
  const [position, events] = [await harness.recordedChain.position(), (await harness.events()).length]

  const progress: number[] = []
  const { found, to } = await harness.rescan(0, height => progress.push(height))
  assert.deepEqual([found, to, progress], [1, 155, [99, 155]])
  assert.deepEqual([await harness.status(missed), await harness.status(known)], ['paid', 'paid'])
  assert.deepEqual(await harness.recordedChain.position(), position)
  assert.equal((await harness.events()).length, events + 1)
  assert.deepEqual(await harness.rescan(0), { found: 0, to: 155 })
  await assert.rejects(harness.rescan(156), RangeError)
})

chainSyncTest(
  "a rescan ignores a payment to an invoice's address from before the invoice was created",
  async harness => {
    harness.wallet.send([{ receiver: harness.receiverAt(1n), value: 10n }])
    harness.sandbox.mine(1)
    harness.clock.advance(86_400)
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    assert.deepEqual(await harness.rescan(0), { found: 0, to: harness.sandbox.height })
    assert.equal((await harness.read(invoice)).receivedZat, 0n)
  },
)
