/** From the messages of the light-client protocol to what the domain knows, refusing what cannot be right. */
import type {
  CompactBlock,
  CompactOrchardAction,
  CompactTx,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { countOutputs } from '@zatgate/zcash/scan'
import type { Block, CompactAction, CompactTransaction } from '../../domain/chain.ts'

/** A server's answer is no answer to what was asked: the server is at fault, and trying again would not help. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

const HASH_BYTES = 32
const COMPACT_CIPHERTEXT_BYTES = 52
const MAX_HEIGHT = 2n ** 32n - 1n

/** @throws BadAnswer */
export function decodeBlock(block: CompactBlock): Block {
  const { chainMetadata } = block
  if (!chainMetadata) throw new BadAnswer('a block without the sizes of the note commitment trees')
  return {
    height: decodeHeight(block.height),
    hash: displayHex('block hash', block.hash),
    prevHash: displayHex('previous block hash', block.prevHash),
    time: block.time,
    trees: {
      sapling: chainMetadata.saplingCommitmentTreeSize,
      orchard: chainMetadata.orchardCommitmentTreeSize,
      ironwood: chainMetadata.ironwoodCommitmentTreeSize,
    },
    outputs: countOutputs(block),
    transactions: block.vtx.map(decodeTransaction),
  }
}

/** @throws BadAnswer */
export function decodeHeight(height: bigint): number {
  if (height > MAX_HEIGHT) throw new BadAnswer('a block height beyond all heights')
  return Number(height)
}

/** @throws BadAnswer */
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
  // Copies: a view would keep the whole message that it looks into.
  return {
    nullifier: nullifier.slice(),
    cmx: cmx.slice(),
    ephemeralKey: ephemeralKey.slice(),
    ciphertext: ciphertext.slice(),
  }
}

/** The wire has hashes in internal (little-endian) byte order. */
function displayHex(what: string, bytes: Uint8Array): string {
  expectLength(what, bytes, HASH_BYTES)
  return Buffer.from(bytes).reverse().toString('hex')
}

function expectLength(what: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new BadAnswer(`a ${what} of ${bytes.length} bytes instead of ${length}`)
}
