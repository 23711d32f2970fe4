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
import { type ChainTransaction, compactAction } from './transaction.ts'

const POOL_TYPES: Readonly<Record<Pool, PoolType>> = { orchard: PoolType.ORCHARD, ironwood: PoolType.IRONWOOD }

/** The pools a client asked for; an empty list means every shielded one. */
export function requestedPools(poolTypes: readonly PoolType[]): ReadonlySet<Pool> {
  const pools = ['orchard', 'ironwood'] as const
  return new Set(poolTypes.length === 0 ? pools : pools.filter(pool => poolTypes.includes(POOL_TYPES[pool])))
}

/** A block as light clients see it: only transactions with something in the pools asked for. */
export function compactBlock(block: Block, pools: ReadonlySet<Pool>): CompactBlock {
  const { height, hash, prevHash, time, transactions, treeSizes } = block
  return create(CompactBlockSchema, {
    height: BigInt(height),
    hash,
    prevHash,
    time,
    vtx: transactions.flatMap((transaction, index) =>
      hasActionsIn(transaction, pools) ? [compactTransaction(transaction, index)] : [],
    ),
    chainMetadata: {
      saplingCommitmentTreeSize: 0,
      orchardCommitmentTreeSize: treeSizes.orchard,
      ironwoodCommitmentTreeSize: treeSizes.ironwood,
    },
  })
}

export function hasActionsIn({ pool, actions }: ChainTransaction, pools: ReadonlySet<Pool>): boolean {
  return actions.length > 0 && pools.has(pool)
}

/** `index`: the position in the block, 0 being the coinbase transaction; 0 in the mempool too. */
export function compactTransaction({ txid, pool, actions }: ChainTransaction, index: number): CompactTx {
  const compact = actions.map(compactAction)
  return create(CompactTxSchema, {
    index: BigInt(index),
    txid,
    ...(pool === 'ironwood' ? { ironwoodActions: compact } : { actions: compact }),
  })
}
