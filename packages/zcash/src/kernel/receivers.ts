import { concatBytes } from '@noble/hashes/utils.js'
import { orchardItems, orchardReceiver } from '../address.ts'
import { ZcashError } from '../errors.ts'
import type { Network } from '../network.ts'
import { encodeJumbled, toJumble } from '../unified.ts'
import type { IncomingViewingKey } from '../viewing-key.ts'
import { type Machine, toDigits } from './machine.ts'
import { methodFor } from './method.ts'
import { recode } from './recode.ts'

const INDEX_END = 1n << 88n

/** The Orchard receivers at `count` indexes from `first` on. Twin: `orchardReceiver`. See `Kernel`. */
export function deriveReceivers(machine: Machine, key: IncomingViewingKey, first: bigint, count: number): Uint8Array[] {
  if (typeof first !== 'bigint' || first < 0n || first + BigInt(count) > INDEX_END) {
    throw new ZcashError('out_of_range', 'the diversifier index must be 0 to 2^88 − 1')
  }
  const method = methodFor(1)
  const codes = recode(key.ivk, method)
  if (codes === undefined) return Array.from({ length: count }, (_, i) => orchardReceiver(key, first + BigInt(i)))
  const digits = toDigits(method, [codes])
  const batch = machine.maxBases
  const receivers: Uint8Array[] = []
  for (let done = 0; done < count; done += batch) {
    const size = Math.min(batch, count - done)
    const diversifiers = machine.deriveDiversifiers(key.dk, first + BigInt(done), size)
    for (const [i, pkd] of machine.multiplyBases(diversifiers, digits).entries()) {
      receivers.push(concatBytes(diversifiers[i]!, pkd))
    }
  }
  return receivers
}

/** Unified addresses with one Orchard receiver (43 bytes) each. Twin: `encodeAddress`. See `Kernel`. */
export function encodeAddresses(machine: Machine, network: Network, receivers: readonly Uint8Array[]): string[] {
  const texts: string[] = []
  for (let done = 0; done < receivers.length; done += machine.at.MAX_POINTS) {
    const parts = receivers
      .slice(done, done + machine.at.MAX_POINTS)
      .map(receiver => toJumble('address', network, orchardItems(receiver)))
    const jumbled = machine.jumble(parts.map(({ message }) => message))
    for (const [i, { prefix }] of parts.entries()) texts.push(encodeJumbled(prefix, jumbled[i]!))
  }
  return texts
}
