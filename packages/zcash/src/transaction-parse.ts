import { ByteReader } from './byte-reader.ts'
import { ZcashError } from './errors.ts'
import type {
  ActionBundle,
  LegacyTransactionFields,
  SaplingBundle,
  TransactionFields,
  TransparentBundle,
} from './transaction-fields.ts'

/** The largest transaction, in bytes: the size limit of a block (protocol specification §7.6). */
export const MAX_TRANSACTION_LENGTH = 2_000_000

/**
 * fOverwintered, bit 31 of the header: the transaction has a version group id (ZIP 202) and an expiry height (ZIP 203).
 */
const OVERWINTERED = 0x80000000

/**
 * Parses the version and the version group id (ZIP 202) from the first 8 bytes of a transaction. The version group is
 * not checked.
 * @throws ZcashError `invalid_transaction` if too short or above {@link MAX_TRANSACTION_LENGTH}; `unsupported_version`
 */
export function parseTransactionVersion(bytes: Uint8Array): { version: 4 | 5 | 6; versionGroupId: number } {
  if (bytes.length > MAX_TRANSACTION_LENGTH) throw tooLong()
  const reader = new ByteReader(bytes)
  const header = reader.uint32('header')
  const version = header - OVERWINTERED
  if (version !== 4 && version !== 5 && version !== 6) {
    throw new ZcashError('unsupported_version', 'Only transactions of version 4, 5 and 6 are supported')
  }
  return { version, versionGroupId: reader.uint32('version group id') }
}

function tooLong(): ZcashError {
  return new ZcashError(
    'invalid_transaction',
    `Not a valid transaction: it is longer than ${MAX_TRANSACTION_LENGTH} bytes`,
  )
}

/**
 * Parses a whole version 5 (ZIP 225) or 6 (ZIP 229) transaction. Byte fields are views of `bytes`. Checks the structure
 * only: any version, version group, consensus branch, point, proof, flag and value is accepted.
 * @throws ZcashError `invalid_transaction`
 */
export function parseTransactionFields(bytes: Uint8Array, version: 5 | 6): TransactionFields {
  const reader = new ByteReader(bytes)
  reader.uint32('header')
  const fields = readFields(reader, version)
  reader.expectEnd()
  return fields
}

function readFields(reader: ByteReader, version: 5 | 6): TransactionFields {
  return {
    version,
    versionGroupId: reader.uint32('version group id'),
    branchId: reader.uint32('consensus branch id'),
    lockTime: reader.uint32('lock time'),
    expiryHeight: reader.uint32('expiry height'),
    transparent: readTransparent(reader),
    sapling: readSapling(reader),
    orchard: readActions(reader, 'Orchard'),
    ironwood: version === 6 ? readActions(reader, 'Ironwood') : undefined,
  }
}

/**
 * Parses a whole version 4 transaction (protocol specification §7.1). Byte fields are views of `bytes`. Checks the
 * structure only.
 * @throws ZcashError `invalid_transaction`
 */
export function parseLegacyTransactionFields(bytes: Uint8Array): LegacyTransactionFields {
  const reader = new ByteReader(bytes)
  reader.uint32('header')
  const fields = readLegacyFields(reader)
  reader.expectEnd()
  return fields
}

function readLegacyFields(reader: ByteReader): LegacyTransactionFields {
  reader.uint32('version group id')
  const transparent = readTransparent(reader)
  const lockTime = reader.uint32('lock time')
  const expiryHeight = reader.uint32('expiry height')
  reader.bytes(8, 'Sapling value balance')
  const saplingSpends = skipMany(reader, LEGACY_SPEND_LENGTH, 'Sapling spends')
  const saplingOutputs = skipMany(reader, LEGACY_OUTPUT_LENGTH, 'Sapling outputs')
  skipJoinSplits(reader, JOIN_SPLIT_LENGTH)
  if (saplingSpends + saplingOutputs > 0) reader.bytes(64, 'Sapling binding signature')
  return { version: 4, lockTime, expiryHeight, transparent, saplingSpends, saplingOutputs }
}

/** The version and the encoded length of a transaction. */
export interface TransactionExtent {
  /** 1 to 6 */
  readonly version: number
  /** bytes */
  readonly length: number
}

/**
 * Measures the transaction at the start of `bytes`, of any version from 1 to 6 (protocol specification §7.1, ZIP 225,
 * ZIP 229). Ignores the bytes after it.
 * @throws ZcashError `invalid_transaction`, `unsupported_version`
 */
export function transactionExtent(bytes: Uint8Array): TransactionExtent {
  const reader = new ByteReader(bytes)
  const header = reader.uint32('header')
  const overwintered = header >= OVERWINTERED
  const version = overwintered ? header - OVERWINTERED : header
  if (version < 1 || version > 6 || overwintered !== version > 2) {
    throw new ZcashError('unsupported_version', 'Only transactions of version 1 to 6 are supported')
  }
  if (version < 4) skipOldTransaction(reader, version)
  else if (version === 4) readLegacyFields(reader)
  else readFields(reader, version === 5 ? 5 : 6)
  if (reader.offset > MAX_TRANSACTION_LENGTH) throw tooLong()
  return { version, length: reader.offset }
}

/** Skips from the header to the end of a transaction of version 1, 2 or 3. */
function skipOldTransaction(reader: ByteReader, version: number): void {
  if (version === 3) reader.uint32('version group id')
  readTransparent(reader)
  reader.uint32('lock time')
  if (version === 3) reader.uint32('expiry height')
  if (version > 1) skipJoinSplits(reader, OLD_JOIN_SPLIT_LENGTH)
}

/** Bytes of a version 4 Sapling spend and output description (protocol specification §7.3, §7.4). */
const LEGACY_SPEND_LENGTH = 384
const LEGACY_OUTPUT_LENGTH = 948
/** Bytes of a JoinSplit description with a Groth16 proof, as in version 4 (protocol specification §7.2). */
const JOIN_SPLIT_LENGTH = 1698
/** Bytes of a JoinSplit description with a BCTV14 proof, as in versions 2 and 3 (protocol specification §7.2). */
const OLD_JOIN_SPLIT_LENGTH = 1802

function skipJoinSplits(reader: ByteReader, itemLength: number): void {
  const joinSplits = skipMany(reader, itemLength, 'JoinSplits')
  if (joinSplits > 0) reader.bytes(32 + 64, 'JoinSplit key and signature')
}

function skipMany(reader: ByteReader, itemLength: number, field: string): number {
  const count = reader.count(itemLength, field)
  reader.bytes(count * itemLength, field)
  return count
}

function readTransparent(reader: ByteReader): TransparentBundle {
  const inputs = readMany(reader, 41, 'transparent inputs', () => {
    const outpoint = reader.bytes(36, 'outpoint')
    reader.bytes(reader.compactSize('script length'), 'script')
    return { outpoint, sequence: reader.bytes(4, 'sequence') }
  })
  const outputCount = reader.count(9, 'transparent outputs')
  const start = reader.offset
  for (let i = 0; i < outputCount; i++) {
    reader.bytes(8, 'output value')
    reader.bytes(reader.compactSize('script length'), 'script')
  }
  return { inputs, outputCount, outputs: reader.viewFrom(start) }
}

function readSapling(reader: ByteReader): SaplingBundle | undefined {
  const spends = readMany(reader, 96, 'Sapling spends', () => ({
    cv: reader.bytes(32, 'cv'),
    nullifier: reader.bytes(32, 'nullifier'),
    rk: reader.bytes(32, 'rk'),
  }))
  const outputs = readMany(reader, 756, 'Sapling outputs', () => ({
    cv: reader.bytes(32, 'cv'),
    cmu: reader.bytes(32, 'cmu'),
    ephemeralKey: reader.bytes(32, 'ephemeralKey'),
    encCiphertext: reader.bytes(580, 'encCiphertext'),
    outCiphertext: reader.bytes(80, 'outCiphertext'),
  }))
  if (spends.length + outputs.length === 0) return undefined
  const valueBalance = reader.bytes(8, 'Sapling value balance')
  const anchor = spends.length > 0 ? reader.bytes(32, 'Sapling anchor') : undefined
  reader.bytes((192 + 64) * spends.length + 192 * outputs.length + 64, 'Sapling proofs and signatures')
  return { spends, outputs, valueBalance, anchor }
}

function readActions(reader: ByteReader, pool: string): ActionBundle | undefined {
  const actions = readMany(reader, 820, `${pool} actions`, () => ({
    cvNet: reader.bytes(32, 'cv'),
    nullifier: reader.bytes(32, 'nullifier'),
    rk: reader.bytes(32, 'rk'),
    cmx: reader.bytes(32, 'cmx'),
    ephemeralKey: reader.bytes(32, 'ephemeralKey'),
    encCiphertext: reader.bytes(580, 'encCiphertext'),
    outCiphertext: reader.bytes(80, 'outCiphertext'),
  }))
  if (actions.length === 0) return undefined
  const flags = reader.uint8(`${pool} flags`)
  const valueBalance = reader.bytes(8, `${pool} value balance`)
  const anchor = reader.bytes(32, `${pool} anchor`)
  reader.bytes(reader.compactSize(`${pool} proof length`), `${pool} proof`)
  reader.bytes(64 * actions.length + 64, `${pool} signatures`)
  return { actions, flags, valueBalance, anchor }
}

function readMany<Item>(reader: ByteReader, itemLength: number, field: string, readItem: () => Item): Item[] {
  const count = reader.count(itemLength, field)
  const items: Item[] = []
  for (let i = 0; i < count; i++) items.push(readItem())
  return items
}
