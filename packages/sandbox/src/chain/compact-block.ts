import { create } from '@bufbuild/protobuf'
import {
  type CompactBlock,
  CompactBlockSchema,
  type CompactTx,
  CompactTxSchema,
  PoolType,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Pool } from '@zatgate/zcash/note'
import type { Block } from './chain-state.ts'
import { type ChainTransaction, compactAction, MINER_SCRIPT } from './transaction.ts'

/** The pools of the sandbox's chain: shielded ones, and the outputs to miners. */
export type ServedPool = Pool | 'transparent'

const POOL_TYPES: readonly (readonly [ServedPool, PoolType])[] = [
  ['transparent', PoolType.TRANSPARENT],
  ['orchard', PoolType.ORCHARD],
  ['ironwood', PoolType.IRONWOOD],
]
const SHIELDED: ReadonlySet<ServedPool> = new Set(['orchard', 'ironwood'])

export const ALL_POOLS: ReadonlySet<ServedPool> = new Set([...SHIELDED, 'transparent'])

/** The pools a client asked for; an empty list means every shielded one. */
export function requestedPools(poolTypes: readonly PoolType[]): ReadonlySet<ServedPool> {
  if (poolTypes.length === 0) return SHIELDED
  return new Set(POOL_TYPES.filter(([, type]) => poolTypes.includes(type)).map(([pool]) => pool))
}

/** A block as light clients see it: only transactions with something in the pools asked for. */
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
 * What the pools asked for have of a transaction; an empty array when that is nothing. The input of a coinbase
 * transaction is never sent, and the fee is not known.
 *
 * @param index position in the block, 0 being the coinbase transaction; 0 in the mempool too
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
