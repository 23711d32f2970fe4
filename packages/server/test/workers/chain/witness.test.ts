import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Chain as SandboxChain } from '@zatgate/sandbox/chain/chain'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import type { ServerView } from '../../../src/ports/chain.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'

after(closeNoteScanner)

const TWO = { servers: 2 }
const AMOUNT = 1_000n

/** Adds a server whose chain is equal up to now, and which does not see what is sent to or mined by the first one. */
async function addHonestServer(harness: ChainSyncHarness): Promise<SandboxChain> {
  const { sandbox, clock } = harness
  const honest = new SandboxChain({ seed: sandbox.seed, nu63Height: sandbox.nu63Height, clock })
  honest.mine(sandbox.height - honest.height)
  const server = await Lightwalletd.start(honest, 0, { mempoolCacheMs: 0, blockCacheMs: 0 })
  harness.servers.push(server)
  harness.onClose(() => server.close())
  await harness.restart()
  return honest
}

/** Makes the second server serve something else. */
function distortSecond(harness: ChainSyncHarness, distort: (view: ServerView) => ServerView): void {
  const { views } = harness.chain
  harness.chain.views = async (from, to, signal) =>
    (await views(from, to, signal)).map((view, index) => (index === 1 ? distort(view) : view))
}

const problemsOf = (harness: ChainSyncHarness) => harness.metrics.problems.map(({ problem }) => problem)

chainSyncTest(
  'an invoice is paid when two servers show the payment',
  async harness => {
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    await harness.chainSync.sync(harness.signal)
    assert.equal(await harness.status(invoice), 'detected', 'one server has shown it')
    await harness.chainSync.compareServers(harness.signal)
    assert.equal(await harness.status(invoice), 'paid')
    assert.deepEqual(problemsOf(harness), [])
  },
  TWO,
)

chainSyncTest('a payment in blocks that only one of two servers has is detected and never paid', async harness => {
  const honest = await addHonestServer(harness)
  const invoice = await harness.invoice({ amount: AMOUNT })
  harness.pay(invoice, AMOUNT)
  harness.sandbox.mine(5)
  honest.mine(5)
  for (let secs = 0; secs < 1_200; secs += 60) {
    await harness.sync()
    harness.clock.advance(60)
  }
  assert.equal(await harness.status(invoice), 'detected')
  assert.deepEqual(harness.metrics.problems, [{ problem: 'servers_disagree', height: honest.height - 4 }])
  assert.ok(harness.logged.some(({ level, message }) => level === 'error' && /servers disagree/.test(message)))

  const afterRestart = harness
  await afterRestart.restart()
  await afterRestart.sync()
  assert.equal(await afterRestart.status(invoice), 'detected', 'the height of agreement is stored')
})

chainSyncTest(
  'a payment that only one server shows in an equal block is not paid, and is when the other one shows it too',
  async harness => {
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    const { views } = harness.chain
    distortSecond(harness, view => ({
      ...view,
      blocks: view.blocks.map(block => ({ ...block, transactions: [] })),
    }))
    await harness.sync()
    harness.clock.advance(600)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')
    harness.chain.views = views
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid', 'the hold has lost nothing')
    await harness.sync()
    assert.deepEqual(problemsOf(harness), [])
  },
  TWO,
)

chainSyncTest(
  'a second server that does not respond holds an invoice for five minutes, which is logged',
  async harness => {
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    await harness.servers[1]!.setFaults({ down: true })
    await harness.sync()
    harness.clock.advance(299)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')
    harness.clock.advance(1)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
    await harness.sync()
    assert.deepEqual(problemsOf(harness), ['second_server_missing'])
    assert.ok(harness.logged.some(({ level, message }) => level === 'warn' && /no second server/.test(message)))

    const next = await harness.invoice({ amount: AMOUNT, confirmations: 1 })
    harness.pay(next, AMOUNT)
    harness.sandbox.mine(1)
    await harness.sync()
    assert.equal(await harness.status(next), 'paid', 'the wait is not repeated for each block')
    await harness.servers[1]!.setFaults({ down: false })
    await harness.sync()
    await harness.sync()
    assert.deepEqual(problemsOf(harness), [])
  },
  TWO,
)

chainSyncTest(
  'without confirmations an invoice is paid when two mempools show the payment, or in a block that two servers have',
  async harness => {
    const first = await harness.invoice({ amount: AMOUNT, confirmations: 0 })
    harness.pay(first, AMOUNT)
    await harness.servers[1]!.setFaults({ hideMempool: true })
    await harness.sync()
    await harness.sync()
    assert.equal(await harness.status(first), 'detected')
    await harness.servers[1]!.setFaults({ hideMempool: false })
    await harness.sync()
    await harness.sync()
    assert.equal(await harness.status(first), 'paid')

    const second = await harness.invoice({ amount: AMOUNT, confirmations: 0 })
    await harness.servers[1]!.setFaults({ hideMempool: true })
    harness.pay(second, AMOUNT)
    await harness.sync()
    await harness.sync()
    assert.equal(await harness.status(second), 'detected')
    harness.sandbox.mine(1)
    await harness.sync()
    assert.equal(await harness.status(second), 'paid', 'a server that hides its mempool delays it by one block')
  },
  TWO,
)

chainSyncTest(
  'of three servers one that disagrees delays nothing',
  async harness => {
    distortSecond(harness, view => ({
      ...view,
      blocks: view.blocks.map(block => ({ ...block, hash: 'f'.repeat(64) })),
    }))
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
  { servers: 3 },
)

chainSyncTest(
  'blocks that replace confirmed ones need two servers again',
  async harness => {
    harness.sandbox.mine(2)
    await harness.sync()
    const invoice = await harness.invoice({ amount: AMOUNT, confirmations: 1 })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.reorg({ depth: 1 })
    harness.sandbox.mine(1)
    await harness.chainSync.sync(harness.signal)
    await harness.chainSync.sync(harness.signal)
    assert.equal(await harness.status(invoice), 'detected')
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
  TWO,
)
