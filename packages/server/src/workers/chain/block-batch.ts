import type { Block } from '../../domain/chain.ts'
import type { Chain } from '../../ports.ts'

const MOST_BLOCKS = 100
/** So many actions to open under every key are as much work as a restart should lose. */
const MOST_ACTIONS = 4_000

/** The next blocks from `from` on, at least one and none above `to`: as many as are recorded in one transaction. */
export async function collectBatch(chain: Chain, from: number, to: number, signal: AbortSignal): Promise<Block[]> {
  const blocks: Block[] = []
  let actions = 0
  for await (const block of chain.blocks(from, Math.min(to, from + MOST_BLOCKS - 1), signal)) {
    blocks.push(block)
    for (const { orchard, ironwood } of block.transactions) actions += orchard.length + ironwood.length
    if (actions >= MOST_ACTIONS) break
  }
  if (blocks.length === 0) throw new Error(`the server has no block ${from}, though its tip is not below ${to}`)
  return blocks
}
