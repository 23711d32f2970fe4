import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { CompactTransaction } from '../../../src/domain/chain/chain.ts'
import type { ServerView } from '../../../src/ports/chain.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'

after(closeNoteScanner)

const AMOUNT = 1_000n

/** Two payments in blocks one after the other, which chain sync has missed and a rescan finds. */
async function missTwoPayments(harness: ChainSyncHarness) {
  const payments = []
  for (let i = 0; i < 2; i++) {
    const invoice = await harness.invoice({ amount: AMOUNT })
    payments.push({ invoice, txid: harness.pay(invoice, AMOUNT) })
    harness.sandbox.mine(1)
  }
  harness.sandbox.mine(3)
  await harness.sync()
  for (const { invoice } of payments) await harness.forgetPayments(invoice)
  return payments
}

/** A server's view as it is cut at its limit of actions: here after its first block. */
const cut = (view: ServerView): ServerView => ({ ...view, blocks: view.blocks.slice(0, 1) })

const without =
  (hidden: ReadonlySet<string>) =>
  (view: ServerView): ServerView => {
    const transactions = (all: readonly CompactTransaction[]) => all.filter(({ txid }) => !hidden.has(txid))
    return {
      ...view,
      blocks: view.blocks.map(block => ({ ...block, transactions: transactions(block.transactions) })),
    }
  }

async function passTime(harness: ChainSyncHarness, secs: number): Promise<void> {
  for (let passed = 0; passed < secs; passed += 30) {
    for (let i = 0; i < 3; i++) await harness.sync()
    harness.clock.advance(30)
  }
}

chainSyncTest(
  'a rescanned payment above the cut of both servers is confirmed, although they disagree about one below it',
  async harness => {
    const [disputed, agreed] = await missTwoPayments(harness)
    const { views } = harness.chain
    const hide = without(new Set([disputed!.txid]))
    harness.chain.views = async (...args) => {
      const [first, second] = await views(...args)
      return [cut(first!), cut(hide(second!))]
    }
    await harness.rescan(1)
    await passTime(harness, 300)
    assert.equal(await harness.status(disputed!.invoice), 'detected')
    assert.equal(await harness.status(agreed!.invoice), 'paid')
  },
  { servers: 2 },
)

chainSyncTest(
  'a rescanned payment is not confirmed by the word of one server because the view of the other one is cut below it',
  async harness => {
    const payments = await missTwoPayments(harness)
    const { views } = harness.chain
    const hide = without(new Set(payments.map(({ txid }) => txid)))
    harness.chain.views = async (...args) => {
      const [first, second] = await views(...args)
      return [first!, cut(hide(second!))]
    }
    await harness.rescan(1)
    await passTime(harness, 900)
    for (const { invoice } of payments) assert.equal(await harness.status(invoice), 'detected')
  },
  { servers: 2 },
)
