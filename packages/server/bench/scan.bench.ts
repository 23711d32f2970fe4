import { createActions } from '@zatgate/sandbox/chain/actions'
import { foreignReceiver } from '@zatgate/sandbox/chain/keys'
import { compactAction } from '@zatgate/sandbox/chain/transaction'
import { SeededRandom } from '@zatgate/sandbox/random'
import { createNoteScanner } from '../src/adapters/zcash/note-scanner.ts'
import type { CompactTransaction } from '../src/domain/chain/chain.ts'
import type { ScanKey } from '../src/ports/note-scanner.ts'
import { silentLog } from '../test/harness/log.ts'
import { count, printLine } from './report.ts'
import { randomIncoming } from './shops.ts'

const KEYS = 10_000
const TRANSACTIONS = 165
const ROUNDS = 2
/** Seconds for a full block by the number of scan threads. */
const GOALS = [
  { threads: 1, seconds: 17 },
  { threads: 2, seconds: 9 },
] as const

/** A full block of 330 actions that the service has not seen in the mempool, with 10,000 keys. */
async function run(): Promise<void> {
  const keys = Array.from({ length: KEYS }, (_, id): ScanKey => ({ id, incoming: randomIncoming() }))
  for (const { threads, seconds } of GOALS) {
    await using stack = new AsyncDisposableStack()
    const scanner = stack.adopt(createNoteScanner({ log: silentLog, threads }), it => it.close())
    // The first scan loads the keys.
    await scanner.scan(keys, fullBlock('warm-up').slice(0, 1))
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const block = fullBlock(`${threads} ${round}`)
      const start = performance.now()
      await scanner.scan(keys, block)
      times.push((performance.now() - start) / 1_000)
    }
    const best = Math.min(...times)
    const rate = count((KEYS * 2 * TRANSACTIONS) / best)
    printLine(
      `a block of 330 actions, ${count(KEYS)} keys, ${threads} scan threads: ${best.toFixed(1)} s (goal ≤ ${seconds}), ${rate} pairs/s`,
    )
  }
}

function fullBlock(name: string): CompactTransaction[] {
  const seed = new Uint8Array(32)
  return Array.from({ length: TRANSACTIONS }, (_, number) => {
    const random = new SeededRandom(seed, `${name} ${number}`)
    const actions = createActions(random, 'ironwood', [], foreignReceiver(seed))
    return { txid: number.toString(16).padStart(64, '0'), orchard: [], ironwood: actions.map(compactAction) }
  })
}

await run()
