import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { encodeCompactSize, encodeUint32 } from './encode.ts'
import { expectLength, ZcashError } from './errors.ts'
import type { Action } from './note.ts'
import type { TransactionFields, TransparentBundle } from './transaction-fields.ts'
import { parseLegacyTransactionFields, parseTransactionFields, parseTransactionVersion } from './transaction-parse.ts'
import { txidDigest } from './txid.ts'

/** The version group id of each supported transaction version (protocol specification §7.1.2, ZIP 225, ZIP 229). */
export const VERSION_GROUPS = { 4: 0x892f2085, 5: 0x26a7270a, 6: 0xd884b698 } as const

/** The fields of a transaction that a receiver needs. Byte fields are views of the parsed bytes, except for `txid`. */
export interface Transaction {
  readonly version: 4 | 5 | 6
  /** 32 bytes in internal byte order; {@link txidToHex} converts to display order */
  readonly txid: Uint8Array
  /** true for the coinbase transaction of a block, which may pay shielded receivers (ZIP 213) */
  readonly coinbase: boolean
  /** consensus branch id (ZIP 200), not checked; undefined in version 4, which has none */
  readonly branchId: number | undefined
  readonly lockTime: number
  /** the height of the last block that can include it; 0 means that it never expires (ZIP 203) */
  readonly expiryHeight: number
  /** the number of transparent inputs */
  readonly transparentInputs: number
  /** the number of transparent outputs */
  readonly transparentOutputs: number
  /** the number of Sapling spends */
  readonly saplingSpends: number
  /** the number of Sapling outputs */
  readonly saplingOutputs: number
  /** empty in version 4 */
  readonly orchard: readonly Action[]
  /** empty before version 6 */
  readonly ironwood: readonly Action[]
}

/**
 * Parses a transaction of version 4 (protocol specification §7.1), 5 (ZIP 225) or 6 (ZIP 229) and computes its txid:
 * ZIP 244 for version 5, ZIP 229 for version 6, double SHA-256 for version 4. Checks the structure and the version
 * group only, not proofs, signatures or other consensus rules.
 * @throws ZcashError `invalid_transaction`, `unsupported_version`
 */
export function parseTransaction(bytes: Uint8Array): Transaction {
  const { version, versionGroupId } = parseTransactionVersion(bytes)
  if (versionGroupId !== VERSION_GROUPS[version]) {
    throw new ZcashError(
      'unsupported_version',
      `A version ${version} transaction has version group ${hex32(VERSION_GROUPS[version])}, not ${hex32(versionGroupId)}`,
    )
  }
  return version === 4 ? legacyTransaction(bytes) : shieldedTransaction(parseTransactionFields(bytes, version))
}

function shieldedTransaction(fields: TransactionFields): Transaction {
  return {
    version: fields.version,
    txid: txidDigest(fields),
    coinbase: isCoinbase(fields.transparent),
    branchId: fields.branchId,
    lockTime: fields.lockTime,
    expiryHeight: fields.expiryHeight,
    transparentInputs: fields.transparent.inputs.length,
    transparentOutputs: fields.transparent.outputCount,
    saplingSpends: fields.sapling?.spends.length ?? 0,
    saplingOutputs: fields.sapling?.outputs.length ?? 0,
    orchard: fields.orchard?.actions ?? [],
    ironwood: fields.ironwood?.actions ?? [],
  }
}

function legacyTransaction(bytes: Uint8Array): Transaction {
  const fields = parseLegacyTransactionFields(bytes)
  return {
    version: 4,
    txid: sha256(sha256(bytes)),
    coinbase: isCoinbase(fields.transparent),
    branchId: undefined,
    lockTime: fields.lockTime,
    expiryHeight: fields.expiryHeight,
    transparentInputs: fields.transparent.inputs.length,
    transparentOutputs: fields.transparent.outputCount,
    saplingSpends: fields.saplingSpends,
    saplingOutputs: fields.saplingOutputs,
    orchard: [],
    ironwood: [],
  }
}

/** A coinbase transaction has one input with a null outpoint: txid 0, index 2^32 − 1. */
function isCoinbase({ inputs }: TransparentBundle): boolean {
  const [input] = inputs
  return inputs.length === 1 && !!input && input.outpoint.every((byte, i) => byte === (i < 32 ? 0 : 0xff))
}

/** The input of {@link buildTransaction}. */
export interface TransactionPlan {
  readonly version: 5 | 6
  /** consensus branch id (ZIP 200), 0 to 2^32 − 1 */
  readonly branchId: number
  /** block height, 0 to 2^32 − 1; 0 means that the transaction never expires (ZIP 203) */
  readonly expiryHeight: number
  readonly orchard: readonly Action[]
  /** must be empty in version 5 */
  readonly ironwood: readonly Action[]
}

/**
 * Encodes a fully shielded transaction (ZIP 225, ZIP 229). Its proofs, signatures, anchors and value balances are zeros
 * of the correct length, so only a sandbox accepts it; a real network rejects it.
 * @throws ZcashError `wrong_length` for an action, `out_of_range`, `unsupported_version` for Ironwood actions in
 *   version 5
 */
export function buildTransaction({ version, branchId, expiryHeight, orchard, ironwood }: TransactionPlan): Uint8Array {
  if (version === 5 && ironwood.length > 0) {
    throw new ZcashError('unsupported_version', 'Ironwood actions need a version 6 transaction')
  }
  return concatBytes(
    encodeUint32('version', (0x80000000 | version) >>> 0),
    encodeUint32('version group id', VERSION_GROUPS[version]),
    encodeUint32('branchId', branchId),
    encodeUint32('lock time', 0),
    encodeUint32('expiryHeight', expiryHeight),
    new Uint8Array(4), // no transparent inputs, transparent outputs, Sapling spends, Sapling outputs
    encodeBundle(orchard, ORCHARD_FLAGS),
    version === 6 ? encodeBundle(ironwood, IRONWOOD_FLAGS) : new Uint8Array(),
  )
}

/** enableSpends and enableOutputs; in Ironwood also enableCrossAddress (ZIP 229, "Transaction Format"). */
const ORCHARD_FLAGS = 0b011
const IRONWOOD_FLAGS = 0b111

function encodeBundle(actions: readonly Action[], flags: number): Uint8Array {
  if (actions.length === 0) return encodeCompactSize(0)
  const proofLength = 2720 + 2272 * actions.length
  return concatBytes(
    encodeCompactSize(actions.length),
    ...actions.map(encodeAction),
    Uint8Array.of(flags),
    new Uint8Array(8), // value balance
    new Uint8Array(32), // anchor
    encodeCompactSize(proofLength),
    new Uint8Array(proofLength),
    new Uint8Array(64 * actions.length + 64), // signatures
  )
}

/** The fields of an encoded action in order, with their lengths in bytes (protocol specification §7.5, ZIP 225). */
export const ACTION_LAYOUT = [
  ['cvNet', 32],
  ['nullifier', 32],
  ['rk', 32],
  ['cmx', 32],
  ['ephemeralKey', 32],
  ['encCiphertext', 580],
  ['outCiphertext', 80],
] as const

function encodeAction(action: Action): Uint8Array {
  for (const [field, length] of ACTION_LAYOUT) expectLength(field, action[field], length)
  return concatBytes(...ACTION_LAYOUT.map(([field]) => action[field]))
}

/**
 * Formats a txid (32 bytes in internal byte order) for display: bytes reversed, lower-case hexadecimal. Block hashes
 * use the same format.
 * @throws ZcashError `wrong_length`
 */
export function txidToHex(txid: Uint8Array): string {
  expectLength('A txid', txid, 32)
  return bytesToHex(Uint8Array.from(txid).reverse())
}

/**
 * Parses a txid in display format, in either letter case: the inverse of {@link txidToHex}. Returns 32 bytes in
 * internal byte order.
 * @throws ZcashError `invalid_txid` unless the text is 64 hexadecimal digits
 */
export function txidFromHex(hex: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new ZcashError('invalid_txid', 'A txid is 64 hexadecimal digits')
  return hexToBytes(hex).reverse()
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0')
}
