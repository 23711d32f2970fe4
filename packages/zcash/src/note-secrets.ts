import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import type { Pool } from './note.ts'
import { expand, toBase, toScalar } from './prf-expand.ts'
import { noteCommitment } from './sinsemilla.ts'

/** What fixes a note, encoded as in the note plaintext and the address. */
export interface NoteOpening {
  readonly pool: Pool
  /** 32 bytes, repr_P(g_d) */
  readonly gd: Uint8Array
  /** 32 bytes, repr_P(pk_d) */
  readonly pkd: Uint8Array
  /** zat */
  readonly value: bigint
  /** 32 bytes, a canonical field element */
  readonly rho: Uint8Array
  /** 32 bytes */
  readonly rseed: Uint8Array
}

/** The ephemeral secret that rseed and ρ fix (ZIP 212; protocol specification §4.7.3). */
export function ephemeralSecret(rseed: Uint8Array, rho: Uint8Array): bigint {
  return toScalar(expand(rseed, 0x04, rho))
}

/** The x-coordinate of the note commitment, 32 bytes. Only rcm differs between the pools. */
export function extractedCommitment(note: NoteOpening): Uint8Array {
  const { gd, pkd, value, rho, rseed } = note
  const psi = toBase(expand(rseed, 0x09, rho))
  const rcm = note.pool === 'orchard' ? expand(rseed, 0x05, rho) : ironwoodRandomness(note, psi)
  const opening = { gd, pkd, value, rho: bytesToNumberLE(rho), psi }
  return numberToBytesLE(noteCommitment(toScalar(rcm), opening), 32)
}

function ironwoodRandomness({ gd, pkd, value, rho, rseed }: NoteOpening, psi: bigint): Uint8Array {
  return expand(rseed, 0x0b, gd, pkd, numberToBytesLE(value, 8), rho, numberToBytesLE(psi, 32))
}
