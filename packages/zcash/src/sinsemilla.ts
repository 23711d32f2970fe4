import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { groupHash, Pallas, type PallasPoint } from './pallas.ts'

const CHUNK_BITS = 10
const CHUNK_MASK = (1n << 10n) - 1n

/** A bit string: bit i of `value` is the i-th bit. */
export interface Bits {
  readonly value: bigint
  readonly length: number
}

/** One bit string out of [value, length] parts, the first part first. */
export function joinBits(...parts: readonly (readonly [value: bigint, length: number])[]): Bits {
  let value = 0n
  let length = 0
  for (const [part, partLength] of parts) {
    value |= part << BigInt(length)
    length += partLength
  }
  return { value, length }
}

// S(j), made on first use: a hash to the curve each, and a message needs a tenth of the 1024.
const generators: PallasPoint[] = []

function generator(index: number): PallasPoint {
  generators[index] ??= groupHash('z.cash:SinsemillaS', numberToBytesLE(index, 4))
  return generators[index]
}

/** Q(D) */
export function hashBase(domain: string): PallasPoint {
  return groupHash('z.cash:SinsemillaQ', utf8ToBytes(domain))
}

/**
 * SinsemillaHashToPoint (protocol specification §5.4.1.9) from the point Q(D). Its incomplete addition is replaced
 * by the complete one: they differ only where a message yields a discrete logarithm (Theorem 5.4.4).
 */
export function hashToPoint(base: PallasPoint, message: Bits): PallasPoint {
  let point = base
  for (let offset = 0; offset < message.length; offset += CHUNK_BITS) {
    const chunk = Number((message.value >> BigInt(offset)) & CHUNK_MASK)
    point = point.add(generator(chunk)).add(point)
  }
  return point
}

export interface Committer {
  /** SinsemillaCommit (§5.4.8.4): `randomness` is a scalar */
  commit(randomness: bigint, message: Bits): PallasPoint
}

/** The commitment scheme of a domain; its two bases are made on first use. */
function committer(domain: string): Committer {
  let bases: { hash: PallasPoint; randomness: PallasPoint } | undefined
  return {
    commit(randomness, message) {
      bases ??= {
        hash: hashBase(`${domain}-M`),
        randomness: Pallas.fromAffine(groupHash(`${domain}-r`, new Uint8Array()).toAffine()).precompute(),
      }
      return hashToPoint(bases.hash, message).add(bases.randomness.multiplyUnsafe(randomness))
    },
  }
}

const noteCommitter = committer('z.cash:Orchard-NoteCommit')
const ivkCommitter = committer('z.cash:Orchard-CommitIvk')

/**
 * Extract_P of NoteCommit^Orchard (§5.4.8.4), the cmx of a note: encoded g_d and pk_d, value in zat, field elements
 * ρ and ψ, scalar rcm.
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
  const message = joinBits(
    [bytesToNumberLE(note.gd), 256],
    [bytesToNumberLE(note.pkd), 256],
    [note.value, 64],
    [note.rho, 255],
    [note.psi, 255],
  )
  return noteCommitter.commit(rcm, message).toAffine().x
}

/** Commit^ivk (§5.4.8.4) of the field elements ak (an x-coordinate) and nk: the incoming viewing key, 0 if invalid. */
export function commitIvk(rivk: bigint, ak: bigint, nk: bigint): bigint {
  return ivkCommitter.commit(rivk, joinBits([ak, 255], [nk, 255])).toAffine().x
}
