import { normalizeZ } from '@noble/curves/abstract/curve.js'
import { bytesToNumberLE, equalBytes } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { diversifierIndexOf, diversifyHash } from './diversifier.ts'
import { expectLength } from './errors.ts'
import {
  COMPACT_NOTE_LENGTH,
  decodeCompactPlaintext,
  decrypt,
  decryptCompact,
  ENC_CIPHERTEXT_LENGTH,
  noteEncryptionKey,
} from './note-cipher.ts'
import { ephemeralSecretKey, extractedNoteCommitment } from './note-secrets.ts'
import { decodePoint, encodePoint, P, Pallas } from './pallas.ts'
import type { ShieldedPool } from './shielded-pool.ts'
import type { IncomingViewingKey } from './viewing-key.ts'

/** The part of an action that a receiver needs, as in compact blocks (ZIP 307; `CompactOrchardAction`). */
export interface CompactAction {
  /** 32 bytes; also the ρ of the new note */
  readonly nullifier: Uint8Array
  /** 32 bytes: the x-coordinate of the note commitment */
  readonly cmx: Uint8Array
  /** 32 bytes: the encoded point epk */
  readonly ephemeralKey: Uint8Array
  /** the first 52 bytes of the note ciphertext */
  readonly ciphertext: Uint8Array
}

/** A full action without its proof and signature (protocol specification §7.5, ZIP 225, ZIP 229). */
export interface Action {
  /** 32 bytes: the value commitment */
  readonly cvNet: Uint8Array
  /** 32 bytes; also the ρ of the new note */
  readonly nullifier: Uint8Array
  /** 32 bytes: the randomized spend validating key */
  readonly rk: Uint8Array
  /** 32 bytes: the x-coordinate of the note commitment */
  readonly cmx: Uint8Array
  /** 32 bytes: the encoded point epk */
  readonly ephemeralKey: Uint8Array
  /** 580 bytes: the note ciphertext */
  readonly encCiphertext: Uint8Array
  /** 80 bytes: the ciphertext that the sender can decrypt */
  readonly outCiphertext: Uint8Array
}

/** A decrypted and verified note. */
export interface Note {
  readonly pool: ShieldedPool
  /** zat, 0 to 2^64 − 1 */
  readonly value: bigint
  /** 43 bytes: d (11) ‖ pk_d (32) */
  readonly receiver: Uint8Array
  /** 0 to 2^88 − 1: the index of the receiver under the key that decrypted the note */
  readonly diversifierIndex: bigint
  /** 32 bytes */
  readonly rseed: Uint8Array
  /** 32 bytes: the nullifier of the action */
  readonly rho: Uint8Array
}

/** A note that `keys[keyIndex]` decrypted in `actions[actionIndex]`. */
export interface DecryptedAction {
  /** the index of the key in the `keys` argument */
  readonly keyIndex: number
  /** the index of the action in the `actions` argument */
  readonly actionIndex: number
  readonly note: Note
}

/** Reduces an action to its compact form (ZIP 307). Lengths are not checked. */
export function toCompactAction(action: Action): CompactAction {
  const { nullifier, cmx, ephemeralKey, encCiphertext } = action
  return { nullifier, cmx, ephemeralKey, ciphertext: encCiphertext.slice(0, COMPACT_NOTE_LENGTH) }
}

/**
 * Trial decryption of a compact action: returns the note that it pays to an address of `key`. Makes every check of
 * protocol specification §4.20.2 (with ZIP 2005 for Ironwood): the lead byte of the pool, epk = [esk] g_d, and the note
 * commitment. Returns undefined if the note belongs to another key or is invalid.
 * @throws ZcashError `wrong_length` if a field of the action has the wrong length
 */
export function tryDecryptCompactAction(
  key: IncomingViewingKey,
  pool: ShieldedPool,
  action: CompactAction,
): Note | undefined {
  return tryDecryptCompactActions([key], pool, [action])[0]?.note
}

/**
 * Trial decryption of each compact action with each key: the batch form of {@link tryDecryptCompactAction}, with the same
 * checks. The result is sorted by action, then by key.
 * @throws ZcashError `wrong_length` if a field of an action has the wrong length
 */
export function tryDecryptCompactActions(
  keys: readonly IncomingViewingKey[],
  pool: ShieldedPool,
  actions: readonly CompactAction[],
): DecryptedAction[] {
  const decrypted: DecryptedAction[] = []
  for (const [actionIndex, action] of actions.entries()) {
    checkCompactLengths(action)
    for (const [keyIndex, sharedSecret] of sharedSecrets(keys, action.ephemeralKey).entries()) {
      const plaintext = decryptCompact(noteEncryptionKey(sharedSecret, action.ephemeralKey), action.ciphertext)
      const note = verifyPlaintext(keys[keyIndex]!, pool, action, plaintext)
      if (note !== undefined) decrypted.push({ keyIndex, actionIndex, note })
    }
  }
  return decrypted
}

/**
 * Trial decryption of a full action (protocol specification §4.20.2). Makes the checks of {@link tryDecryptCompactAction},
 * also authenticates the ciphertext, and returns the memo (512 bytes, ZIP 302) with the note.
 * @throws ZcashError `wrong_length` if a field of the action has the wrong length
 */
export function tryDecryptAction(
  key: IncomingViewingKey,
  pool: ShieldedPool,
  action: Action,
): { note: Note; memo: Uint8Array } | undefined {
  expectLength('encCiphertext', action.encCiphertext, ENC_CIPHERTEXT_LENGTH)
  const compact = toCompactAction(action)
  checkCompactLengths(compact)
  const [sharedSecret] = sharedSecrets([key], action.ephemeralKey)
  if (sharedSecret === undefined) return undefined
  const plaintext = decrypt(noteEncryptionKey(sharedSecret, action.ephemeralKey), action.encCiphertext)
  const note = plaintext && verifyPlaintext(key, pool, compact, plaintext)
  return note && { note, memo: plaintext.slice(COMPACT_NOTE_LENGTH) }
}

/** @throws ZcashError `wrong_length` if a field has the wrong length */
export function checkCompactLengths({ nullifier, cmx, ephemeralKey, ciphertext }: CompactAction): void {
  expectLength('nullifier', nullifier, 32)
  expectLength('cmx', cmx, 32)
  expectLength('ephemeralKey', ephemeralKey, 32)
  expectLength('ciphertext', ciphertext, COMPACT_NOTE_LENGTH)
}

// The number of keys from which a table of multiples of epk saves more time than its computation takes.
const MIN_KEYS_FOR_TABLE = 16

/** [ivk] epk of each key, encoded; empty if epk is not a valid point. */
export function sharedSecrets(keys: readonly IncomingViewingKey[], ephemeralKey: Uint8Array): Uint8Array[] {
  const epk = decodePoint(ephemeralKey)
  if (epk === undefined) return []
  if (keys.length >= MIN_KEYS_FOR_TABLE) epk.precompute()
  const points = keys.map(key => epk.multiplyUnsafe(key.ivk))
  return normalizeZ(Pallas, points).map(encodePoint)
}

/** Verifies a decrypted plaintext and returns its note, or undefined if a check fails. Uses the first 52 bytes only. */
export function verifyPlaintext(
  key: IncomingViewingKey,
  pool: ShieldedPool,
  action: CompactAction,
  plaintext: Uint8Array,
): Note | undefined {
  const parts = decodeCompactPlaintext(pool, plaintext)
  const rho = action.nullifier
  if (parts === undefined || bytesToNumberLE(rho) >= P) return undefined
  const { d, value, rseed } = parts
  const gd = diversifyHash(d)
  const epk = gd.multiplyUnsafe(ephemeralSecretKey(rseed, rho))
  if (!equalBytes(encodePoint(epk), action.ephemeralKey)) return undefined
  const pkd = encodePoint(gd.multiplyUnsafe(key.ivk))
  const cmx = extractedNoteCommitment({ pool, gd: encodePoint(gd), pkd, value, rho, rseed })
  if (!equalBytes(cmx, action.cmx)) return undefined
  return {
    pool,
    value,
    receiver: concatBytes(d, pkd),
    diversifierIndex: diversifierIndexOf(key.dk, d),
    rseed,
    rho: rho.slice(),
  }
}
