import { diversifierIndex, encodeAddress, orchardReceiver } from '../src/address.ts'
import { diversifyHash } from '../src/diversifier.ts'
import { P } from '../src/pallas.ts'
import { rate, report } from './measure.ts'

/** Measures deriving the address of a new invoice and finding the diversifier index of a payment. */
function run(): void {
  const key = { dk: new Uint8Array(32).fill(3), ivk: 0x123456789abcdefn ** 5n % P }
  const point = diversifyHash(new Uint8Array(11))
  const bound = rate(() => point.multiplyUnsafe(key.ivk))
  let index = 0n
  const addresses = rate(() => encodeAddress('main', orchardReceiver(key, index++)))
  const multiplication = { name: 'one noble multiplication', perSecond: bound }
  report({ what: 'derive an address', perSecond: addresses, unit: 'addresses', bound: multiplication })
  const receiver = orchardReceiver(key, 5n).subarray(0, 11)
  const indices = rate(() => diversifierIndex(key, receiver))
  report({ what: 'find the index of a diversifier', perSecond: indices, unit: 'indices', bound: multiplication })
}

run()
