import { readFileSync } from 'node:fs'
import { diversifierIndex, encodeAddress, orchardReceiver } from '../src/address.ts'
import { diversifyHash } from '../src/diversifier.ts'
import { createKernel } from '../src/kernel/kernel.ts'
import { buildOracle } from '../test/oracle/oracle.ts'
import { rate, report, say } from './measure.ts'
import { testKey } from './test-key.ts'

const BATCHES = [8, 64, 512] as const
const PEER_SECONDS = 4

/** Measures deriving the addresses of new invoices and finding the diversifier index of a payment, on one core. */
function run(): void {
  const kernel = createKernel(readFileSync(new URL('../kernel/kernel.wasm', import.meta.url)))
  const key = testKey(1)
  const point = diversifyHash(new Uint8Array(11))
  const noble = { name: 'one noble multiplication', perSecond: rate(() => point.multiplyUnsafe(key.ivk)) }
  let index = 0n
  const plain = rate(() => orchardReceiver(key, index++))
  report({ what: 'derive a receiver, plain TypeScript', perSecond: plain, unit: 'receivers', bound: noble })
  const { oracle, missing } = buildOracle()
  if (missing) say(`the orchard crate is not measured: ${missing}`)
  const peers = oracle?.time(1, 1, PEER_SECONDS)
  for (const size of BATCHES) {
    const derive = () => {
      index += BigInt(size)
      return kernel.orchardReceivers(key, index, size)
    }
    const what = `derive receivers with the kernel, ${size} at a time`
    const perSecond = rate(derive) * size
    report({ what, perSecond, unit: 'receivers', bound: noble })
    if (!peers) continue
    const fromFull = { name: 'address_at of a full viewing key, orchard 0.16', perSecond: peers.fullAddressesPerSecond }
    const fromIncoming = { name: 'address_at of an incoming viewing key', perSecond: peers.addressesPerSecond }
    report({ what, perSecond, unit: 'receivers', bound: fromFull, goalRatio: 4 })
    report({ what, perSecond, unit: 'receivers', bound: fromIncoming, goalRatio: 4 })
  }
  const receiver = orchardReceiver(key, 5n)
  const encoded = rate(() => encodeAddress('main', receiver))
  report({ what: 'encode an address, plain TypeScript', perSecond: encoded, unit: 'addresses', bound: noble })
  const receivers = kernel.orchardReceivers(key, 0n, 512)
  const together = rate(() => kernel.encodeAddresses('main', receivers)) * receivers.length
  const encoding = 'encode addresses with the kernel, 512 at a time'
  report({ what: encoding, perSecond: together, unit: 'addresses', bound: noble })
  const indices = rate(() => diversifierIndex(key, receiver.subarray(0, 11)))
  report({ what: 'find the index of a diversifier', perSecond: indices, unit: 'indices', bound: noble })
}

run()
