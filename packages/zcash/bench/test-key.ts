import { P } from '../src/pallas.ts'
import type { IncomingViewingKey } from '../src/viewing-key.ts'

/** A separate key for each number. */
export function testKey(n: number): IncomingViewingKey {
  return { dk: new Uint8Array(32).fill(n), ivk: (0x123456789abcdefn ** 17n * BigInt(n + 1) ** 3n) % P }
}
