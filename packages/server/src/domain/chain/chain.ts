import { type ConsensusParams, isActive } from './network-upgrade.ts'
import type { ShieldedPool } from './shielded-pool.ts'

/** A shielded output in the form of the light-client protocol (ZIP 307). Byte fields are in wire order. */
export interface CompactAction {
  readonly nullifier: Uint8Array
  readonly cmx: Uint8Array
  readonly ephemeralKey: Uint8Array
  /** The first 52 bytes of the note ciphertext. */
  readonly ciphertext: Uint8Array
}

export interface CompactTransaction {
  /** Hex, in display byte order. */
  readonly txid: string
  readonly orchard: readonly CompactAction[]
  readonly ironwood: readonly CompactAction[]
}

/** Number of note commitments in each pool's tree. */
export interface TreeSizes {
  readonly sapling: number
  readonly orchard: number
  readonly ironwood: number
}

/** The stored part of a block. Hashes are hex in display byte order. */
export interface Header {
  readonly height: number
  readonly hash: string
  readonly prevHash: string
  /** Unix seconds. */
  readonly time: number
  /** Tree sizes after the block. */
  readonly treeSizes: TreeSizes
}

export interface Block extends Header {
  /** Number of outputs in each pool, counted from the block's transactions. */
  readonly outputCounts: TreeSizes
  readonly transactions: readonly CompactTransaction[]
}

/** Number of stored headers. It limits the depth of a reorganisation that can be handled. */
export const HEADERS_KEPT = 1_000

const POOLS = ['sapling', 'orchard', 'ironwood'] as const

/** Why a block does not extend the chain. `hidden_outputs`: a tree grew by another number than the outputs given. */
export type BlockProblem =
  | { readonly problem: 'gap'; readonly expected: number }
  | { readonly problem: 'fork' }
  | {
      readonly problem: 'hidden_outputs'
      readonly pool: keyof TreeSizes
      readonly expected: number
      readonly given: number
    }

/**
 * Checks that `block` extends `previous`: it has the next height and the previous hash, and every pool's tree grew by
 * exactly the outputs of the block. A server that omits outputs fails the last check.
 * @returns null when the block extends `previous`
 */
export function checkContinuity(previous: Header, block: Block): BlockProblem | null {
  if (block.height !== previous.height + 1) return { problem: 'gap', expected: previous.height + 1 }
  if (block.prevHash !== previous.hash) return { problem: 'fork' }
  for (const pool of POOLS) {
    const expected = previous.treeSizes[pool] + block.outputCounts[pool]
    if (block.treeSizes[pool] !== expected)
      return { problem: 'hidden_outputs', pool, expected, given: block.treeSizes[pool] }
  }
  return null
}

/** Heights to compare in the search for the common ancestor: 10, 20, 40 … below `tip`, down to `oldest`. */
export function* ancestorCandidates(tip: number, oldest: number): Generator<number> {
  for (let step = 10; tip - step > oldest; step *= 2) yield tip - step
  yield oldest
}

/** Whether notes of this pool count as payments at a height: Orchard below NU6.3, Ironwood from NU6.3 on (ZIP 326). */
export function isPaymentPool(pool: ShieldedPool, height: number, params: ConsensusParams): boolean {
  return pool === (isActive(params, 'NU6.3', height) ? 'ironwood' : 'orchard')
}
