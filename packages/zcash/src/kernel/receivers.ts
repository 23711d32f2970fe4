import { concatBytes } from '@noble/hashes/utils.js'
import { orchardReceiver } from '../address.ts'
import { ZcashError } from '../errors.ts'
import type { IncomingViewingKey } from '../viewing-key.ts'
import { createDiversifiers } from './diversifiers.ts'
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
  const diversifierAt = createDiversifiers(key.dk)
  const batch = machine.maxBases
  const receivers: Uint8Array[] = []
  for (let done = 0; done < count; done += batch) {
    const size = Math.min(batch, count - done)
    const diversifiers = Array.from({ length: size }, (_, i) => diversifierAt(first + BigInt(done + i)))
    for (const [i, pkd] of machine.multiplyBases(diversifiers, digits).entries()) {
      receivers.push(concatBytes(diversifiers[i]!, pkd))
    }
  }
  return receivers
}
