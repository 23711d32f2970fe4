import { normalizeZ } from '@noble/curves/abstract/curve.js'
import { bytesToNumberLE, equalBytes } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { diversifyHash, indexOfDiversifier } from './diversifier.ts'
import { expectLength } from './errors.ts'
import {
  COMPACT_LENGTH,
  decodeCompactPlaintext,
  decrypt,
  decryptCompact,
  ENC_CIPHERTEXT_LENGTH,
  noteKey,
} from './note-cipher.ts'
import { ephemeralSecret, extractedCommitment } from './note-secrets.ts'
import { decodePoint, encodePoint, P, Pallas } from './pallas.ts'
import type { IncomingViewingKey } from './viewing-key.ts'

/** Which shielded pool a note lies in. Both share keys, addresses and the shape of actions. */
export type Pool = 'orchard' | 'ironwood'

/** The receiver's view of an action, as compact blocks carry it (lightwallet-protocol `CompactOrchardAction`). */
export interface CompactAction {
  /** 32 bytes; also the ρ of the note the action makes */
  readonly nullifier: Uint8Array
  /** 32 bytes, the x-coordinate of the note commitment */
  readonly cmx: Uint8Array
  /** 32 bytes, the encoded point epk */
  readonly ephemeralKey: Uint8Array
  /** the first 52 bytes of the note ciphertext */
  readonly ciphertext: Uint8Array
}

/** An action of a whole transaction (ZIP 225, ZIP 229), without proof and signature. */
export interface Action {
  readonly cvNet: Uint8Array
  readonly nullifier: Uint8Array
  readonly rk: Uint8Array
  readonly cmx: Uint8Array
  readonly ephemeralKey: Uint8Array
  /** 580 bytes */
  readonly encCiphertext: Uint8Array
  /** 80 bytes */
  readonly outCiphertext: Uint8Array
}

export interface Note {
  readonly pool: Pool
  /** zat */
  readonly value: bigint
  /** 43 bytes: d (11) ‖ pk_d (32) */
  readonly receiver: Uint8Array
  /** 0 to 2^88 − 1 */
  readonly diversifierIndex: bigint
  /** 32 bytes */
  readonly rseed: Uint8Array
  /** 32 bytes */
  readonly rho: Uint8Array
}

/** A note of `keys[keyIndex]` in `actions[actionIndex]`. */
export interface OpenedAction {
  readonly keyIndex: number
  readonly actionIndex: number
  readonly note: Note
}

/** What a compact block keeps of an action (ZIP 307). */
export function toCompactAction(action: Action): CompactAction {
  const { nullifier, cmx, ephemeralKey, encCiphertext } = action
  return { nullifier, cmx, ephemeralKey, ciphertext: encCiphertext.slice(0, COMPACT_LENGTH) }
}

/**
 * The note that `action` pays to an address of `key`, with every check of protocol specification §4.20.2: the pool's
 * lead byte, epk = [esk] g_d and the note commitment. undefined: not ours, or not a valid note. Throws
 * `wrong_length` when a field has not its size.
 */
export function openCompactAction(key: IncomingViewingKey, pool: Pool, action: CompactAction): Note | undefined {
  return openCompactActions([key], pool, [action])[0]?.note
}

/** Every note of any of `keys` in `actions`, action by action; as {@link openCompactAction} opens each pair. */
export function openCompactActions(
  keys: readonly IncomingViewingKey[],
  pool: Pool,
  actions: readonly CompactAction[],
): OpenedAction[] {
  const opened: OpenedAction[] = []
  for (const [actionIndex, action] of actions.entries()) {
    checkCompactLengths(action)
    for (const [keyIndex, shared] of sharedPoints(keys, action.ephemeralKey).entries()) {
      const plaintext = decryptCompact(noteKey(shared, action.ephemeralKey), action.ciphertext)
      const note = readNote(keys[keyIndex]!, pool, action, plaintext)
      if (note !== undefined) opened.push({ keyIndex, actionIndex, note })
    }
  }
  return opened
}

/**
 * As {@link openCompactAction}, for a whole action: the ciphertext must be authentic too, and the memo comes along
 * (512 bytes, ZIP 302).
 */
export function openAction(
  key: IncomingViewingKey,
  pool: Pool,
  action: Action,
): { note: Note; memo: Uint8Array } | undefined {
  expectLength('encCiphertext', action.encCiphertext, ENC_CIPHERTEXT_LENGTH)
  const compact = toCompactAction(action)
  checkCompactLengths(compact)
  const [shared] = sharedPoints([key], action.ephemeralKey)
  if (shared === undefined) return undefined
  const plaintext = decrypt(noteKey(shared, action.ephemeralKey), action.encCiphertext)
  const note = plaintext && readNote(key, pool, compact, plaintext)
  return note && { note, memo: plaintext.slice(COMPACT_LENGTH) }
}

function checkCompactLengths({ nullifier, cmx, ephemeralKey, ciphertext }: CompactAction): void {
  expectLength('nullifier', nullifier, 32)
  expectLength('cmx', cmx, 32)
  expectLength('ephemeralKey', ephemeralKey, 32)
  expectLength('ciphertext', ciphertext, COMPACT_LENGTH)
}

// From this many keys on, a table of multiples of epk costs less than it saves.
const TABLE_FROM_KEYS = 16

/** [ivk] epk for every key, encoded; none when epk is no point. */
function sharedPoints(keys: readonly IncomingViewingKey[], ephemeralKey: Uint8Array): Uint8Array[] {
  const epk = decodePoint(ephemeralKey)
  if (epk === undefined) return []
  if (keys.length >= TABLE_FROM_KEYS) epk.precompute()
  const points = keys.map(key => epk.multiplyUnsafe(key.ivk))
  return normalizeZ(Pallas, points).map(encodePoint)
}

/** The note a plaintext tells of, if all of it holds; only the first 52 bytes are looked at. */
function readNote(key: IncomingViewingKey, pool: Pool, action: CompactAction, plaintext: Uint8Array): Note | undefined {
  const parts = decodeCompactPlaintext(pool, plaintext)
  const rho = action.nullifier
  if (parts === undefined || bytesToNumberLE(rho) >= P) return undefined
  const { d, value, rseed } = parts
  const gd = diversifyHash(d)
  const epk = gd.multiplyUnsafe(ephemeralSecret(rseed, rho))
  if (!equalBytes(encodePoint(epk), action.ephemeralKey)) return undefined
  const pkd = encodePoint(gd.multiplyUnsafe(key.ivk))
  const cmx = extractedCommitment({ pool, gd: encodePoint(gd), pkd, value, rho, rseed })
  if (!equalBytes(cmx, action.cmx)) return undefined
  return {
    pool,
    value,
    receiver: concatBytes(d, pkd),
    diversifierIndex: indexOfDiversifier(key.dk, d),
    rseed,
    rho: rho.slice(),
  }
}
