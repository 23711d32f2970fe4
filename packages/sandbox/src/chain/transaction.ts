import type { Action, CompactAction, Pool } from '@zatgate/zcash/note'
import { buildTransaction, parseTransaction, txidToHex } from '@zatgate/zcash/transaction'

/** A transaction of the simulated chain. Its raw bytes are made when asked for: they are mostly placeholder proofs. */
export interface ChainTransaction {
  /** 32 bytes, internal order */
  readonly txid: Uint8Array
  /** display order; the key under which the chain knows it */
  readonly id: string
  /** which pool its actions are in; decides the version */
  readonly pool: Pool
  /** consensus branch id; only blocks of that branch may hold it */
  readonly branchId: number
  /** the last height it may be mined at; 0 means any */
  readonly expiryHeight: number
  readonly actions: readonly Action[]
  /** its expiry height is then the height of its block (ZIP 203) */
  readonly coinbase: boolean
  /** value of its one transparent output, zat; 0: it has no such output */
  readonly minerOutputZat: bigint
}

export type TransactionDraft = Omit<ChainTransaction, 'txid' | 'id'>

const COMPACT_CIPHERTEXT_BYTES = 52
/** Version, version group, branch id, lock time and expiry height come before the transparent inputs (ZIP 225). */
const HEADER_BYTES = 20

/** Pay to script hash; nobody has the script. */
export const MINER_SCRIPT = new Uint8Array(Buffer.from(`a914${'00'.repeat(20)}87`, 'hex'))

export function finishTransaction(draft: TransactionDraft): ChainTransaction {
  const { txid } = parseTransaction(rawTransaction(draft))
  return { ...draft, txid, id: txidToHex(txid) }
}

/** The bytes as a full node would relay them (ZIP 225, ZIP 229), with placeholder proofs and signatures. */
export function rawTransaction(draft: TransactionDraft): Uint8Array {
  const { pool, branchId, actions, expiryHeight, coinbase, minerOutputZat } = draft
  const raw = buildTransaction({
    version: pool === 'ironwood' ? 6 : 5,
    branchId,
    expiryHeight,
    orchard: pool === 'orchard' ? actions : [],
    ironwood: pool === 'ironwood' ? actions : [],
  })
  return coinbase ? withCoinbaseParts(raw, expiryHeight, minerOutputZat) : raw
}

/** What compact blocks carry of an action (lightwallet-protocol `CompactOrchardAction`). */
export function compactAction(action: Action): CompactAction {
  return {
    nullifier: action.nullifier,
    cmx: action.cmx,
    ephemeralKey: action.ephemeralKey,
    ciphertext: action.encCiphertext.subarray(0, COMPACT_CIPHERTEXT_BYTES),
  }
}

/** The one input of a coinbase transaction spends nothing, and its script states the height. Its output pays the miner. */
function withCoinbaseParts(raw: Uint8Array, height: number, outputZat: bigint): Uint8Array {
  const script = Buffer.alloc(5)
  script[0] = 4
  script.writeUInt32LE(height, 1)
  const input = Buffer.concat([
    Buffer.alloc(32),
    Buffer.alloc(4, 0xff),
    Buffer.of(script.length),
    script,
    Buffer.alloc(4, 0xff),
  ])
  const afterCounts = raw.subarray(HEADER_BYTES + 2)
  return new Uint8Array(
    Buffer.concat([raw.subarray(0, HEADER_BYTES), Buffer.of(1), input, transparentOutputs(outputZat), afterCounts]),
  )
}

function transparentOutputs(zat: bigint): Uint8Array {
  if (zat === 0n) return Buffer.of(0)
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(zat)
  return Buffer.concat([Buffer.of(1), value, Buffer.of(MINER_SCRIPT.length), MINER_SCRIPT])
}
