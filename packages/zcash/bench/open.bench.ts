import { orchardReceiver } from '../src/address.ts'
import { openCompactActions, toCompactAction } from '../src/note.ts'
import { decodePoint, P } from '../src/pallas.ts'
import { sealNote } from '../src/seal.ts'
import type { IncomingViewingKey } from '../src/viewing-key.ts'
import { print, rate } from './measure.ts'

/** Keys against actions that are not theirs: what a watcher does all day. */
export function run(): void {
  const action = toCompactAction(
    sealNote({
      pool: 'ironwood',
      receiver: orchardReceiver(someKey(0), 0n),
      value: 1n,
      rho: new Uint8Array(32),
      rseed: new Uint8Array(32).fill(1),
    }),
  )
  const epk = decodePoint(action.ephemeralKey)!
  const { ivk } = someKey(1)
  const bound = rate(() => epk.multiplyUnsafe(ivk))
  for (const count of [1, 10, 1_000]) {
    const keys = Array.from({ length: count }, (_, i) => someKey(i + 1))
    const perSecond = rate(() => openCompactActions(keys, 'ironwood', [action])) * count
    print(`open, ${count} keys, plain`, perSecond, 'pairs', bound, 'one noble multiplication')
  }
}

function someKey(n: number): IncomingViewingKey {
  return { dk: new Uint8Array(32).fill(n), ivk: (0x123456789abcdefn ** 5n * BigInt(n + 1)) % P }
}

if (import.meta.main) run()
