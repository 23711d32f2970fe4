import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes, randomBytes } from '@noble/hashes/utils.js'
import { diversifyHash } from './diversifier.ts'
import { expectLength, ZcashError } from './errors.ts'
import { encodeMemo, MEMO_LENGTH } from './memo.ts'
import type { Action } from './note.ts'
import {
  encodeCompactPlaintext,
  encrypt,
  noteEncryptionKey,
  OUT_CIPHERTEXT_LENGTH,
  outgoingCipherKey,
} from './note-cipher.ts'
import { ephemeralSecretKey, extractedNoteCommitment } from './note-secrets.ts'
import { decodePoint, encodePoint, P, Pallas } from './pallas.ts'
import { toScalar } from './prf-expand.ts'
import type { ShieldedPool } from './shielded-pool.ts'

/** The inputs of an action that pays a new note. */
export interface NewNote {
  readonly pool: ShieldedPool
  /** 43 bytes: d (11) ‖ pk_d (32) */
  readonly receiver: Uint8Array
  /** zat, 0 to 2^64 − 1 */
  readonly value: bigint
  /** 512 bytes (ZIP 302); default: the "no memo" encoding */
  readonly memo?: Uint8Array
  /** 32 bytes: a canonical base field element, the nullifier of the action */
  readonly rho: Uint8Array
  /** 32 random bytes */
  readonly rseed: Uint8Array
  /** 32 bytes: the outgoing viewing key; default: a random outCiphertext that no key decrypts */
  readonly ovk?: Uint8Array
  /** 32 bytes: the value commitment; default: a random point, which makes no difference to a receiver */
  readonly cvNet?: Uint8Array
  /** 32 bytes: the randomized spend validating key; default: a random point, which makes no difference to a receiver */
  readonly rk?: Uint8Array
}

/**
 * Creates the action that pays a new note: commits to the note and encrypts it (protocol specification §4.7.3, §4.20.1;
 * ZIP 2005 for Ironwood). The action has no proof and no signature. Not constant-time.
 * @throws ZcashError `wrong_length`, `out_of_range`, `invalid_point` or `invalid_scalar`; the message names the field
 */
export function createAction(note: NewNote): Action {
  const { pool, receiver, value, rho, rseed, memo = encodeMemo('') } = note
  checkLengths(note, memo)
  const d = receiver.subarray(0, 11)
  const pkd = receiver.subarray(11)
  const receiverPoint = decodePoint(pkd)
  if (receiverPoint === undefined) throw new ZcashError('invalid_point', 'the receiver contains an invalid pk_d')
  const gd = diversifyHash(d)
  const esk = ephemeralSecretKey(rseed, rho)
  if (esk === 0n)
    throw new ZcashError('invalid_scalar', 'rseed and rho give a zero ephemeral secret key; use another rseed')

  const ephemeralKey = encodePoint(gd.multiplyUnsafe(esk))
  const symmetricKey = noteEncryptionKey(encodePoint(receiverPoint.multiplyUnsafe(esk)), ephemeralKey)
  const plaintext = concatBytes(encodeCompactPlaintext(pool, { d, value, rseed }), memo)
  const cmx = extractedNoteCommitment({ pool, gd: encodePoint(gd), pkd, value, rho, rseed })
  const cvNet = note.cvNet ?? randomPoint()
  const outCiphertext =
    note.ovk === undefined
      ? randomBytes(OUT_CIPHERTEXT_LENGTH)
      : encrypt(outgoingCipherKey(note.ovk, cvNet, cmx, ephemeralKey), concatBytes(pkd, numberToBytesLE(esk, 32)))
  return {
    cvNet,
    nullifier: rho,
    rk: note.rk ?? randomPoint(),
    cmx,
    ephemeralKey,
    encCiphertext: encrypt(symmetricKey, plaintext),
    outCiphertext,
  }
}

function checkLengths({ receiver, value, rho, rseed, ovk, cvNet, rk }: NewNote, memo: Uint8Array): void {
  expectLength('receiver', receiver, 43)
  expectLength('rho', rho, 32)
  expectLength('rseed', rseed, 32)
  expectLength('memo', memo, MEMO_LENGTH)
  if (ovk !== undefined) expectLength('ovk', ovk, 32)
  if (cvNet !== undefined) expectLength('cvNet', cvNet, 32)
  if (rk !== undefined) expectLength('rk', rk, 32)
  if (typeof value !== 'bigint' || value < 0n || value >= 2n ** 64n) {
    throw new ZcashError('out_of_range', 'value must be 0 to 2^64 − 1 zat')
  }
  if (bytesToNumberLE(rho) >= P) throw new ZcashError('invalid_scalar', 'rho must be a canonical field element')
}

function randomPoint(): Uint8Array {
  return encodePoint(Pallas.BASE.multiplyUnsafe(toScalar(randomBytes(64))))
}
