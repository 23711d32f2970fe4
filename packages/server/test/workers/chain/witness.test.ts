import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Chain as SandboxChain } from '@zatgate/sandbox/chain/chain'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'
import { distortSecond, problemsOf, withOtherHashes, withoutTransactions } from '../../harness/server-views.ts'

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
    distortSecond(harness, withoutTransactions)
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
    distortSecond(harness, withOtherHashes)
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

chainSyncTest(
  'a payment found by a rescan is paid when a second server shows it, and never by the word of one',
  async harness => {
    const invoice = await harness.missPayment(AMOUNT)
    const { views } = harness.chain
    distortSecond(harness, withoutTransactions)
    assert.equal((await harness.rescan(1)).found, 1)
    assert.equal(await harness.status(invoice), 'detected', 'one server has shown it')
    for (let secs = 0; secs < 1_200; secs += 60) {
      harness.sandbox.mine(1)
      await harness.sync()
      harness.clock.advance(60)
    }
    assert.equal(await harness.status(invoice), 'detected', 'the second server does not show it')
    await harness.sync()
    assert.deepEqual(problemsOf(harness), ['servers_disagree'])

    harness.startServices()
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected', 'also after a restart')

    harness.chain.views = views
    harness.clock.advance(60)
    for (let i = 0; i < 2; i++) await harness.sync()
    assert.equal(await harness.status(invoice), 'paid', 'nothing is lost by the wait')
    await harness.sync()
    assert.deepEqual(problemsOf(harness), [])
  },
  TWO,
)

chainSyncTest(
  'a rescan whose second server is missing is believed after five minutes, and not when the only server left contradicts',
  async harness => {
    const invoice = await harness.missPayment(AMOUNT)
    await harness.rescan(1)
    distortSecond(harness, withoutTransactions)
    const { views } = harness.chain
    const only = (index: number) => {
      harness.chain.views = async (...args) => (await views(...args)).filter((_, at) => at === index)
    }
    const wait = async (secs: number) => {
      for (let left = secs; left > 0; left -= 30) {
        await harness.sync()
        harness.clock.advance(Math.min(30, left))
      }
      await harness.sync()
    }
    only(1)
    await wait(600)
    assert.equal(await harness.status(invoice), 'detected', 'the server that showed it is gone')
    only(0)
    await wait(240)
    assert.equal(await harness.status(invoice), 'detected')
    await wait(120)
    assert.equal(await harness.status(invoice), 'paid')
  },
  TWO,
)

chainSyncTest(
  'a payment below the recorded blocks is confirmed when two servers show it in equal blocks',
  async harness => {
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(1_010)
    await harness.sync()
    await harness.forgetPayments(invoice)
    const { views } = harness.chain
    distortSecond(harness, withOtherHashes)
    await harness.rescan(1)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')
    harness.chain.views = views
    harness.clock.advance(60)
    for (let i = 0; i < 2; i++) await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
  TWO,
)

chainSyncTest(
  'when the second server is removed from the settings, what one server has shown counts at the next start',
  async harness => {
    const invoice = await harness.missPayment(AMOUNT)
    await harness.rescan(1)
    const next = await harness.invoice({ amount: AMOUNT, confirmations: 1 })
    harness.pay(next, AMOUNT)
    harness.sandbox.mine(1)
    await harness.chainSync.sync(harness.signal)
    assert.deepEqual([await harness.status(invoice), await harness.status(next)], ['detected', 'detected'])
    harness.servers.length = 1
    await harness.restart()
    await harness.sync()
    assert.deepEqual([await harness.status(invoice), await harness.status(next)], ['paid', 'paid'])
  },
  TWO,
)

chainSyncTest(
  'of two servers, the one that showed a payment in an equal block is gone: the other one alone does not confirm it',
  async harness => {
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    const { views } = harness.chain
    harness.chain.views = async (...args) => (await views(...args)).slice(1).map(withoutTransactions)
    for (let secs = 0; secs <= 600; secs += 60) {
      await harness.sync()
      harness.clock.advance(60)
    }
    assert.equal(await harness.status(invoice), 'detected')
  },
  TWO,
)
