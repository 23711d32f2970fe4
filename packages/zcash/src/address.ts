import { concatBytes } from '@noble/hashes/utils.js'
import { diversifier, diversifyHash, indexOfDiversifier } from './diversifier.ts'
import { expectLength, ZcashError } from './errors.ts'
import type { Network } from './network.ts'
import { decodePoint, encodePoint } from './pallas.ts'
import { decodeUnified, encodeUnified, TYPECODES } from './unified.ts'
import type { IncomingViewingKey } from './viewing-key.ts'

export interface Address {
  readonly network: Network
  readonly typecodes: readonly number[]
  /** 43 bytes, d ‖ pk_d; absent when the address has no Orchard receiver */
  readonly orchard?: Uint8Array
}

/**
 * The Orchard receiver at a diversifier index (0 to 2^88 − 1; all are valid): d ‖ pk_d, 43 bytes
 * (protocol specification §5.6.4.2). Throws `out_of_range`.
 */
export function orchardReceiver(key: IncomingViewingKey, index: bigint): Uint8Array {
  const d = diversifier(key.dk, index)
  return concatBytes(d, encodePoint(diversifyHash(d).multiplyUnsafe(key.ivk)))
}

/** The index that gave the diversifier `d` (11 bytes) under this key. */
export function diversifierIndex(key: IncomingViewingKey, d: Uint8Array): bigint {
  return indexOfDiversifier(key.dk, d)
}

/** A unified address with one Orchard receiver of 43 bytes. */
export function encodeAddress(network: Network, receiver: Uint8Array): string {
  expectLength('an Orchard receiver', receiver, 43)
  return encodeUnified('address', network, [{ typecode: TYPECODES.orchard, data: receiver }])
}

/** Reads a ZIP 316 Revision 0 unified address. Throws a {@link ZcashError} that says what is wrong with the text. */
export function parseAddress(text: string): Address {
  const { kind, network, items } = decodeUnified(text)
  if (kind !== 'address') {
    throw new ZcashError('wrong_kind', 'is a viewing key, which no payer should see; an address starts with u1…')
  }
  const typecodes = items.map(item => item.typecode)
  const orchard = items.find(item => item.typecode === TYPECODES.orchard)?.data
  if (orchard === undefined) return { network, typecodes }
  if (decodePoint(orchard.subarray(11)) === undefined) {
    throw new ZcashError('invalid_point', 'holds an invalid Orchard receiver')
  }
  return { network, typecodes, orchard }
}
