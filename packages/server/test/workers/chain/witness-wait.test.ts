import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import { chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { paymentsOf } from '../../harness/payments.ts'
import { distortSecond, withOtherHashes, withoutTransactions } from '../../harness/server-views.ts'
import { simulationTest } from '../../harness/simulation/simulation.ts'

after(closeNoteScanner)

const TWO = { servers: 2 }
const AMOUNT = 1_000n

for (const [title, isRecordedFirst] of [
  ['the wait for a second server restarts when it has agreed about a part of the blocks', false],
  ['the wait for a second server restarts also when another process has recorded the agreement first', true],
] as const)
  chainSyncTest(
    title,
    async harness => {
      const { views } = harness.chain
      const agreeUpTo = (height: number) =>
        distortSecond(harness, view => ({ ...view, blocks: view.blocks.filter(block => block.height <= height) }))
      const invoice = await harness.invoice({ amount: AMOUNT })
      harness.pay(invoice, AMOUNT)
      harness.sandbox.mine(3)
      const tip = harness.sandbox.height
      agreeUpTo(tip - 2)
      await harness.sync()
      harness.clock.advance(200)
      if (isRecordedFirst) await harness.store.write(tx => tx.chain.setWitnessedHeight(tip - 1))
      harness.chain.views = views
      agreeUpTo(tip - 1)
      await harness.sync()
      harness.clock.advance(200)
      await harness.sync()
      assert.equal(
        await harness.status(invoice),
        'detected',
        '400 s after the first wait, 200 s after the last agreement',
      )
      harness.clock.advance(100)
      await harness.sync()
      assert.equal(await harness.status(invoice), 'paid')
    },
    TWO,
  )

chainSyncTest('a second server that joins confirms payments of the last blocks, before it, too', async harness => {
  const invoice = await harness.invoice({ amount: AMOUNT })
  harness.pay(invoice, AMOUNT)
  harness.sandbox.mine(1)
  await harness.sync()
  const server = await Lightwalletd.start(harness.sandbox, 0, { mempoolCacheMs: 0, blockCacheMs: 0 })
  harness.servers.push(server)
  harness.onClose(() => server.close())
  await harness.restart()
  const { views } = harness.chain
  distortSecond(harness, withoutTransactions)
  harness.sandbox.mine(5)
  await harness.sync()
  assert.equal(await harness.status(invoice), 'detected', 'the second server does not show the payment')
  harness.chain.views = views
  await harness.sync()
  assert.equal(await harness.status(invoice), 'paid')
})

chainSyncTest(
  'blocks that counted without a second server do not count any more when it comes back and disagrees',
  async harness => {
    await harness.sync()
    const agreed = harness.sandbox.height
    harness.sandbox.mine(2)
    const { views } = harness.chain
    harness.chain.views = async (...args) => (await views(...args)).slice(0, 1)
    await harness.sync()
    harness.clock.advance(300)
    await harness.sync()
    const witnessed = () => harness.query(tx => tx.chain.witnessedHeight())
    assert.equal(await witnessed(), agreed + 2)
    harness.chain.views = views
    distortSecond(harness, withOtherHashes)
    await harness.sync()
    assert.equal(await witnessed(), agreed)
  },
  { ...TWO, startHeight: 5 },
)

chainSyncTest(
  'of more than 100 blocks that counted without a second server, all are compared when it comes back',
  async harness => {
    await harness.sync()
    const agreed = harness.sandbox.height
    harness.sandbox.mine(101)
    const invoice = await harness.invoice({ amount: AMOUNT, confirmations: 3 })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(1)
    const { views } = harness.chain
    harness.chain.views = async (...args) => (await views(...args)).slice(0, 1)
    await harness.sync()
    harness.clock.advance(300)
    await harness.sync()
    const witnessed = () => harness.query(tx => tx.chain.witnessedHeight())
    assert.equal(await witnessed(), agreed + 102)
    harness.chain.views = views
    distortSecond(harness, view => ({
      ...view,
      blocks: view.blocks.map(block => (block.height === agreed + 102 ? { ...block, transactions: [] } : block)),
    }))
    for (let i = 0; i < 2; i++) {
      await harness.sync()
      harness.sandbox.mine(1)
    }
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected', 'the second server does not show its payment')
    assert.equal(await witnessed(), agreed + 101)
  },
  { ...TWO, startHeight: 5 },
)

chainSyncTest('an unmined payment of unknown expiry was last seen at the newest block', async harness => {
  const invoice = await harness.invoice({ amount: AMOUNT })
  harness.pay(invoice, AMOUNT)
  await harness.sync()
  harness.sandbox.mine(4, { empty: true })
  await harness.sync()
  const [payment] = await harness.query(tx => paymentsOf(tx, [invoice.id]))
  assert.equal(payment?.lastSeenHeight, harness.sandbox.height)
})

onBothDatabases(engine => {
  simulationTest(
    engine,
    'with 0 confirmations, the first snapshot after an outage confirms what the mempool has contained all the time',
    async simulation => {
      await simulation.firstProcess.sync()
      const invoice = await simulation.createInvoice({ confirmations: 0 })
      simulation.pay(invoice, invoice.amountZat - 1n)
      await simulation.firstProcess.sync()
      await simulation.firstProcess.sync()
      assert.equal(await simulation.status(invoice), 'pending')
      simulation.restart()
      const rest = simulation.pay(invoice, 1n)
      simulation.mine(1, [rest])
      await simulation.firstProcess.sync()
      assert.equal(await simulation.status(invoice), 'paid')
    },
  )
})
