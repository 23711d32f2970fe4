import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { prfExpand, toBase, toScalar } from './prf-expand.ts'
import type { ShieldedPool } from './shielded-pool.ts'
import { noteCommitment } from './sinsemilla.ts'

/** The inputs of a note commitment, encoded as in the note plaintext and the address. */
export interface NoteCommitmentInput {
  readonly pool: ShieldedPool
  /** 32 bytes: repr_P(g_d) */
  readonly gd: Uint8Array
  /** 32 bytes: repr_P(pk_d) */
  readonly pkd: Uint8Array
  /** zat, 0 to 2^64 − 1 */
  readonly value: bigint
  /** 32 bytes: a canonical base field element, the nullifier of the action */
  readonly rho: Uint8Array
  /** 32 bytes */
  readonly rseed: Uint8Array
}

/**
 * Derives the ephemeral secret key esk from rseed and ρ (ZIP 212; protocol specification §4.7.3). Both are 32 bytes.
 * The result is a scalar; senders must not use 0.
 */
export function ephemeralSecretKey(rseed: Uint8Array, rho: Uint8Array): bigint {
  return toScalar(prfExpand(rseed, 0x04, rho))
}

/**
 * Computes cmx, the x-coordinate of the note commitment: 32 bytes. The pools differ in the derivation of rcm only:
 * Orchard uses rseed and ρ (protocol specification §4.7.3), Ironwood binds rcm to the note (ZIP 2005, changes to
 * §4.7.3). Inputs are not checked.
 */
export function extractedNoteCommitment(note: NoteCommitmentInput): Uint8Array {
  const { gd, pkd, value, rho, rseed } = note
  const psi = toBase(prfExpand(rseed, 0x09, rho))
  const rcm = note.pool === 'orchard' ? prfExpand(rseed, 0x05, rho) : ironwoodRandomness(note, psi)
  const fields = { gd, pkd, value, rho: bytesToNumberLE(rho), psi }
  return numberToBytesLE(noteCommitment(toScalar(rcm), fields), 32)
}

/** The 64 bytes that give rcm for lead byte 0x03: PRF^expand of pre_rcm (ZIP 2005, changes to §4.7.3). */
function ironwoodRandomness({ gd, pkd, value, rho, rseed }: NoteCommitmentInput, psi: bigint): Uint8Array {
  return prfExpand(rseed, 0x0b, gd, pkd, numberToBytesLE(value, 8), rho, numberToBytesLE(psi, 32))
}
