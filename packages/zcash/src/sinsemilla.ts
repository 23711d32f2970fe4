import { bytesToNumberLE } from '@noble/curves/utils.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { GENERATORS } from './gen/sinsemilla.ts'
import { groupHash, Pallas, type PallasPoint } from './pallas.ts'

const CHUNK_BITS = 10
const CHUNK_MASK = (1n << 10n) - 1n

/** A bit string in little-endian bit order: bit i of `value` is the i-th bit. */
export interface BitString {
  readonly value: bigint
  /** in bits */
  readonly length: number
}

/**
 * Concatenates bit strings. Each part is a value and its length in bits; each value must fit its length.
 * The first part provides the first bits.
 */
export function concatBits(...parts: readonly (readonly [value: bigint, length: number])[]): BitString {
  let value = 0n
  let length = 0
  for (const [part, partLength] of parts) {
    value |= part << BigInt(length)
    length += partLength
  }
  return { value, length }
}

/** Digits of a coordinate in {@link GENERATORS}. */
const DIGITS = 64
const generators: PallasPoint[] = []

/** S(j) of the protocol specification §5.4.1.9. */
function generator(index: number): PallasPoint {
  generators[index] ??= Pallas.fromAffine({ x: coordinate(2 * index), y: coordinate(2 * index + 1) })
  return generators[index]
}

function coordinate(index: number): bigint {
  return BigInt(`0x${GENERATORS.slice(index * DIGITS, (index + 1) * DIGITS)}`)
}

/** The point Q(D) of a hash domain (protocol specification §5.4.1.9). */
export function sinsemillaHashBase(domain: string): PallasPoint {
  return groupHash('z.cash:SinsemillaQ', utf8ToBytes(domain))
}

/**
 * SinsemillaHashToPoint (protocol specification §5.4.1.9). `base` is the point Q(D) from {@link sinsemillaHashBase}. The last
 * chunk of 10 bits is padded with zeros. Complete addition replaces the incomplete addition of the specification: the
 * two differ only for messages that yield a discrete logarithm relation (Theorem 5.4.4).
 */
export function sinsemillaHashToPoint(base: PallasPoint, message: BitString): PallasPoint {
  let point = base
  for (let offset = 0; offset < message.length; offset += CHUNK_BITS) {
    const chunk = Number((message.value >> BigInt(offset)) & CHUNK_MASK)
    point = point.add(generator(chunk)).add(point)
  }
  return point
}

/** The Sinsemilla commitment scheme of one domain (protocol specification §5.4.8.4). */
interface SinsemillaCommitter {
  /** SinsemillaCommit: commits to `message`. `randomness` is a scalar, 0 to q − 1. */
  commit(randomness: bigint, message: BitString): PallasPoint
}

/** Creates the commitment scheme of a domain. Its two base points are computed on first use. */
function committer(domain: string): SinsemillaCommitter {
  let bases: { hash: PallasPoint; randomness: PallasPoint } | undefined
  return {
    commit(randomness, message) {
      bases ??= {
        hash: sinsemillaHashBase(`${domain}-M`),
        randomness: Pallas.fromAffine(groupHash(`${domain}-r`, new Uint8Array()).toAffine()).precompute(),
      }
      return sinsemillaHashToPoint(bases.hash, message).add(bases.randomness.multiplyUnsafe(randomness))
    },
  }
}

const noteCommitter = committer('z.cash:Orchard-NoteCommit')
const ivkCommitter = committer('z.cash:Orchard-CommitIvk')

/**
 * Extract_P of NoteCommit^Orchard (protocol specification §5.4.8.4): the x-coordinate of the note commitment, known as
 * cmx. Inputs are not checked.
 *
 * `rcm` is a scalar. `gd` and `pkd` are 32 bytes each (repr_P), `value` is in zat, `rho` and `psi` are elements of the
 * base field.
 */
export function noteCommitment(
  rcm: bigint,
  note: {
    readonly gd: Uint8Array
    readonly pkd: Uint8Array
    readonly value: bigint
    readonly rho: bigint
    readonly psi: bigint
  },
): bigint {
  const message = concatBits(
    [bytesToNumberLE(note.gd), 256],
    [bytesToNumberLE(note.pkd), 256],
    [note.value, 64],
    [note.rho, 255],
    [note.psi, 255],
  )
  return noteCommitter.commit(rcm, message).toAffine().x
}

/**
 * Commit^ivk (protocol specification §5.4.8.4): the incoming viewing key ivk, 0 to p − 1. The result 0 means that the
 * full viewing key is invalid (§4.2.3). `rivk` is a scalar; `ak` (an x-coordinate) and `nk` are elements of the base
 * field.
 */
export function commitIvk(rivk: bigint, ak: bigint, nk: bigint): bigint {
  return ivkCommitter.commit(rivk, concatBits([ak, 255], [nk, 255])).toAffine().x
}
