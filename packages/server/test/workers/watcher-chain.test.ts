import assert from 'node:assert/strict'
import { after } from 'node:test'
import { HEADERS_KEPT } from '../../src/domain/chain.ts'
import { closeViewer, type WatchRig, watching } from '../support/watch-rig.ts'

after(closeViewer)

/** Hashes of the recorded headers from a height on, and the server's. */
async function sameChain(rig: WatchRig): Promise<void> {
  const position = await rig.headers.position()
  assert.equal(position!.tip.height, rig.sandbox.height)
  for (let height = position!.oldest; height <= position!.tip.height; height++) {
    const header = await rig.headers.headerAt(height)
    const hash = Buffer.from(rig.sandbox.block(height)!.hash).reverse().toString('hex')
    assert.equal(header?.hash, hash, `height ${height}`)
  }
}

watching(
  'begins with as many headers as a reorganisation can take back, and keeps no more',
  async rig => {
    await rig.look()
    const first = await rig.headers.position()
    assert.deepEqual([first!.oldest, first!.tip.height], [1_500 - HEADERS_KEPT, 1_500])
    rig.sandbox.mine(30)
    await rig.look()
    const later = await rig.headers.position()
    assert.deepEqual([later!.oldest, later!.tip.height], [1_530 - HEADERS_KEPT, 1_530])
    await sameChain(rig)
  },
  { startHeight: 1_500 },
)

watching('on a chain read from its beginning, every block can be replaced', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.pay(invoice, 10n)
  rig.sandbox.mine(2)
  await rig.look()
  rig.sandbox.reorg({ depth: rig.sandbox.height })
  await rig.look()
  await sameChain(rig)
  assert.equal((await rig.headers.position())!.oldest, 1)
})

watching('a reorganisation between the comparison of blocks and their reading is no error', async rig => {
  rig.sandbox.mine(3)
  await rig.look()
  rig.sandbox.mine(2)
  const { blocks } = rig.chain
  const tip = await rig.tip()
  rig.chain.blocks = (from, to, signal) => {
    if (from === tip + 1) {
      rig.sandbox.reorg({ depth: 3 })
      rig.chain.blocks = blocks
    }
    return blocks(from, to, signal)
  }
  await rig.look()
  await sameChain(rig)
  assert.deepEqual(
    rig.logged.filter(({ level }) => level === 'error'),
    [],
  )
})

watching('a server whose blocks never follow one another is an error from the third time on', async rig => {
  await rig.look()
  rig.sandbox.mine(1)
  const { blocks } = rig.chain
  const tip = await rig.tip()
  rig.chain.blocks = async function* (from, to, signal) {
    for await (const block of blocks(from, to, signal))
      yield block.height > tip ? { ...block, prevHash: 'f'.repeat(64) } : block
  }
  for (const attempt of [1, 2]) assert.equal(await rig.watcher.look(rig.signal), 'again', `attempt ${attempt}`)
  await assert.rejects(rig.watcher.look(rig.signal), /does not follow the block before it/)
})

watching('on a chain shorter than a reorganisation can be, reading begins at height 1', async rig => {
  const { blocks } = rig.chain
  const asked: number[] = []
  rig.chain.blocks = (from, to, signal) => {
    asked.push(from)
    return blocks(from, to, signal)
  }
  await rig.look()
  assert.equal(Math.min(...asked), 1)
  assert.equal((await rig.headers.position())!.oldest, 1)
})

watching(
  'a reorganisation that drops a detected payment takes it back, and it counts again when it returns',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n })
    const txid = rig.pay(invoice, 10n)
    rig.sandbox.mine(2)
    await rig.look()
    assert.equal(await rig.status(invoice), 'detected')

    const transaction = rig.sandbox.find(txid)!.transaction
    rig.sandbox.reorg({ depth: 2, drop: [txid] })
    await rig.look()
    await rig.look()
    assert.equal(await rig.status(invoice), 'detected', 'the look that took the blocks back misses nothing yet')
    await rig.outlast()
    const dropped = await rig.read(invoice)
    assert.deepEqual([dropped.status, dropped.receivedZat, dropped.txid], ['pending', 0n, null])
    await sameChain(rig)

    const again = rig.sandbox.add({
      pool: transaction.pool,
      actions: transaction.actions,
      expiryHeight: transaction.expiryHeight,
    })
    assert.equal(again.id, txid)
    await rig.look()
    assert.equal(await rig.status(invoice), 'detected')
    rig.sandbox.mine(3)
    await rig.look()
    const paid = await rig.read(invoice)
    assert.deepEqual([paid.status, paid.receivedZat, paid.txid], ['paid', 10n, txid])
  },
)

watching(
  'a reorganisation that moves a payment leaves it counted once, and its confirmations start anew',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(2)
    await rig.look()
    rig.sandbox.reorg({ depth: 2, remine: true })
    await rig.look()
    assert.deepEqual([await rig.status(invoice), (await rig.read(invoice)).receivedZat], ['detected', 10n])

    rig.sandbox.reorg({ depth: 2, blocks: 4 })
    await rig.look()
    assert.equal(await rig.status(invoice), 'detected', 'back in the mempool, whatever is on top')
    rig.sandbox.mine(2)
    await rig.look()
    assert.equal(await rig.status(invoice), 'detected')
    rig.sandbox.mine(1)
    await rig.look()
    assert.deepEqual([await rig.status(invoice), (await rig.read(invoice)).receivedZat], ['paid', 10n])
    await sameChain(rig)
  },
)

watching('a replacement at the same height is noticed though no height changes', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.sandbox.mine(1)
  await rig.look()
  rig.pay(invoice, 10n)
  rig.sandbox.reorg({ depth: 1, remine: true })
  await rig.look()
  assert.equal(await rig.status(invoice), 'paid')
  await sameChain(rig)
  assert.deepEqual(rig.metered.reorgs, [1])
})

watching(
  'a payment that a reorganisation takes from a paid invoice leaves it paid and calls for attention',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n, confirmations: 2 })
    const txid = rig.pay(invoice, 10n)
    rig.sandbox.mine(2)
    await rig.look()
    const paid = await rig.read(invoice)
    assert.deepEqual([paid.status, paid.needsAttention], ['paid', false])

    rig.sandbox.reorg({ depth: 2 })
    await rig.look()
    const unmined = await rig.read(invoice)
    assert.deepEqual([unmined.status, unmined.needsAttention, unmined.paidAt], ['paid', true, paid.paidAt])
    assert.equal(rig.metered.needsAttention, 1)
    const warnings = rig.logged.filter(line => line.message.includes('removed payments of a paid invoice'))
    assert.deepEqual(
      warnings.map(line => line.details),
      [{ invoice: invoice.publicId.slice(0, 8) }],
      'no full invoice id',
    )

    rig.sandbox.mine(1)
    await rig.look()
    const mined = await rig.read(invoice)
    assert.deepEqual([mined.status, mined.needsAttention, mined.txid], ['paid', false, txid])
    assert.equal(rig.metered.needsAttention, 0)
    assert.equal((await rig.events()).filter(event => event.type === 'invoice.paid').length, 1)
  },
)

watching(
  'follows a reorganisation 1,000 blocks deep, with the payment it moves',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n, { expiryHeight: 0 })
    rig.sandbox.mine(1_000)
    await rig.look()
    assert.equal(await rig.status(invoice), 'paid')
    rig.sandbox.reorg({ depth: 1_000, remine: true })
    await rig.look()
    await sameChain(rig)
    assert.deepEqual(rig.metered.reorgs, [1_000])
    const after = await rig.read(invoice)
    assert.deepEqual([after.status, after.receivedZat, after.needsAttention], ['paid', 10n, false])
  },
  { startHeight: 50 },
)

watching(
  'stops at a reorganisation deeper than its headers, loudly and unchanged, however often it tries',
  async rig => {
    await rig.look()
    rig.sandbox.mine(1_010)
    await rig.look()
    const before = await rig.headers.position()
    rig.sandbox.reorg({ depth: 1_005 })
    for (const _ of [1, 2]) {
      await assert.rejects(rig.look(), { name: 'DeepReorganisation' })
      assert.deepEqual(await rig.headers.position(), before)
    }
  },
)

watching('catches up in bounded batches after an outage, and continues where a restart cut it off', async rig => {
  await rig.see()
  const { seenThrough } = rig.metered
  const invoices = []
  for (let i = 0; i < 5; i++) {
    const invoice = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(270)
    invoices.push(invoice)
  }
  assert.equal(await rig.watcher.look(rig.signal), 'again')
  assert.equal(await rig.tip(), 1_001, 'ten batches of a hundred blocks')
  assert.equal(rig.metered.seenThrough, seenThrough, 'not moved on by half a look')
  await rig.restart()
  await rig.look()
  await sameChain(rig)
  for (const invoice of invoices) assert.equal(await rig.status(invoice), 'paid')
})

watching('an outage across the expiry, with a payment inside it: the invoice is paid and never expires', async rig => {
  await rig.look()
  const paid = await rig.invoice({ amount: 10n })
  const seen = await rig.invoice({ amount: 10n })
  const empty = await rig.invoice({ amount: 10n })
  await rig.server.setFaults({ down: true })
  rig.clock.advance(600)
  rig.pay(paid, 10n)
  rig.sandbox.mine(1)
  rig.pay(seen, 10n)
  rig.clock.advance(3_600)
  await assert.rejects(rig.look())
  assert.equal(await rig.payments.closeDue(10), 0, 'nothing is decided while nothing is seen')
  rig.sandbox.mine(1, { empty: true })

  await rig.server.setFaults({ down: false })
  await rig.look()
  assert.equal(await rig.payments.closeDue(10), 0, 'a list shown so soon after a failure may be an old one')
  rig.clock.advance(5)
  await rig.see()
  assert.equal(await rig.payments.closeDue(10), 1)
  assert.deepEqual(
    [await rig.status(paid), await rig.status(seen), await rig.status(empty)],
    ['detected', 'detected', 'expired'],
  )
  rig.sandbox.mine(3)
  await rig.look()
  assert.deepEqual([await rig.status(paid), await rig.status(seen)], ['paid', 'paid'])
})

watching('seen is what there was when a look began: a payment made while it lasts is not expired by it', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  rig.clock.advance(890)
  const { mempoolSnapshot } = rig.chain
  rig.chain.mempoolSnapshot = async signal => {
    const snapshot = await mempoolSnapshot(signal)
    rig.clock.advance(5)
    rig.pay(invoice, 10n)
    rig.clock.advance(60)
    return snapshot
  }
  await rig.look()
  rig.chain.mempoolSnapshot = mempoolSnapshot
  assert.equal(await rig.payments.closeDue(10), 0)
  await rig.see()
  assert.equal(await rig.payments.closeDue(10), 0)
  assert.equal(await rig.status(invoice), 'detected')
})

watching(
  'half a look decides nothing: a server that fails before its blocks are read leaves every expiry open',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(1)
    rig.clock.advance(2_000)
    await rig.server.setFaults({ repairing: true })
    await assert.rejects(rig.look())
    assert.equal(await rig.payments.closeDue(10), 0)
    await rig.server.setFaults({ repairing: false })
    await rig.see()
    assert.equal(await rig.payments.closeDue(10), 0)
    assert.equal(await rig.status(invoice), 'detected')
  },
)

watching(
  'an unmined payment vanishes when its transaction expires, and when looks and a new block lack it',
  async rig => {
    await rig.look()
    const dying = await rig.invoice({ amount: 10n })
    const evicted = await rig.invoice({ amount: 10n })
    rig.pay(dying, 10n, { expiryHeight: rig.sandbox.height + 2 })
    const txid = rig.pay(evicted, 10n)
    await rig.mempool()
    assert.deepEqual([await rig.status(dying), await rig.status(evicted)], ['detected', 'detected'])

    rig.sandbox.mine(2, { empty: true })
    rig.sandbox.evict(txid)
    await rig.look()
    assert.deepEqual([await rig.status(dying), await rig.status(evicted)], ['pending', 'detected'])
    await rig.outlast()
    assert.equal(await rig.status(evicted), 'pending')
  },
)

watching('a look that misses a payment once, and finds it the next time, takes nothing back', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  const txid = rig.pay(invoice, 10n)
  await rig.look()
  const { transaction } = rig.sandbox.find(txid)!
  for (let i = 0; i < 3; i++) {
    rig.sandbox.evict(txid)
    await rig.look()
    rig.sandbox.add(transaction)
    await rig.look()
    assert.equal(await rig.status(invoice), 'detected')
  }
})

watching(
  'across NU6.3: an Orchard note pays below it, an Ironwood note from it on, and nothing else does',
  async rig => {
    await rig.look()
    const before = await rig.invoice({ amount: 10n })
    const across = await rig.invoice({ amount: 10n })
    rig.pay(before, 10n)
    rig.pay(across, 4n)
    rig.sandbox.mine(1)
    await rig.look()
    rig.sandbox.mine(8 - rig.sandbox.height)
    const stuck = rig.pay(across, 6n)
    await rig.look()
    assert.deepEqual([await rig.status(before), await rig.status(across)], ['paid', 'detected'])
    rig.sandbox.mine(2, { empty: true })
    assert.equal(rig.sandbox.paymentPool, 'ironwood')
    await rig.outlast()
    assert.equal((await rig.read(across)).receivedZat, 4n, `${stuck} can no longer be mined`)
    rig.pay(across, 6n)
    await rig.look()
    assert.equal(await rig.status(across), 'detected')
    rig.sandbox.mine(3)
    await rig.look()
    assert.deepEqual([await rig.status(across), (await rig.read(across)).receivedZat], ['paid', 10n])
  },
  { nu63Height: 10 },
)

watching('a rescan finds a payment that was missed, and changes nothing else', async rig => {
  await rig.look()
  const known = await rig.invoice({ amount: 10n })
  rig.pay(known, 10n)
  const missed = await rig.invoice({ amount: 10n })
  rig.pay(missed, 10n)
  rig.sandbox.mine(4)
  await rig.look()
  rig.sandbox.mine(150)
  await rig.look()
  await rig.forgetPayments(missed)
  const [position, events] = [await rig.headers.position(), (await rig.events()).length]

  const progress: number[] = []
  const { found, to } = await rig.rescan(0, height => progress.push(height))
  assert.deepEqual([found, to, progress], [1, 155, [99, 155]])
  assert.deepEqual([await rig.status(missed), await rig.status(known)], ['paid', 'paid'])
  assert.deepEqual(await rig.headers.position(), position)
  assert.equal((await rig.events()).length, events + 1)
  assert.deepEqual(await rig.rescan(0), { found: 0, to: 155 })
  await assert.rejects(rig.rescan(156), RangeError)
})

watching(
  'a rescan takes no payment from before its invoice, to an address that its key had used already',
  async rig => {
    rig.wallet.send([{ receiver: rig.receiverAt(1n), value: 10n }])
    rig.sandbox.mine(1)
    rig.clock.advance(86_400)
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n })
    assert.deepEqual(await rig.rescan(0), { found: 0, to: rig.sandbox.height })
    assert.equal((await rig.read(invoice)).receivedZat, 0n)
  },
)
