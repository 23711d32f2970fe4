/** Converts messages of the light-client protocol to domain types and rejects invalid ones. */
import type {
  CompactBlock,
  CompactOrchardAction,
  CompactTx,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { countOutputs } from '@zatgate/zcash/scan'
import type { Block, CompactAction, CompactTransaction } from '../../domain/chain.ts'

/** The server's response is invalid. A retry of the same call would not help. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}

const HASH_BYTES = 32
const COMPACT_CIPHERTEXT_BYTES = 52
const MAX_HEIGHT = 2n ** 32n - 1n

/** @throws InvalidResponse */
export function decodeBlock(block: CompactBlock): Block {
  const { chainMetadata } = block
  if (!chainMetadata) throw new InvalidResponse('block without note commitment tree sizes')
  return {
    height: decodeHeight(block.height),
    hash: displayHex('block hash', block.hash),
    prevHash: displayHex('previous block hash', block.prevHash),
    time: block.time,
    treeSizes: {
      sapling: chainMetadata.saplingCommitmentTreeSize,
      orchard: chainMetadata.orchardCommitmentTreeSize,
      ironwood: chainMetadata.ironwoodCommitmentTreeSize,
    },
    outputCounts: countOutputs(block),
    transactions: block.vtx.map(decodeTransaction),
  }
}

/** @throws InvalidResponse */
export function decodeHeight(height: bigint): number {
  if (height > MAX_HEIGHT) throw new InvalidResponse('block height out of range')
  return Number(height)
}

/** @throws InvalidResponse */
export function decodeTransaction(transaction: CompactTx): CompactTransaction {
  return {
    txid: displayHex('txid', transaction.txid),
    orchard: transaction.actions.map(decodeAction),
    ironwood: transaction.ironwoodActions.map(decodeAction),
  }
}

function decodeAction({ nullifier, cmx, ephemeralKey, ciphertext }: CompactOrchardAction): CompactAction {
  expectLength('nullifier', nullifier, HASH_BYTES)
  expectLength('cmx', cmx, HASH_BYTES)
  expectLength('ephemeral key', ephemeralKey, HASH_BYTES)
  expectLength('ciphertext', ciphertext, COMPACT_CIPHERTEXT_BYTES)
  // Copies, because a view would keep its whole message in memory.
  return {
    nullifier: nullifier.slice(),
    cmx: cmx.slice(),
    ephemeralKey: ephemeralKey.slice(),
    ciphertext: ciphertext.slice(),
  }
}

/** The protocol sends hashes in internal (little-endian) byte order. */
function displayHex(field: string, bytes: Uint8Array): string {
  expectLength(field, bytes, HASH_BYTES)
  return Buffer.from(bytes).reverse().toString('hex')
}

function expectLength(field: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new InvalidResponse(`${field} has ${bytes.length} bytes, expected ${length}`)
}
