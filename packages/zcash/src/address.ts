import { concatBytes } from '@noble/hashes/utils.js'
import { deriveDiversifier, diversifierIndexOf, diversifyHash } from './diversifier.ts'
import { expectLength, ZcashError } from './errors.ts'
import type { Network } from './network.ts'
import { decodePoint, encodePoint } from './pallas.ts'
import { decodeUnified, encodeUnified, TYPECODES, type UnifiedItem } from './unified.ts'
import type { IncomingViewingKey } from './viewing-key.ts'

/** A parsed unified address (ZIP 316). */
export interface Address {
  readonly network: Network
  /** the type of each receiver in ascending order, unknown types included */
  readonly typecodes: readonly number[]
  /** 43 bytes: d (11) ‖ pk_d (32); absent if the address has no Orchard receiver */
  readonly orchard?: Uint8Array
}

/**
 * Derives the Orchard receiver at a diversifier index: d ‖ pk_d, 43 bytes (protocol specification §5.6.4.2). Every
 * index from 0 to 2^88 − 1 is valid.
 * @throws ZcashError `out_of_range` for any other index
 */
export function orchardReceiver(key: IncomingViewingKey, index: bigint): Uint8Array {
  const d = deriveDiversifier(key.dk, index)
  return concatBytes(d, encodePoint(diversifyHash(d).multiplyUnsafe(key.ivk)))
}

/**
 * Recovers the diversifier index of a diversifier (11 bytes), 0 to 2^88 − 1 (ZIP 32, "Orchard diversifier derivation").
 * Every `d` has an index under every key, so the result does not prove that the address belongs to the key.
 * @throws ZcashError `wrong_length`
 */
export function diversifierIndex(key: IncomingViewingKey, d: Uint8Array): bigint {
  return diversifierIndexOf(key.dk, d)
}

/**
 * Encodes a unified address of ZIP 316 Revision 0 with one Orchard receiver (43 bytes, not checked beyond its length).
 * @throws ZcashError `wrong_length`
 */
export function encodeAddress(network: Network, receiver: Uint8Array): string {
  return encodeUnified('address', network, orchardItems(receiver))
}

/** The items of an address with one Orchard receiver. @throws ZcashError `wrong_length` */
export function orchardItems(receiver: Uint8Array): UnifiedItem[] {
  expectLength('an Orchard receiver', receiver, 43)
  return [{ typecode: TYPECODES.orchard, data: receiver }]
}

/**
 * Parses a unified address of ZIP 316 Revision 0. Checks the encoding and the Orchard receiver; receivers of other
 * types are not checked beyond their length.
 * @throws ZcashError `wrong_kind` for a viewing key, `invalid_point` for an invalid pk_d, and the errors of
 *   {@link decodeUnified}. The message says what is wrong and never repeats the text.
 */
export function parseAddress(text: string): Address {
  const { kind, network, items } = decodeUnified(text)
  if (kind !== 'address') {
    throw new ZcashError(
      'wrong_kind',
      'is a viewing key, which must not be shared with payers; an address starts with u1…',
    )
  }
  const typecodes = items.map(item => item.typecode)
  const orchard = items.find(item => item.typecode === TYPECODES.orchard)?.data
  if (orchard === undefined) return { network, typecodes }
  if (decodePoint(orchard.subarray(11)) === undefined) {
    throw new ZcashError('invalid_point', 'contains an invalid Orchard receiver')
  }
  return { network, typecodes, orchard }
}
