import { expectLength } from './errors.ts'
import type { CompactBlock, CompactTx } from './lightwallet/gen/compact_tx_streamer_pb.ts'
import { type CompactAction, type Note, openAction, openCompactActions, type Pool, toCompactAction } from './note.ts'
import type { Transaction } from './transaction.ts'
import type { IncomingViewingKey } from './viewing-key.ts'

/** A note in a whole transaction that one of the keys opens. */
export interface TransactionNote {
  /** which of the given keys */
  readonly keyIndex: number
  readonly pool: Pool
  /** its place among the transaction's actions of that pool */
  readonly action: number
  readonly note: Note
  /** 512 bytes (ZIP 302); undefined where it does not decrypt, which takes nothing from the note */
  readonly memo: Uint8Array | undefined
}

/** A note in a compact block that one of the keys opens. */
export interface BlockNote {
  /** which of the given keys */
  readonly keyIndex: number
  /** 32 bytes, internal order */
  readonly txid: Uint8Array
  readonly pool: Pool
  /** its place among the transaction's actions of that pool */
  readonly action: number
  readonly note: Note
}

/** How many leaves a block adds to each note commitment tree. */
export interface OutputCounts {
  readonly sapling: number
  readonly orchard: number
  readonly ironwood: number
}

const POOLS = ['orchard', 'ironwood'] as const satisfies readonly Pool[]

/**
 * The notes of a transaction that pay one of the keys, in either pool; a coinbase transaction pays like any other
 * (ZIP 213). The same notes as a compact block shows, so that a payment seen in the mempool is the payment seen in the
 * block.
 */
export function openTransaction(keys: readonly IncomingViewingKey[], transaction: Transaction): TransactionNote[] {
  return POOLS.flatMap(pool => {
    const actions = transaction[pool]
    return openCompactActions(keys, pool, actions.map(toCompactAction)).map(({ keyIndex, actionIndex, note }) => ({
      keyIndex,
      pool,
      action: actionIndex,
      note,
      memo: openAction(keys[keyIndex]!, pool, actions[actionIndex]!)?.memo,
    }))
  })
}

/**
 * The notes of a compact block that pay one of the keys, in either pool, those of its coinbase transaction included.
 * @throws ZcashError `wrong_length` where the server sent a field of the wrong size
 */
export function openCompactBlock(keys: readonly IncomingViewingKey[], block: CompactBlock): BlockNote[] {
  return POOLS.flatMap(pool => {
    const places = block.vtx.flatMap(transaction =>
      compactActions(transaction, pool).map((compact, action) => ({ txid: transaction.txid, action, compact })),
    )
    const opened = openCompactActions(
      keys,
      pool,
      places.map(place => place.compact),
    )
    return opened.map(({ keyIndex, actionIndex, note }) => {
      const { txid, action } = places[actionIndex]!
      expectLength('txid', txid, 32)
      return { keyIndex, txid, pool, action, note }
    })
  })
}

/** Counts what `chainMetadata` must have grown by since the block before. */
export function countOutputs(block: CompactBlock): OutputCounts {
  const sum = (count: (transaction: CompactTx) => number) => block.vtx.reduce((total, tx) => total + count(tx), 0)
  return {
    sapling: sum(tx => tx.outputs.length),
    orchard: sum(tx => tx.actions.length),
    ironwood: sum(tx => tx.ironwoodActions.length),
  }
}

function compactActions(transaction: CompactTx, pool: Pool): readonly CompactAction[] {
  return pool === 'orchard' ? transaction.actions : transaction.ironwoodActions
}
