import type { Action, CompactAction } from '@zatgate/zcash/note'
import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import { buildTransaction, parseTransaction, txidToHex } from '@zatgate/zcash/transaction'

/** A transaction of the simulated chain. Raw bytes are created on demand, because they are mostly placeholder proofs. */
export interface ChainTransaction {
  /** 32 bytes, internal order */
  readonly txid: Uint8Array
  /** txid in display order; the key of the transaction on the chain */
  readonly id: string
  /** the pool of its actions; determines the transaction version */
  readonly pool: ShieldedPool
  /** consensus branch id; only blocks of that branch may include it */
  readonly branchId: number
  /** the last height at which it can be mined; 0: no limit */
  readonly expiryHeight: number
  readonly actions: readonly Action[]
  /** the expiry height of a coinbase transaction is the height of its block (ZIP 203) */
  readonly coinbase: boolean
  /** value of the only transparent output, zat; 0: no transparent output */
  readonly minerOutputZat: bigint
}

export type TransactionDraft = Omit<ChainTransaction, 'txid' | 'id'>

const COMPACT_CIPHERTEXT_BYTES = 52
/** Length of version, version group, branch id, lock time and expiry height (ZIP 225). */
const HEADER_BYTES = 20

/** Pay to script hash of an unknown script. */
export const MINER_SCRIPT = new Uint8Array(Buffer.from(`a914${'00'.repeat(20)}87`, 'hex'))

/** Adds the txid to a draft. */
export function finishTransaction(draft: TransactionDraft): ChainTransaction {
  const { txid } = parseTransaction(rawTransaction(draft))
  return { ...draft, txid, id: txidToHex(txid) }
}

/** Serializes a transaction (ZIP 225, ZIP 229), with placeholder proofs and signatures. */
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

/** The compact form of an action (lightwallet-protocol `CompactOrchardAction`). */
export function compactAction(action: Action): CompactAction {
  return {
    nullifier: action.nullifier,
    cmx: action.cmx,
    ephemeralKey: action.ephemeralKey,
    ciphertext: action.encCiphertext.subarray(0, COMPACT_CIPHERTEXT_BYTES),
  }
}

/** Adds the coinbase input, whose script contains the height, and the output to the miner. */
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
