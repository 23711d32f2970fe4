import { BRANCH_IDS } from '@zatgate/zcash/network'
import type { Action, CompactAction, Pool } from '@zatgate/zcash/note'
import { buildTransaction, parseTransaction, txidToHex } from '@zatgate/zcash/transaction'

/** A transaction of the simulated chain. Its raw bytes are made when asked for: they are mostly placeholder proofs. */
export interface ChainTransaction {
  /** 32 bytes, internal order */
  readonly txid: Uint8Array
  /** display order; the key under which the chain knows it */
  readonly id: string
  /** which pool its actions are in; decides version and branch id */
  readonly pool: Pool
  /** the last height it may be mined at; 0 means any */
  readonly expiryHeight: number
  readonly actions: readonly Action[]
  /** its expiry height is then the height of its block (ZIP 203) */
  readonly coinbase: boolean
}

export type TransactionDraft = Omit<ChainTransaction, 'txid' | 'id'>

const COMPACT_CIPHERTEXT_BYTES = 52
/** Version, version group, branch id, lock time and expiry height come before the transparent inputs (ZIP 225). */
const HEADER_BYTES = 20

export function branchId(pool: Pool): number {
  return pool === 'ironwood' ? BRANCH_IDS.nu63 : BRANCH_IDS.nu62
}

export function finishTransaction(draft: TransactionDraft): ChainTransaction {
  const { txid } = parseTransaction(rawTransaction(draft))
  return { ...draft, txid, id: txidToHex(txid) }
}

/** The bytes as a full node would relay them (ZIP 225, ZIP 229), with placeholder proofs and signatures. */
export function rawTransaction({ pool, actions, expiryHeight, coinbase }: TransactionDraft): Uint8Array {
  const raw = buildTransaction({
    version: pool === 'ironwood' ? 6 : 5,
    branchId: branchId(pool),
    expiryHeight,
    orchard: pool === 'orchard' ? actions : [],
    ironwood: pool === 'ironwood' ? actions : [],
  })
  return coinbase ? withCoinbaseInput(raw, expiryHeight) : raw
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

/** The one input of a coinbase transaction spends nothing, and its script states the height. */
function withCoinbaseInput(raw: Uint8Array, height: number): Uint8Array {
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
  const afterInputCount = raw.subarray(HEADER_BYTES + 1)
  return new Uint8Array(Buffer.concat([raw.subarray(0, HEADER_BYTES), Buffer.of(1), input, afterInputCount]))
}
