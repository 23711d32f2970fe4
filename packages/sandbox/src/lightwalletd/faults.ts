import type { CompactBlock, CompactTx } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { NodeMethod } from './node.ts'

/** What the light-wallet server does wrong. A number counts down where it says "the next"; the rest stays until changed. */
export interface LightwalletdFaults {
  /** nothing listens, open connections are cut */
  down: boolean
  /** calls are taken and never answered */
  hang: boolean
  /** the next so many calls end with UNAVAILABLE, ABORTED, INTERNAL */
  unavailable: number
  aborted: number
  internal: number
  /** the server's cache is being repaired: every call about blocks ends with ABORTED */
  repairing: boolean
  /** every stream is reset after so many messages, and what is still under way is lost; null: none is */
  cutStreamAfter: number | null
  /** the last action of each block is left out, the tree sizes stay */
  omitAction: boolean
  /** an old server: no Ironwood actions, and the tree of that pool is empty */
  hideIronwood: boolean
  /** how many blocks it is behind */
  lagBlocks: number
  /** another chain's name in GetLightdInfo; null: the true one */
  chainName: string | null
  /** GetLatestBlock gives the hash in display order */
  reverseLatestHash: boolean
  /** `bytes`: no protobuf in the answers; `fields`: protobuf with hashes and ciphertexts of wrong lengths */
  garbage: 'none' | 'bytes' | 'fields'
  /** GetMempoolStream ends at once and empty */
  endMempoolAtOnce: boolean
  /** GetTransaction knows nothing */
  forgetTransactions: boolean
  /** the server keeps serving the tip, the blocks and the mempool that it had when this was set */
  frozen: boolean
  /** the server's mempool shows no transaction, or none of these txids (display order) */
  hideMempool: boolean | readonly string[]
  /**
   * milliseconds for which the server does not ask its node for the mempool again; 0: it always asks. No fault in itself:
   * lightwalletd's is 2,000
   */
  mempoolCacheMs: number
  /**
   * milliseconds between two questions to the node for its best block; until the next one the server gives the blocks that
   * a reorganisation replaced. 0: it always asks. No fault in itself: lightwalletd's is 2,000
   */
  blockCacheMs: number
  /**
   * the node refuses connections. Calls that need it fail after 22.5 s, and as lightwalletd does, the server then ends its
   * process: the port is closed and all connections are cut. It starts again, with empty caches, when the node is back
   */
  nodeDown: boolean
  /**
   * methods of the node that answer with an error. With `getbestblockhash` among them the server ends its process within
   * `blockCacheMs`, and starts again when it is no longer among them
   */
  nodeFails: readonly NodeMethod[]
  /** every GetMempoolTx and GetMempoolStream ends with INTERNAL, as on a server that cannot read a transaction */
  mempoolFails: boolean
  /**
   * the last block that the server understands: it has none above it, and its mempool shows only transactions of that
   * block's branch; null: it understands all
   */
  stopsAtHeight: number | null
  /** another consensusBranchId in GetLightdInfo, 8 hexadecimal digits; null: the true one */
  branchId: string | null
  /** another estimatedHeight in GetLightdInfo; null: the true one */
  estimatedHeight: number | null
  /** no fault in itself: lightwalletd up to 0.5.3 leaves it empty */
  protocolVersion: string
}

export const NO_FAULTS: Readonly<LightwalletdFaults> = {
  down: false,
  hang: false,
  unavailable: 0,
  aborted: 0,
  internal: 0,
  repairing: false,
  cutStreamAfter: null,
  omitAction: false,
  hideIronwood: false,
  lagBlocks: 0,
  chainName: null,
  reverseLatestHash: false,
  garbage: 'none',
  endMempoolAtOnce: false,
  forgetTransactions: false,
  frozen: false,
  hideMempool: false,
  mempoolCacheMs: 2000,
  blockCacheMs: 2000,
  nodeDown: false,
  nodeFails: [],
  mempoolFails: false,
  stopsAtHeight: null,
  branchId: null,
  estimatedHeight: null,
  protocolVersion: 'v0.5.0',
}

/** The block as the faulty server sends it. Changes the message it is given. */
export function distortBlock(block: CompactBlock, faults: LightwalletdFaults): CompactBlock {
  if (faults.omitAction) omitLastAction(block)
  if (faults.hideIronwood) {
    block.vtx = block.vtx.flatMap(transaction => distortTransaction(transaction, faults))
    block.chainMetadata!.ironwoodCommitmentTreeSize = 0
  }
  if (faults.garbage === 'fields') garbleFields(block)
  return block
}

/** None when the server has nothing to say of it. Changes the message it is given. */
export function distortTransaction(transaction: CompactTx, faults: LightwalletdFaults): CompactTx[] {
  if (faults.hideIronwood) transaction.ironwoodActions = []
  const { actions, ironwoodActions, vout } = transaction
  return actions.length + ironwoodActions.length + vout.length === 0 ? [] : [transaction]
}

function omitLastAction(block: CompactBlock): void {
  const last = block.vtx.at(-1)
  if (last === undefined) return
  if (last.ironwoodActions.length > 0) last.ironwoodActions.pop()
  else last.actions.pop()
}

function garbleFields(block: CompactBlock): void {
  block.hash = block.hash.subarray(0, 5)
  for (const transaction of block.vtx) {
    transaction.txid = transaction.txid.subarray(0, 31)
    for (const action of [...transaction.actions, ...transaction.ironwoodActions]) {
      action.ciphertext = action.ciphertext.subarray(0, 51)
    }
  }
}
