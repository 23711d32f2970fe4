import { type ConsensusParams, isActive } from './network-upgrade.ts'
import type { Pool } from './shielded-pool.ts'

/** A shielded output as the light-client protocol gives it; byte fields as on the wire. */
export interface CompactAction {
  readonly nullifier: Uint8Array
  readonly cmx: Uint8Array
  readonly ephemeralKey: Uint8Array
  /** The first 52 bytes of the note ciphertext. */
  readonly ciphertext: Uint8Array
}

export interface CompactTransaction {
  /** Display byte order, hex. */
  readonly txid: string
  readonly orchard: readonly CompactAction[]
  readonly ironwood: readonly CompactAction[]
}

/** Note commitments in each pool's tree after a block. */
export interface TreeSizes {
  readonly sapling: number
  readonly orchard: number
  readonly ironwood: number
}

/** What a stored block is remembered by. Hashes in display byte order, hex. */
export interface Header {
  readonly height: number
  readonly hash: string
  readonly prevHash: string
  /** Unix seconds. */
  readonly time: number
  readonly trees: TreeSizes
}

export interface Block extends Header {
  /** Outputs that this block adds to each tree, counted from its transactions. */
  readonly outputs: TreeSizes
  readonly transactions: readonly CompactTransaction[]
}

/** How many headers are kept, and so the deepest reorganisation that is followed. */
export const HEADERS_KEPT = 1_000

const POOLS = ['sapling', 'orchard', 'ironwood'] as const

export type BlockFault =
  | { readonly fault: 'gap'; readonly expected: number }
  | { readonly fault: 'fork' }
  | {
      readonly fault: 'hidden_outputs'
      readonly pool: keyof TreeSizes
      readonly expected: number
      readonly given: number
    }

/**
 * Whether `block` follows `previous`: the next height, built on its hash, and every pool's tree grown by exactly the
 * outputs that the block shows. A server that leaves outputs out fails the last check.
 */
export function checkFollows(previous: Header, block: Block): BlockFault | null {
  if (block.height !== previous.height + 1) return { fault: 'gap', expected: previous.height + 1 }
  if (block.prevHash !== previous.hash) return { fault: 'fork' }
  for (const pool of POOLS) {
    const expected = previous.trees[pool] + block.outputs[pool]
    if (block.trees[pool] !== expected) return { fault: 'hidden_outputs', pool, expected, given: block.trees[pool] }
  }
  return null
}

/** Heights to compare while looking for the common ancestor: 10, 20, 40 … below `tip`, never below `oldest`. */
export function* ancestorCandidates(tip: number, oldest: number): Generator<number> {
  for (let step = 10; tip - step > oldest; step *= 2) yield tip - step
  yield oldest
}

/** ZIP 326: below NU6.3 a payment is an Orchard note, from NU6.3 on an Ironwood note, and nothing else. */
export function paysAt(pool: Pool, height: number, params: ConsensusParams): boolean {
  return pool === (isActive(params, 'NU6.3', height) ? 'ironwood' : 'orchard')
}
