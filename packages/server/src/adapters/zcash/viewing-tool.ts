import { fromBinary } from '@bufbuild/protobuf'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { type CompactBlock, CompactBlockSchema } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { decodeMemo } from '@zatgate/zcash/memo'
import type { Note } from '@zatgate/zcash/note'
import { openCompactBlock, openTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { type IncomingViewingKey, parseViewingKey } from '@zatgate/zcash/viewing-key'
import type { Network } from '../../domain/account.ts'
import { invalidField } from '../../domain/error.ts'
import type { Pool } from '../../domain/shielded-pool.ts'
import type { KeyExpiry } from '../../domain/viewing-key.ts'
import { toKeyExpiry } from './key-expiry.ts'

/** A payment that a viewing key sees, as the `open` command shows it. */
export interface SeenPayment {
  readonly txid: string
  readonly pool: Pool
  /** Its place among the transaction's actions of that pool. */
  readonly action: number
  readonly amountZat: bigint
  readonly diversifierIndex: bigint
  readonly address: string
  /** Only of a whole transaction: compact blocks have none. */
  readonly memo?: SeenMemo
}

/** Text (ZIP 302), or the bytes of what is none, in hex; null where there is no memo. */
export type SeenMemo = { readonly text: string } | { readonly hex: string } | null

/** What a viewing key sees, external scope only: change and transfers within the wallet are no payments. */
export interface ViewingTool {
  readonly network: Network
  /** Absent: the key never expires. An expired key still shows what it sees. */
  readonly expiry?: KeyExpiry
  /** @param index 0 to 2^88 − 1. @throws Fault `invalid_index` */
  address(index: bigint): string
  /** @throws Fault `invalid_tx` */
  openTransaction(raw: Uint8Array): SeenPayment[]
  /** @param encoded a CompactBlock of the light-client protocol. @throws Fault `invalid_blocks` */
  openBlock(encoded: Uint8Array): SeenPayment[]
}

/** @throws Fault `invalid_viewing_key`, the reason in `detail` */
export function createViewingTool(text: string): ViewingTool {
  const { network, orchard, expiry } = refusing('viewing-key', () => parseViewingKey(text))
  if (!orchard) throw invalidField('viewing-key', 'has no Orchard item, which every payment here is seen with')
  return { ...toolOf(network, orchard), ...(expiry && { expiry: toKeyExpiry(expiry) }) }
}

function toolOf(network: Network, key: IncomingViewingKey): Omit<ViewingTool, 'expiry'> {
  const seen = (txid: Uint8Array, pool: Pool, action: number, note: Note): SeenPayment => ({
    txid: txidToHex(txid),
    pool,
    action,
    amountZat: note.value,
    diversifierIndex: note.diversifierIndex,
    address: encodeAddress(network, note.receiver),
  })

  return {
    network,
    address: index => refusing('index', () => encodeAddress(network, orchardReceiver(key, index))),

    openTransaction: raw =>
      refusing('tx', () => {
        const transaction = parseTransaction(raw)
        return openTransaction([key], transaction).map(({ pool, action, note, memo }) => ({
          ...seen(transaction.txid, pool, action, note),
          memo: memo === undefined ? null : readMemo(memo),
        }))
      }),

    openBlock: encoded =>
      refusing('blocks', () =>
        openCompactBlock([key], decodeBlock(encoded)).map(({ txid, pool, action, note }) =>
          seen(txid, pool, action, note),
        ),
      ),
  }
}

function readMemo(bytes: Uint8Array): SeenMemo {
  const memo = decodeMemo(bytes)
  if (memo.kind === 'empty') return null
  return memo.kind === 'text' ? { text: memo.text } : { hex: Buffer.from(memo.bytes).toString('hex') }
}

function decodeBlock(encoded: Uint8Array): CompactBlock {
  try {
    return fromBinary(CompactBlockSchema, encoded)
  } catch {
    throw invalidField('blocks', 'holds something that is no CompactBlock')
  }
}

function refusing<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ZcashError) throw invalidField(field, error.message)
    throw error
  }
}
