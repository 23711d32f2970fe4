import assert from 'node:assert/strict'
import { after } from 'node:test'
import { systemClock } from '../../src/adapters/clock.ts'
import { startExpiry } from '../../src/workers/expiry.ts'
import { startWatcher } from '../../src/workers/watcher.ts'
import { until } from '../support/until.ts'
import { closeViewer, type WatchRig, watching } from '../support/watch-rig.ts'

after(closeViewer)

/** Looks that fail are tried again, as the loop would, up to a bound. */
async function lookUntilDone(rig: WatchRig, most = 5): Promise<number> {
  for (let failures = 0; ; failures++) {
    try {
      await rig.look()
      return failures
    } catch (error) {
      if (failures === most) throw error
    }
  }
}

for (const fault of ['unavailable', 'aborted', 'internal'] as const) {
  watching(`a few ${fault} answers are survived within the look`, async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(1)
    await rig.server.setFaults({ [fault]: 2 })
    await rig.look()
    assert.equal(await rig.status(invoice), 'paid')
  })
}

watching('a server that leaves an output out is never believed; the payment is found once it is whole', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.pay(invoice, 10n)
  rig.sandbox.mine(1)
  const before = await rig.tip()
  await rig.server.setFaults({ omitAction: true })
  for (const _ of [1, 2]) {
    await assert.rejects(rig.look(), /hides ironwood outputs/)
    assert.equal(await rig.tip(), before)
  }
  await rig.server.setFaults({ omitAction: false })
  await rig.look()
  assert.equal(await rig.status(invoice), 'paid')
})

watching(
  'a server that leaves an output out is left for one that does not',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(1)
    await rig.server.setFaults({ omitAction: true })
    assert.equal(await lookUntilDone(rig), 1)
    assert.equal(await rig.status(invoice), 'paid')
  },
  { servers: 2 },
)

watching(
  'a server that hides Ironwood is left for one that does not; alone, it stops the watcher and closes nothing',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(1)
    rig.clock.advance(2_000)
    for (const server of rig.servers) await server.setFaults({ hideIronwood: true })
    for (const _ of [1, 2, 3]) {
      await assert.rejects(rig.look(), /hides/)
      assert.equal(await rig.payments.closeDue(10), 0)
    }
    await rig.servers[1]!.setFaults({ hideIronwood: false })
    await lookUntilDone(rig)
    assert.equal(await rig.status(invoice), 'paid')
  },
  { servers: 2 },
)

watching(
  'a server that dies in the middle of an outage is left, and nothing is missed',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(250)
    await rig.server.setFaults({ cutStreamAfter: 1 })
    await lookUntilDone(rig)
    assert.equal(await rig.status(invoice), 'paid')
    assert.equal(await rig.tip(), rig.sandbox.height)
  },
  { servers: 2 },
)

watching(
  'a look across a change of servers is not taken for a complete one',
  async rig => {
    await rig.look()
    const seenThrough = rig.metered.seenThrough
    const invoice = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n)
    rig.clock.advance(2_000)
    await rig.servers[1]!.setFaults({ lagBlocks: 1 })
    rig.sandbox.mine(1)
    const { mempoolSnapshot } = rig.chain
    rig.chain.mempoolSnapshot = async signal => {
      rig.chain.mempoolSnapshot = mempoolSnapshot
      const snapshot = await mempoolSnapshot(signal)
      rig.chain.distrust('a test')
      return snapshot
    }
    assert.equal(await rig.watcher.look(rig.signal), 'again')
    assert.equal(rig.metered.seenThrough, seenThrough)
    assert.equal(await rig.payments.closeDue(10), 0)
  },
  { servers: 2 },
)

watching('a server behind what is recorded takes nothing back, and its look is not complete', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.pay(invoice, 10n)
  rig.sandbox.mine(3)
  await rig.see()
  const [tip, seenThrough] = [await rig.tip(), rig.metered.seenThrough]
  await rig.server.setFaults({ lagBlocks: 2 })
  rig.clock.advance(60)
  await rig.look()
  assert.deepEqual([await rig.tip(), rig.metered.seenThrough], [tip, seenThrough])
  await rig.server.setFaults({ lagBlocks: 0 })
  await rig.see()
  assert.equal(rig.metered.seenThrough, rig.clock.secs - 3)
})

watching(
  'a mempool that cannot be read keeps no block from being recorded, and no invoice is closed by it',
  async rig => {
    await rig.look()
    const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
    const unpaid = await rig.invoice({ amount: 10n })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(1)
    rig.clock.advance(900)
    const { seenThrough } = rig.metered
    rig.chain.mempoolSnapshot = () => Promise.reject(new Error('no mempool'))
    await rig.look()
    assert.equal(await rig.payments.closeDue(10), 0)
    assert.deepEqual([await rig.status(invoice), await rig.status(unpaid)], ['paid', 'pending'])
    assert.equal(rig.metered.seenThrough, seenThrough)
  },
)

watching('two watchers on one database record every block and every payment once', async rig => {
  await rig.look()
  const invoices = []
  for (let i = 0; i < 4; i++) {
    const invoice = await rig.invoice({ amount: 10n, confirmations: 2 })
    rig.pay(invoice, 10n)
    rig.sandbox.mine(i % 2)
    invoices.push(invoice)
  }
  rig.sandbox.mine(120)
  const other = rig.secondWatcher()
  const both = [rig.watcher, other].map(async watcher => {
    // One of two that write the same block is refused by the database, and looks again.
    for (let tries = 0; tries < 5; tries++) await watcher.look(rig.signal).catch(() => undefined)
  })
  await Promise.all(both)
  assert.equal(await rig.tip(), rig.sandbox.height)
  for (const invoice of invoices) {
    const { status, receivedZat } = await rig.read(invoice)
    assert.deepEqual([status, receivedZat], ['paid', 10n])
  }
  assert.equal((await rig.events()).filter(event => event.type === 'invoice.paid').length, 4)
})

watching('while it runs, the mempool stream alone detects a payment, though a look takes for ever', async rig => {
  await rig.look()
  const { chain, viewer, payments, headers, keys, chainProblems, log } = rig
  chain.mempoolSnapshot = signal => new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }))
  const watcher = startWatcher({ chain, viewer, payments, headers, keys, chainProblems, log, clock: systemClock })
  try {
    for (let i = 0; i < 3; i++) {
      const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
      rig.pay(invoice, 10n)
      await until('detection', async () => (await rig.status(invoice)) === 'detected')
      rig.sandbox.mine(1)
    }
  } finally {
    await watcher.stop()
  }
})

watching(
  'while it runs, a block that comes before the mempool stream is open again does not wait for the next round',
  async rig => {
    await rig.look()
    const { chain, viewer, payments, headers, keys, chainProblems, log } = rig
    const endless = 2 ** 30
    const sleep = (ms: number, signal: AbortSignal) => systemClock.sleep(ms >= 1_000 ? endless : ms, signal)
    const watcher = startWatcher({
      chain,
      viewer,
      payments,
      headers,
      keys,
      chainProblems,
      log,
      clock: { ...systemClock, sleep },
    })
    try {
      const invoice = await rig.invoice({ amount: 10n, confirmations: 2 })
      rig.pay(invoice, 10n)
      await until('detection', async () => (await rig.status(invoice)) === 'detected')
      rig.sandbox.mine(1)
      await until('the block', async () => (await rig.tip()) === rig.sandbox.height)
      rig.sandbox.mine(1)
      await until('the payment', async () => (await rig.status(invoice)) === 'paid')
    } finally {
      await watcher.stop()
    }
  },
)

watching('while it runs, payments are confirmed and invoices closed without being asked', async rig => {
  const { chain, viewer, payments, headers, keys, chainProblems, log } = rig
  const watcher = startWatcher({
    chain,
    viewer,
    payments,
    headers,
    keys,
    chainProblems,
    log,
    clock: { ...systemClock, nowMs: () => rig.clock.nowMs() },
  })
  const expiry = startExpiry({ payments, log, clock: systemClock })
  try {
    await until('the first look', () => rig.headers.position())
    const paid = await rig.invoice({ amount: 10n, confirmations: 1 })
    const unpaid = await rig.invoice({ amount: 10n })
    rig.pay(paid, 10n)
    rig.sandbox.mine(1)
    await until('the payment', async () => (await rig.status(paid)) === 'paid')
    rig.clock.advance(900)
    await until('the expiry', async () => {
      rig.clock.advance(3)
      return (await rig.status(unpaid)) === 'expired'
    })
  } finally {
    await watcher.stop()
    await expiry.stop()
  }
})

watching('while it runs, it outlives an outage of its server and stops when told', async rig => {
  const { chain, viewer, payments, headers, keys, chainProblems, log } = rig
  const watcher = startWatcher({ chain, viewer, payments, headers, keys, chainProblems, log, clock: systemClock })
  try {
    await until('the first look', () => rig.headers.position())
    const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
    await rig.server.setFaults({ down: true })
    await until('a failure', () => rig.logged.some(line => line.details.loop === 'chain sync'))
    rig.pay(invoice, 10n)
    rig.sandbox.mine(1)
    await rig.server.setFaults({ down: false })
    await until('the payment', async () => (await rig.status(invoice)) === 'paid')
    await until('the all-clear', () => rig.logged.some(line => line.message === 'recovered after failures'))
  } finally {
    await watcher.stop()
  }
})
