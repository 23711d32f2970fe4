import type { Network } from './account.ts'
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
  /** Makes new coins: its outputs are no payments. Always false in the mempool. */
  readonly coinbase: boolean
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

/** First block of NU6.3 on the public networks. */
const NU63_HEIGHTS = { main: 3_428_143, test: 4_134_000 } as const

/** @param regtest what a regtest chain was set up with */
export function nu63HeightOf(network: Network, regtest: number): number {
  return network === 'regtest' ? regtest : NU63_HEIGHTS[network]
}

/** First block of NU7 on the public networks. */
const NU7_HEIGHTS = { main: 3_543_405, test: 4_465_026 } as const

/**
 * Seconds between blocks that the difficulty adjustment aims at: 75 before NU7, 25 from it on (ZIP 208, and the NU7
 * deployment). A regtest mines when it is told to; it is given the older, longer spacing.
 */
export function blockSpacingSecs(network: Network, height: number): number {
  return network !== 'regtest' && height >= NU7_HEIGHTS[network] ? 25 : 75
}

/** ZIP 326: below NU6.3 a payment is an Orchard note, from NU6.3 on an Ironwood note, and nothing else. */
export function paysAt(pool: Pool, height: number, nu63Height: number | null): boolean {
  const ironwood = nu63Height !== null && height >= nu63Height
  return pool === (ironwood ? 'ironwood' : 'orchard')
}
