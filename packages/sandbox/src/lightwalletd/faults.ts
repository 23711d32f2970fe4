import type { CompactBlock, CompactTx } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { NodeMethod } from './node-methods.ts'

/** The faults of the light-wallet server. Counters of the next calls decrease; other faults stay until they are changed. */
export interface LightwalletdFaults {
  /** the port is closed and open connections are cut */
  down: boolean
  /** calls are accepted and never answered */
  hang: boolean
  /** the number of next calls that end with UNAVAILABLE, ABORTED or INTERNAL */
  unavailable: number
  aborted: number
  internal: number
  /** the block cache is being repaired: calls that use it end with ABORTED */
  repairing: boolean
  /** the number of messages after which each stream is reset; unsent messages are lost; null: never */
  cutStreamAfter: number | null
  /** the last action of each block is left out; the tree sizes still count it */
  omitAction: boolean
  /** a server without Ironwood support: no Ironwood actions, and an empty Ironwood tree */
  hideIronwood: boolean
  /** the number of blocks by which the server is behind */
  lagBlocks: number
  /** the chain name in GetLightdInfo; null: the correct one */
  chainName: string | null
  /** GetLatestBlock returns the hash in display order */
  reverseLatestHash: boolean
  /** `bytes`: responses are not valid protobuf; `fields`: hashes and ciphertexts have wrong lengths */
  garbage: 'none' | 'bytes' | 'fields'
  /** GetMempoolStream ends immediately and empty */
  endMempoolAtOnce: boolean
  /** GetTransaction finds no transaction */
  forgetTransactions: boolean
  /** the server serves the tip, the blocks and the mempool as they were when this was set */
  frozen: boolean
  /** hides all mempool transactions, or these txids (display order) */
  hideMempool: boolean | readonly string[]
  /**
   * how long the server caches the mempool of its node, in milliseconds; 0: no cache. Not a fault: lightwalletd uses
   * 2,000
   */
  mempoolCacheMs: number
  /**
   * the interval between two polls of the node's best block, in milliseconds; 0: no cache. Until the next poll the server
   * serves the blocks that a reorganisation replaced. Not a fault: lightwalletd uses 2,000
   */
  blockCacheMs: number
  /**
   * the node refuses connections. Calls that need it fail after 22.5 s. The server process then exits, as lightwalletd
   * does: the port is closed and all connections are cut. It restarts with empty caches when the node is back
   */
  nodeDown: boolean
  /**
   * methods of the node that return an error. When they include `getbestblockhash`, the server process exits within
   * `blockCacheMs`. It restarts when that method works again
   */
  nodeFails: readonly NodeMethod[]
  /** GetMempoolTx and GetMempoolStream end with INTERNAL, as on a server that cannot parse a transaction */
  mempoolFails: boolean
  /**
   * the last block that the server supports: it serves no later block, and only mempool transactions of that block's
   * branch; null: no limit
   */
  stopsAtHeight: number | null
  /** the consensusBranchId in GetLightdInfo, 8 hexadecimal digits; null: the correct one */
  branchId: string | null
  /** the estimatedHeight in GetLightdInfo; null: the correct one */
  estimatedHeight: number | null
  /** the protocol version in GetLightdInfo. Not a fault: lightwalletd up to 0.5.3 leaves it empty */
  protocolVersion: string
}

/** The defaults of all faults. */
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

/** Applies the faults to a block. Modifies and returns the message. */
export function distortBlock(block: CompactBlock, faults: LightwalletdFaults): CompactBlock {
  if (faults.omitAction) omitLastAction(block)
  if (faults.hideIronwood) {
    block.vtx = block.vtx.flatMap(transaction => distortTransaction(transaction, faults))
    block.chainMetadata!.ironwoodCommitmentTreeSize = 0
  }
  if (faults.garbage === 'fields') garbleFields(block)
  return block
}

/** Applies the faults to a transaction. Modifies the message; returns an empty array when nothing of it is left. */
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
