import { fromBinary } from '@bufbuild/protobuf'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { type CompactBlock, CompactBlockSchema } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { decodeMemo } from '@zatgate/zcash/memo'
import type { Note } from '@zatgate/zcash/note'
import { tryDecryptCompactBlock, tryDecryptTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { type IncomingViewingKey, parseViewingKey } from '@zatgate/zcash/viewing-key'
import type { Network } from '../../domain/account/account.ts'
import type { KeyExpiry } from '../../domain/account/viewing-key.ts'
import type { ShieldedPool } from '../../domain/chain/shielded-pool.ts'
import { invalidField } from '../../domain/error.ts'
import { toKeyExpiry } from './viewing-key-expiry.ts'

/** A payment decrypted with a viewing key, as shown by the `open` command. */
export interface DecryptedPayment {
  readonly txid: string
  readonly pool: ShieldedPool
  /** Index among the transaction's actions of that pool. */
  readonly actionIndex: number
  readonly amountZat: bigint
  readonly diversifierIndex: bigint
  readonly address: string
  /** Only for a full transaction: compact blocks contain no memos. */
  readonly memo?: DecryptedMemo
}

/** Text (ZIP 302), other bytes in hex, or null without a memo. */
export type DecryptedMemo = { readonly text: string } | { readonly hex: string } | null

/** Decrypts payments with a viewing key. External scope only: change and transfers within the wallet are not payments. */
export interface ViewingKeyTool {
  readonly network: Network
  /** Absent: the key never expires. An expired key still decrypts. */
  readonly expiry?: KeyExpiry
  /** @param index diversifier index, 0 to 2^88 − 1. @throws AppError `invalid_index` */
  deriveAddress(index: bigint): string
  /** @throws AppError `invalid_tx` */
  decryptTransaction(raw: Uint8Array): DecryptedPayment[]
  /** @param encoded a CompactBlock of the light-client protocol. @throws AppError `invalid_blocks` */
  decryptBlock(encoded: Uint8Array): DecryptedPayment[]
}

/** @throws AppError `invalid_viewing_key`, the reason in `detail` */
export function createViewingKeyTool(text: string): ViewingKeyTool {
  const { network, orchard, expiry } = orInvalidField('viewing-key', () => parseViewingKey(text.trim()))
  if (!orchard) throw invalidField('viewing-key', 'has no Orchard item, which is required to see payments')
  return { ...toolOf(network, orchard), ...(expiry && { expiry: toKeyExpiry(expiry) }) }
}

function toolOf(network: Network, key: IncomingViewingKey): Omit<ViewingKeyTool, 'expiry'> {
  const toPayment = (txid: Uint8Array, pool: ShieldedPool, actionIndex: number, note: Note): DecryptedPayment => ({
    txid: txidToHex(txid),
    pool,
    actionIndex,
    amountZat: note.value,
    diversifierIndex: note.diversifierIndex,
    address: encodeAddress(network, note.receiver),
  })

  return {
    network,
    deriveAddress: index => orInvalidField('index', () => encodeAddress(network, orchardReceiver(key, index))),

    decryptTransaction: raw =>
      orInvalidField('tx', () => {
        const transaction = parseTransaction(raw)
        return tryDecryptTransaction([key], transaction).map(({ pool, actionIndex, note, memo }) => ({
          ...toPayment(transaction.txid, pool, actionIndex, note),
          memo: memo === undefined ? null : toSeenMemo(memo),
        }))
      }),

    decryptBlock: encoded =>
      orInvalidField('blocks', () =>
        tryDecryptCompactBlock([key], decodeBlock(encoded)).map(({ txid, pool, actionIndex, note }) =>
          toPayment(txid, pool, actionIndex, note),
        ),
      ),
  }
}

function toSeenMemo(bytes: Uint8Array): DecryptedMemo {
  const memo = decodeMemo(bytes)
  if (memo.kind === 'empty') return null
  return memo.kind === 'text' ? { text: memo.text } : { hex: Buffer.from(memo.bytes).toString('hex') }
}

function decodeBlock(encoded: Uint8Array): CompactBlock {
  try {
    return fromBinary(CompactBlockSchema, encoded)
  } catch {
    throw invalidField('blocks', 'is not a valid CompactBlock')
  }
}

/** Runs `work` and turns a ZcashError into `invalidField(field)`. */
function orInvalidField<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ZcashError) throw invalidField(field, error.message)
    throw error
  }
}
