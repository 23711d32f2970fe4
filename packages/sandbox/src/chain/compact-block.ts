import { create } from '@bufbuild/protobuf'
import {
  type CompactBlock,
  CompactBlockSchema,
  type CompactTx,
  CompactTxSchema,
  PoolType,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import type { Block } from './chain-state.ts'
import { type ChainTransaction, compactAction, MINER_SCRIPT } from './transaction.ts'

/** The pools of the sandbox chain: the shielded pools, and the transparent outputs to miners. */
export type ServedPool = ShieldedPool | 'transparent'

const POOL_TYPES: readonly (readonly [ServedPool, PoolType])[] = [
  ['transparent', PoolType.TRANSPARENT],
  ['orchard', PoolType.ORCHARD],
  ['ironwood', PoolType.IRONWOOD],
]
const SHIELDED: ReadonlySet<ServedPool> = new Set(['orchard', 'ironwood'])

export const ALL_POOLS: ReadonlySet<ServedPool> = new Set([...SHIELDED, 'transparent'])

/** The requested pools; an empty list selects all shielded pools. */
export function requestedPools(poolTypes: readonly PoolType[]): ReadonlySet<ServedPool> {
  if (poolTypes.length === 0) return SHIELDED
  return new Set(POOL_TYPES.filter(([, type]) => poolTypes.includes(type)).map(([pool]) => pool))
}

/** The compact form of a block. It contains the transactions that have parts in the requested pools. */
export function compactBlock(block: Block, pools: ReadonlySet<ServedPool>): CompactBlock {
  const { height, hash, prevHash, time, transactions, treeSizes } = block
  return create(CompactBlockSchema, {
    height: BigInt(height),
    hash,
    prevHash,
    time,
    vtx: transactions.flatMap((transaction, index) => compactTransaction(transaction, index, pools)),
    chainMetadata: {
      saplingCommitmentTreeSize: 0,
      orchardCommitmentTreeSize: treeSizes.orchard,
      ironwoodCommitmentTreeSize: treeSizes.ironwood,
    },
  })
}

/**
 * The compact form of a transaction, reduced to the requested pools; an empty array when nothing is left. The input of a
 * coinbase transaction is left out, and so is the fee.
 *
 * @param index position in the block (0: coinbase); 0 for a mempool transaction
 */
export function compactTransaction(
  transaction: ChainTransaction,
  index: number,
  pools: ReadonlySet<ServedPool>,
): CompactTx[] {
  const { txid, pool, minerOutputZat } = transaction
  const actions = pools.has(pool) ? transaction.actions.map(compactAction) : []
  const vout =
    pools.has('transparent') && minerOutputZat > 0n ? [{ value: minerOutputZat, scriptPubKey: MINER_SCRIPT }] : []
  if (actions.length + vout.length === 0) return []
  const compact = pool === 'ironwood' ? { ironwoodActions: actions } : { actions }
  return [create(CompactTxSchema, { index: BigInt(index), txid, vout, ...compact })]
}
