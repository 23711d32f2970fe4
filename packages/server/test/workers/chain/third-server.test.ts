import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'
import { distortServer, problemsOf, withOtherHashes } from '../../harness/server-views.ts'

after(closeNoteScanner)

const THREE = { servers: 3 }
const THIRD = 2
const AMOUNT = 1_000n

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

chainSyncTest(
  'a third server that serves other blocks than two that agree is reported after five minutes, and holds nothing up',
  async harness => {
    let distort = withOtherHashes
    distortServer(harness, THIRD, view => distort(view))
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

    const stalledAt = harness.sandbox.height
    distortServer(harness, THIRD, view => ({
      ...view,
      height: stalledAt,
      blocks: view.blocks.filter(({ height }) => height <= stalledAt),
    }))
    assert.deepEqual((await mineFor(harness, 10)).at(-1), ['server_left_out'])
  },
  THREE,
)

chainSyncTest(
  'a server that differs for one block only is not reported',
  async harness => {
    let calls = 0
    distortServer(harness, THIRD, view => (calls++ === 0 ? withOtherHashes(view) : view))
    assert.deepEqual((await mineFor(harness, 10)).flat(), [])
  },
  THREE,
)
