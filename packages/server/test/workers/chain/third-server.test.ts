import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { ServerView } from '../../../src/ports/chain.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'

after(closeNoteScanner)

const THREE = { servers: 3 }
const AMOUNT = 1_000n
const OTHER_HASH = 'ee'.repeat(32)

const problemsOf = (harness: ChainSyncHarness) => harness.metrics.problems.map(({ problem }) => problem)

/** Mines a block a minute. @returns the problems after each minute */
async function mineFor(harness: ChainSyncHarness, minutes: number): Promise<string[][]> {
  const seen: string[][] = []
  for (let minute = 0; minute < minutes; minute++) {
    harness.sandbox.mine(1)
    await harness.sync()
    await harness.sync()
    seen.push(problemsOf(harness))
    harness.clock.advance(60)
  }
  return seen
}

async function payOne(harness: ChainSyncHarness) {
  const invoice = await harness.invoice({ amount: AMOUNT, confirmations: 1 })
  harness.pay(invoice, AMOUNT)
  return invoice
}

const otherBlocks = (view: ServerView): ServerView => ({
  ...view,
  blocks: view.blocks.map(block => ({ ...block, hash: OTHER_HASH })),
})

chainSyncTest(
  'a third server that serves other blocks than two that agree is reported after five minutes, and holds nothing up',
  async harness => {
    const { views } = harness.chain
    let distort = otherBlocks
    harness.chain.views = async (from, to, signal) =>
      (await views(from, to, signal)).map((view, index) => (index === 2 ? distort(view) : view))
    const invoice = await payOne(harness)
    const seen = await mineFor(harness, 7)
    assert.equal(await harness.status(invoice), 'paid')
    assert.deepEqual(seen.slice(0, 5).flat(), [])
    assert.deepEqual(seen.at(-1), ['server_left_out'])
    assert.ok(harness.logged.some(({ level, message }) => level === 'warn' && /one of the servers/.test(message)))
    distort = view => view
    assert.deepEqual((await mineFor(harness, 2)).at(-1), [])
  },
  THREE,
)

chainSyncTest(
  'a third server that does not respond, or falls behind, is reported after five minutes',
  async harness => {
    await harness.servers[2]!.setFaults({ down: true })
    const seen = await mineFor(harness, 7)
    assert.deepEqual([seen[4], seen.at(-1)], [[], ['server_left_out']])
    await harness.servers[2]!.setFaults({ down: false })
    assert.deepEqual((await mineFor(harness, 2)).at(-1), [])

    const { views } = harness.chain
    const stalledAt = harness.sandbox.height
    harness.chain.views = async (from, to, signal) =>
      (await views(from, to, signal)).map((view, index) =>
        index === 2
          ? { ...view, height: stalledAt, blocks: view.blocks.filter(({ height }) => height <= stalledAt) }
          : view,
      )
    assert.deepEqual((await mineFor(harness, 10)).at(-1), ['server_left_out'])
  },
  THREE,
)

chainSyncTest(
  'a server that differs for one block only is not reported',
  async harness => {
    const { views } = harness.chain
    let calls = 0
    harness.chain.views = async (from, to, signal) =>
      (await views(from, to, signal)).map((view, index) => (index === 2 && calls++ === 0 ? otherBlocks(view) : view))
    assert.deepEqual((await mineFor(harness, 10)).flat(), [])
  },
  THREE,
)
