import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import type { Action } from './note.ts'
import {
  readLegacyTransaction,
  readTransaction,
  type TransactionFields,
  type TransparentBundle,
  transactionVersion,
} from './transaction-parse.ts'
import { transactionDigest } from './txid.ts'

/** Version groups of the versions understood (protocol specification §7.1.2, ZIP 229). */
export const VERSION_GROUPS = { 4: 0x892f2085, 5: 0x26a7270a, 6: 0xd884b698 } as const

/** What a receiver reads in a transaction. Byte fields are views of the bytes it was parsed from, `txid` apart. */
export interface Transaction {
  readonly version: 4 | 5 | 6
  /** 32 bytes, internal order; `txidToHex` gives the order people use */
  readonly txid: Uint8Array
  /** makes new coins (ZIP 213); a note in it is a payment like any other */
  readonly coinbase: boolean
  /** undefined in version 4, which does not say; not checked against the known branches */
  readonly branchId: number | undefined
  readonly lockTime: number
  /** the last block that may hold it; 0: it never expires (ZIP 203) */
  readonly expiryHeight: number
  readonly transparentInputs: number
  readonly transparentOutputs: number
  readonly saplingSpends: number
  readonly saplingOutputs: number
  /** empty in version 4 */
  readonly orchard: readonly Action[]
  /** empty before version 6 */
  readonly ironwood: readonly Action[]
}

/**
 * Parses a transaction of version 4, 5 (ZIP 225) or 6 (ZIP 229) and computes its txid (ZIP 244, ZIP 229; double SHA-256
 * for version 4). Reads structure alone: proofs, signatures and consensus rules are the network's to check.
 * @throws ZcashError `invalid_transaction`, `unsupported_version`
 */
export function parseTransaction(bytes: Uint8Array): Transaction {
  const { version, versionGroupId } = transactionVersion(bytes)
  if (versionGroupId !== VERSION_GROUPS[version]) {
    throw new ZcashError(
      'unsupported_version',
      `A version ${version} transaction has version group ${hex32(VERSION_GROUPS[version])}, not ${hex32(versionGroupId)}`,
    )
  }
  return version === 4 ? legacyTransaction(bytes) : shieldedTransaction(readTransaction(bytes, version))
}

function shieldedTransaction(fields: TransactionFields): Transaction {
  return {
    version: fields.version,
    txid: transactionDigest(fields),
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
  const fields = readLegacyTransaction(bytes)
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

/** A coinbase transaction has one input, which spends nothing: txid zero, index 2^32 − 1. */
function isCoinbase({ inputs }: TransparentBundle): boolean {
  const [input] = inputs
  return inputs.length === 1 && !!input && input.outpoint.every((byte, i) => byte === (i < 32 ? 0 : 0xff))
}

/** What `buildTransaction` encodes. */
export interface TransactionPlan {
  readonly version: 5 | 6
  readonly branchId: number
  /** 0: never expires */
  readonly expiryHeight: number
  readonly orchard: readonly Action[]
  /** version 6 only */
  readonly ironwood: readonly Action[]
}

/**
 * Encodes a fully shielded transaction (ZIP 225, ZIP 229) whose proofs, signatures, anchors and value balances are
 * zeros of the right size: good for a sandbox, never for a network.
 * @throws ZcashError `wrong_length`, `out_of_range`, `unsupported_version`
 */
export function buildTransaction({ version, branchId, expiryHeight, orchard, ironwood }: TransactionPlan): Uint8Array {
  if (version === 5 && ironwood.length > 0) {
    throw new ZcashError('unsupported_version', 'Ironwood actions need a version 6 transaction')
  }
  return concatBytes(
    uint32('version', (0x80000000 | version) >>> 0),
    uint32('version group id', VERSION_GROUPS[version]),
    uint32('branchId', branchId),
    uint32('lock time', 0),
    uint32('expiryHeight', expiryHeight),
    new Uint8Array(4), // no transparent inputs, transparent outputs, Sapling spends, Sapling outputs
    encodeBundle(orchard, ORCHARD_FLAGS),
    version === 6 ? encodeBundle(ironwood, IRONWOOD_FLAGS) : new Uint8Array(),
  )
}

/** enableSpends and enableOutputs; in Ironwood also enableCrossAddress (ZIP 229). */
const ORCHARD_FLAGS = 0b011
const IRONWOOD_FLAGS = 0b111

function encodeBundle(actions: readonly Action[], flags: number): Uint8Array {
  if (actions.length === 0) return compactSize(0)
  const proofLength = 2720 + 2272 * actions.length
  return concatBytes(
    compactSize(actions.length),
    ...actions.map(encodeAction),
    Uint8Array.of(flags),
    new Uint8Array(8), // value balance
    new Uint8Array(32), // anchor
    compactSize(proofLength),
    new Uint8Array(proofLength),
    new Uint8Array(64 * actions.length + 64), // signatures
  )
}

/** Fields of an action, in the order of its bytes, and their lengths (ZIP 225). */
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

function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >>> 8)
  return concatBytes(Uint8Array.of(0xfe), uint32('count', value))
}

function uint32(field: string, value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new ZcashError('out_of_range', `${field} must be a whole number from 0 to 4294967295`)
  }
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** The order people and explorers use: bytes reversed, lower-case hexadecimal. @throws ZcashError `wrong_length` */
export function txidToHex(txid: Uint8Array): string {
  expectLength('A txid', txid, 32)
  return bytesToHex(txid.toReversed())
}

/** The inverse of `txidToHex`; either letter case. @throws ZcashError `invalid_txid` */
export function txidFromHex(hex: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new ZcashError('invalid_txid', 'A txid is 64 hexadecimal digits')
  return hexToBytes(hex).reverse()
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0')
}
