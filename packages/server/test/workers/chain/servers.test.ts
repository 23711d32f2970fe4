import assert from 'node:assert/strict'
import { after } from 'node:test'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { startChainSync } from '../../../src/workers/chain/sync.ts'
import { startExpiryLoop } from '../../../src/workers/sale/invoice-expiry.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'
import { until } from '../../harness/until.ts'

after(closeNoteScanner)

/** Retries failed syncs like the loop, up to a limit. Returns the number of failures. */
async function syncWithRetries(harness: ChainSyncHarness, maxFailures = 5): Promise<number> {
  for (let failures = 0; ; failures++) {
    try {
      await harness.sync()
      return failures
    } catch (error) {
      if (failures === maxFailures) throw error
    }
  }
}

for (const fault of ['unavailable', 'aborted', 'internal'] as const) {
  chainSyncTest(`a sync survives a few ${fault} responses`, async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(1)
    await harness.server.setFaults({ [fault]: 2 })
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  })
}

/** Syncs past the time for which `paid` waits for a second server. */
async function syncWithoutSecondServer(harness: ChainSyncHarness): Promise<void> {
  await harness.sync()
  harness.clock.advance(300)
  await harness.sync()
}

chainSyncTest(
  'blocks with a missing output are refused, and the payment is found once the server returns it',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(1)
    const before = await harness.tip()
    await harness.server.setFaults({ omitAction: true })
    for (const _ of [1, 2]) {
      await assert.rejects(harness.sync(), /hides ironwood outputs/)
      assert.equal(await harness.tip(), before)
    }
    await harness.server.setFaults({ omitAction: false })
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
)

chainSyncTest(
  'a server that omits an output is replaced by one that does not',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(1)
    await harness.server.setFaults({ omitAction: true })
    assert.equal(await syncWithRetries(harness), 1)
    await syncWithoutSecondServer(harness)
    assert.equal(await harness.status(invoice), 'paid')
  },
  { servers: 2 },
)

chainSyncTest(
  'a server that hides Ironwood is replaced by one that does not; alone, it stops the sync, and no invoice expires',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(1)
    harness.clock.advance(2_000)
    for (const server of harness.servers) await server.setFaults({ hideIronwood: true })
    for (const _ of [1, 2, 3]) {
      await assert.rejects(harness.sync(), /hides/)
      assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
    }
    await harness.servers[1]!.setFaults({ hideIronwood: false })
    await syncWithRetries(harness)
    await syncWithoutSecondServer(harness)
    assert.equal(await harness.status(invoice), 'paid')
  },
  { servers: 2 },
)

chainSyncTest(
  'a server that fails while the sync catches up is replaced, and no payment is missed',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(250)
    await harness.server.setFaults({ cutStreamAfter: 1 })
    await syncWithRetries(harness)
    await syncWithoutSecondServer(harness)
    assert.equal(await harness.status(invoice), 'paid')
    assert.equal(await harness.tip(), harness.sandbox.height)
  },
  { servers: 2 },
)

chainSyncTest(
  'a sync across a switch of servers does not count as complete',
  async harness => {
    await harness.sync()
    const seenThrough = harness.metrics.seenThrough
    const invoice = await harness.invoice({ amount: 10n })
    harness.pay(invoice, 10n)
    harness.clock.advance(2_000)
    await harness.servers[1]!.setFaults({ lagBlocks: 1 })
    harness.sandbox.mine(1)
    const { mempoolSnapshot } = harness.chain
    harness.chain.mempoolSnapshot = async signal => {
      harness.chain.mempoolSnapshot = mempoolSnapshot
      const snapshot = await mempoolSnapshot(signal)
      harness.chain.abandonServer('a test')
      return snapshot
    }
    assert.equal(await harness.chainSync.sync(harness.signal), 'again')
    assert.equal(harness.metrics.seenThrough, seenThrough)
    assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
  },
  { servers: 2 },
)

chainSyncTest('a server behind the recorded chain causes no rewind, and its sync is not complete', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
  harness.pay(invoice, 10n)
  harness.sandbox.mine(3)
  await harness.syncFully()
  const [tip, seenThrough] = [await harness.tip(), harness.metrics.seenThrough]
  await harness.server.setFaults({ lagBlocks: 2 })
  harness.clock.advance(60)
  await harness.sync()
  assert.deepEqual([await harness.tip(), harness.metrics.seenThrough], [tip, seenThrough])
  await harness.server.setFaults({ lagBlocks: 0 })
  await harness.syncFully()
  assert.equal(harness.metrics.seenThrough, harness.clock.secs - 8)
})

chainSyncTest('two chain syncs on one database record every block and every payment once', async harness => {
  await harness.sync()
  const invoices = []
  for (let i = 0; i < 4; i++) {
    const invoice = await harness.invoice({ amount: 10n, confirmations: 2 })
    harness.pay(invoice, 10n)
    harness.sandbox.mine(i % 2)
    invoices.push(invoice)
  }
  harness.sandbox.mine(120)
  const other = harness.secondChainSync()
  const both = [harness.chainSync, other].map(async chainSync => {
    // If both write the same block, the database rejects one, which then syncs again.
    for (let attempt = 0; attempt < 5; attempt++) await chainSync.sync(harness.signal).catch(() => undefined)
  })
  await Promise.all(both)
  assert.equal(await harness.tip(), harness.sandbox.height)
  for (const invoice of invoices) {
    const { status, receivedZat } = await harness.read(invoice)
    assert.deepEqual([status, receivedZat], ['paid', 10n])
  }
  assert.equal((await harness.events()).filter(event => event.type === 'invoice.paid').length, 4)
})

chainSyncTest('a running chain sync detects payments from the mempool stream while a sync hangs', async harness => {
  await harness.sync()
  const { chain } = harness
  chain.mempoolSnapshot = signal => new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }))
  const chainSync = startChainSync({ ...harness.deps, clock: systemClock })
  try {
    for (let i = 0; i < 3; i++) {
      const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
      harness.pay(invoice, 10n)
      await until('detection', async () => (await harness.status(invoice)) === 'detected')
      harness.sandbox.mine(1)
    }
  } finally {
    await chainSync.stop()
  }
})

chainSyncTest(
  'a running chain sync reads a block at once that is found before the mempool stream is open again',
  async harness => {
    await harness.sync()
    const endless = 2 ** 30
    const sleep = (ms: number, signal: AbortSignal) => systemClock.sleep(ms >= 1_000 ? endless : ms, signal)
    const chainSync = startChainSync({ ...harness.deps, clock: { ...systemClock, sleep } })
    try {
      const invoice = await harness.invoice({ amount: 10n, confirmations: 2 })
      harness.pay(invoice, 10n)
      await until('detection', async () => (await harness.status(invoice)) === 'detected')
      harness.sandbox.mine(1)
      await until('the block', async () => (await harness.tip()) === harness.sandbox.height)
      harness.sandbox.mine(1)
      await until('the payment', async () => (await harness.status(invoice)) === 'paid')
    } finally {
      await chainSync.stop()
    }
  },
)

chainSyncTest('a running chain sync and expiry loop confirm payments and expire invoices', async harness => {
  const chainSync = startChainSync({ ...harness.deps, clock: { ...systemClock, nowMs: () => harness.clock.nowMs() } })
  const expiry = startExpiryLoop({ ...harness.deps, invoiceExpiry: harness.invoiceExpiry, clock: systemClock })
  try {
    await until('the first sync', () => harness.recordedChain.position())
    const paid = await harness.invoice({ amount: 10n, confirmations: 1 })
    const unpaid = await harness.invoice({ amount: 10n })
    harness.pay(paid, 10n)
    harness.sandbox.mine(1)
    await until('the payment', async () => (await harness.status(paid)) === 'paid')
    harness.clock.advance(900)
    await until('the expiry', async () => {
      harness.clock.advance(3)
      return (await harness.status(unpaid)) === 'expired'
    })
  } finally {
    await chainSync.stop()
    await expiry.stop()
  }
})

chainSyncTest('a running chain sync survives an outage of its server and stops on request', async harness => {
  const chainSync = startChainSync({ ...harness.deps, clock: systemClock })
  try {
    await until('the first sync', () => harness.recordedChain.position())
    const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
    await harness.server.setFaults({ down: true })
    await until('a failure', () => harness.logged.some(line => line.details.loop === 'chain sync'))
    harness.pay(invoice, 10n)
    harness.sandbox.mine(1)
    await harness.server.setFaults({ down: false })
    await until('the payment', async () => (await harness.status(invoice)) === 'paid')
    await until('the recovery', () => harness.logged.some(line => line.message === 'recovered after failures'))
  } finally {
    await chainSync.stop()
  }
})
