import { sha256 } from '@noble/hashes/sha2.js'
import { ByteReader } from './byte-reader.ts'
import { ZcashError } from './errors.ts'
import { parseTransaction, type Transaction } from './transaction.ts'
import { transactionExtent } from './transaction-parse.ts'

/** The largest block, in bytes (protocol specification §7.6). */
export const MAX_BLOCK_LENGTH = 2_000_000

/** Lengths of an Equihash solution in bytes: mainnet and testnet (n = 200, k = 9), regtest (n = 48, k = 5). */
const SOLUTION_LENGTHS = [1344, 36]
/** Bytes of a version 1 transaction without inputs and outputs. */
const MIN_TRANSACTION_LENGTH = 10

/** A parsed block. Byte fields are views of the parsed bytes, except for the computed `hash` and `txid`. */
export interface Block {
  /** 32 bytes in internal byte order: double SHA-256 of the header; `txidToHex` converts to display order */
  readonly hash: Uint8Array
  /** 32 bytes in internal byte order; zeros in the genesis block */
  readonly prevHash: Uint8Array
  /** 32 bytes in internal byte order; not checked against the transactions */
  readonly merkleRoot: Uint8Array
  /** Unix seconds, as set by the miner */
  readonly time: number
  /** at least one; the first is the coinbase transaction */
  readonly transactions: readonly BlockTransaction[]
}

/** A transaction of a parsed block. */
export interface BlockTransaction {
  /** 32 bytes in internal byte order */
  readonly txid: Uint8Array
  /** the transaction as encoded */
  readonly raw: Uint8Array
  /** undefined for versions 1 to 3, which cannot pay an Orchard receiver */
  readonly parsed: Transaction | undefined
}

/**
 * Parses a raw block: header (protocol specification §7.6) and transactions of versions 1 to 6. Checks the structure
 * only, not the proof of work, the Merkle root, proofs, signatures or other consensus rules.
 * @throws ZcashError `invalid_block`; `invalid_transaction` or `unsupported_version` with the index of the transaction
 */
export function parseBlock(bytes: Uint8Array): Block {
  const reader = new ByteReader(bytes, 'block')
  if (bytes.length > MAX_BLOCK_LENGTH) throw reader.invalidError(`it is longer than ${MAX_BLOCK_LENGTH} bytes`)
  reader.bytes(4, 'version')
  const prevHash = reader.bytes(32, 'previous block hash')
  const merkleRoot = reader.bytes(32, 'Merkle root')
  reader.bytes(32, 'block commitments')
  const time = reader.uint32('time')
  reader.bytes(4 + 32, 'difficulty and nonce')
  const solutionLength = reader.compactSize('Equihash solution length')
  if (!SOLUTION_LENGTHS.includes(solutionLength)) {
    throw reader.invalidError(
      `its Equihash solution has ${solutionLength} bytes instead of ${SOLUTION_LENGTHS.join(' or ')}`,
    )
  }
  reader.bytes(solutionLength, 'Equihash solution')
  const hash = doubleSha256(reader.viewFrom(0))
  const transactions = parseTransactions(reader, bytes)
  reader.expectEnd()
  return { hash, prevHash, merkleRoot, time, transactions }
}

function parseTransactions(reader: ByteReader, bytes: Uint8Array): BlockTransaction[] {
  const count = reader.count(MIN_TRANSACTION_LENGTH, 'transaction count')
  if (count === 0) throw reader.invalidError('it has no coinbase transaction')
  const transactions: BlockTransaction[] = []
  for (let i = 0; i < count; i++) {
    const rest = bytes.subarray(reader.offset)
    const { version, length } = withTransactionIndex(i, () => transactionExtent(rest))
    const raw = reader.bytes(length, `transaction ${i}`)
    const parsed = version < 4 ? undefined : withTransactionIndex(i, () => parseTransaction(raw))
    transactions.push({ txid: parsed?.txid ?? doubleSha256(raw), raw, parsed })
  }
  return transactions
}

/** Runs `work` and adds the index of the transaction to its errors. */
function withTransactionIndex<T>(index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ZcashError) {
      throw new ZcashError(error.code, `Transaction ${index} of the block: ${error.message}`)
    }
    throw error
  }
}

function doubleSha256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}
