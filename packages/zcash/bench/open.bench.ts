import { orchardReceiver } from '../src/address.ts'
import { createAction } from '../src/create-action.ts'
import { toCompactAction, tryDecryptCompactActions } from '../src/note.ts'
import { decodePoint, P } from '../src/pallas.ts'
import type { IncomingViewingKey } from '../src/viewing-key.ts'
import { rate, report } from './measure.ts'

const KEYS: readonly { readonly count: number; readonly goal?: number }[] = [
  { count: 1 },
  { count: 1_000, goal: 100_000 },
  { count: 10_000, goal: 150_000 },
]
const ACTIONS_IN_A_BLOCK = 330
const BLOCK_SECONDS = 25

/** Trial decryption of actions that belong to none of the keys, the main load of a chain scanner. */
function run(): void {
  const action = toCompactAction(
    createAction({
      pool: 'ironwood',
      receiver: orchardReceiver(testKey(0), 0n),
      value: 1n,
      rho: new Uint8Array(32),
      rseed: new Uint8Array(32).fill(1),
    }),
  )
  const epk = decodePoint(action.ephemeralKey)!
  const { ivk } = testKey(1)
  const bound = rate(() => epk.multiplyUnsafe(ivk))
  for (const { count, goal } of KEYS) {
    const keys = Array.from({ length: count }, (_, index) => testKey(index + 1))
    const perSecond = rate(() => tryDecryptCompactActions(keys, 'ironwood', [action])) * count
    report({
      what: `trial decryption with ${count.toLocaleString('en-US')} keys`,
      perSecond,
      unit: 'pairs',
      bound: { name: 'one noble multiplication', perSecond: bound },
      ...(goal !== undefined && { goal }),
      notes: count === 10_000 ? [blockTime(count, perSecond)] : [],
    })
  }
}

function blockTime(keys: number, pairsPerSecond: number): string {
  const seconds = (keys * ACTIONS_IN_A_BLOCK) / pairsPerSecond
  return `a block of ${ACTIONS_IN_A_BLOCK} actions takes ${seconds.toFixed(1)} s (goal < ${BLOCK_SECONDS})`
}

function testKey(n: number): IncomingViewingKey {
  return { dk: new Uint8Array(32).fill(n), ivk: (0x123456789abcdefn ** 5n * BigInt(n + 1)) % P }
}

run()
