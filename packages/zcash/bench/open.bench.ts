import { readFileSync } from 'node:fs'
import { orchardReceiver } from '../src/address.ts'
import { createAction } from '../src/create-action.ts'
import { createKernel } from '../src/kernel/kernel.ts'
import { type CompactAction, toCompactAction, tryDecryptCompactActions } from '../src/note.ts'
import { Pallas } from '../src/pallas.ts'
import { buildOracle } from '../test/oracle/oracle.ts'
import { rate, report, say } from './measure.ts'
import { testKey } from './test-key.ts'

/** Keys, actions of one call, and the goals: multiples of one noble multiplication, and of the orchard crate. */
const LOADS = [
  { keys: 1, actions: 330, goal: 8 },
  { keys: 10, actions: 330, goal: 10 },
  { keys: 100, actions: 330, goal: 35 },
  { keys: 1_000, actions: 50, goal: 70, peerGoal: 6 },
  { keys: 10_000, actions: 5, goal: 120, peerGoal: 10 },
] as const
const BLOCK = { keys: 10_000, actions: 330, goalSeconds: 17 }
const PEER_SECONDS = 6

/** Trial decryption, on one core, of actions that belong to none of the keys: the main load of a chain scanner. */
function run(): void {
  const wasm = readFileSync(new URL('../kernel/kernel.wasm', import.meta.url))
  const kernel = createKernel(wasm)
  const actions = foreignActions(BLOCK.actions)
  const keys = Array.from({ length: BLOCK.keys }, (_, index) => testKey(index + 1))
  const point = Pallas.BASE.double()
  const noble = { name: 'one noble multiplication', perSecond: rate(() => point.multiplyUnsafe(keys[0]!.ivk)) }

  const plain = rate(() => tryDecryptCompactActions(keys.slice(0, 1_000), 'ironwood', actions.slice(0, 1))) * 1_000
  report({ what: 'plain TypeScript, 1,000 keys', perSecond: plain, unit: 'pairs', bound: noble })
  const { oracle, missing } = buildOracle()
  if (missing) say(`the orchard crate is not measured: ${missing}`)
  for (const { keys: count, actions: length, goal, ...load } of LOADS) {
    const some = keys.slice(0, count)
    const batch = actions.slice(0, length)
    const pairs = count * length
    const perSecond = rate(() => kernel.tryDecryptCompactActions(some, 'ironwood', batch)) * pairs
    const what = `kernel, ${count.toLocaleString('en-US')} keys`
    report({ what, perSecond, unit: 'pairs', bound: noble, goalRatio: goal })
    if (!('peerGoal' in load) || !oracle) continue
    const { backend, batchPairsPerSecond } = oracle.time(count, 16, PEER_SECONDS)
    const peer = { name: `orchard 0.16 in batches (${backend})`, perSecond: batchPairsPerSecond }
    report({ what, perSecond, unit: 'pairs', bound: peer, goalRatio: load.peerGoal })
  }
  const started = performance.now()
  kernel.tryDecryptCompactActions(keys, 'ironwood', actions)
  const seconds = (performance.now() - started) / 1_000
  const pairs = BLOCK.keys * BLOCK.actions
  say(
    `a block of ${BLOCK.actions} actions, 10,000 keys: ${seconds.toFixed(1)} s on one core (goal ≤ ${BLOCK.goalSeconds})`,
  )
  say(
    `memory of the kernel: ${(kernel.memoryBytes() / 2 ** 20).toFixed(1)} MiB after ${pairs.toLocaleString('en-US')} pairs (goal < 64)`,
  )
}

function foreignActions(count: number): CompactAction[] {
  const receiver = orchardReceiver(testKey(0), 0n)
  return Array.from({ length: count }, (_, i) => {
    const rseed = new Uint8Array(32)
      .fill(1)
      .with(0, i & 255)
      .with(1, i >> 8)
    return toCompactAction(createAction({ pool: 'ironwood', receiver, value: 1n, rho: new Uint8Array(32), rseed }))
  })
}

run()
