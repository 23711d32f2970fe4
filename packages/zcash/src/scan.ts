import { expectLength } from './errors.ts'
import type { CompactBlock, CompactTx } from './lightwallet/gen/compact_tx_streamer_pb.ts'
import { type CompactAction, type Note, toCompactAction, tryDecryptAction, tryDecryptCompactActions } from './note.ts'
import type { ShieldedPool } from './shielded-pool.ts'
import type { Transaction } from './transaction.ts'
import type { IncomingViewingKey } from './viewing-key.ts'

/** A note of a full transaction, decrypted with one of the keys. */
export interface TransactionNote {
  /** the index of the key in the `keys` argument */
  readonly keyIndex: number
  readonly pool: ShieldedPool
  /** the index among the actions of that pool in the transaction */
  readonly actionIndex: number
  readonly note: Note
  /** 512 bytes (ZIP 302); undefined if the full ciphertext does not decrypt, which does not invalidate the note */
  readonly memo: Uint8Array | undefined
}

/** A note of a compact block, decrypted with one of the keys. */
export interface BlockNote {
  /** the index of the key in the `keys` argument */
  readonly keyIndex: number
  /** 32 bytes in internal byte order */
  readonly txid: Uint8Array
  readonly pool: ShieldedPool
  /** the index among the actions of that pool in the transaction */
  readonly actionIndex: number
  readonly note: Note
}

/** The number of leaves that a block appends to each note commitment tree. */
export interface OutputCounts {
  readonly sapling: number
  readonly orchard: number
  readonly ironwood: number
}

const POOLS = ['orchard', 'ironwood'] as const satisfies readonly ShieldedPool[]

/**
 * Trial-decrypts a full transaction with each key and returns the notes that pay them, in both pools. Coinbase
 * transactions (ZIP 213) are included. Finds the same notes as {@link tryDecryptCompactBlock}, so a payment in the mempool
 * equals the payment in the block.
 * @throws ZcashError `wrong_length` if a field of an action has the wrong length
 */
export function tryDecryptTransaction(
  keys: readonly IncomingViewingKey[],
  transaction: Transaction,
): TransactionNote[] {
  return POOLS.flatMap(pool => {
    const actions = transaction[pool]
    return tryDecryptCompactActions(keys, pool, actions.map(toCompactAction)).map(
      ({ keyIndex, actionIndex, note }) => ({
        keyIndex,
        pool,
        actionIndex,
        note,
        memo: tryDecryptAction(keys[keyIndex]!, pool, actions[actionIndex]!)?.memo,
      }),
    )
  })
}

/**
 * Trial-decrypts a compact block (ZIP 307) with each key and returns the notes that pay them, in both pools. The
 * coinbase transaction is included.
 * @throws ZcashError `wrong_length` if a field of an action, or the txid of a paying transaction, has the wrong length
 */
export function tryDecryptCompactBlock(keys: readonly IncomingViewingKey[], block: CompactBlock): BlockNote[] {
  return POOLS.flatMap(pool => {
    const locatedActions = block.vtx.flatMap(transaction =>
      compactActions(transaction, pool).map((compact, index) => ({ txid: transaction.txid, index, compact })),
    )
    const decrypted = tryDecryptCompactActions(
      keys,
      pool,
      locatedActions.map(located => located.compact),
    )
    return decrypted.map(({ keyIndex, actionIndex, note }) => {
      const { txid, index } = locatedActions[actionIndex]!
      expectLength('txid', txid, 32)
      return { keyIndex, txid, pool, actionIndex: index, note }
    })
  })
}

/**
 * Counts the shielded outputs of a compact block. The tree sizes in `chainMetadata` grow by these numbers from the
 * previous block.
 */
export function countOutputs(block: CompactBlock): OutputCounts {
  const sum = (count: (transaction: CompactTx) => number) => block.vtx.reduce((total, tx) => total + count(tx), 0)
  return {
    sapling: sum(tx => tx.outputs.length),
    orchard: sum(tx => tx.actions.length),
    ironwood: sum(tx => tx.ironwoodActions.length),
  }
}

function compactActions(transaction: CompactTx, pool: ShieldedPool): readonly CompactAction[] {
  return pool === 'orchard' ? transaction.actions : transaction.ironwoodActions
}
