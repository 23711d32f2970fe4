import type { Block } from '../../domain/chain.ts'
import type { Chain } from '../../ports/chain.ts'

const MAX_BLOCKS = 100
/** Limits the scan work of one batch, which is lost when the process stops. The last block may exceed it. */
const MAX_ACTIONS = 4_000

/**
 * Reads the next batch of blocks, to be recorded in one transaction: at least one block, from height `from` up to `to`.
 * @throws Error when the server has no block `from`
 */
export async function readBlockBatch(chain: Chain, from: number, to: number, signal: AbortSignal): Promise<Block[]> {
  const blocks: Block[] = []
  let actions = 0
  for await (const block of chain.blocks(from, Math.min(to, from + MAX_BLOCKS - 1), signal)) {
    blocks.push(block)
    for (const { orchard, ironwood } of block.transactions) actions += orchard.length + ironwood.length
    if (actions >= MAX_ACTIONS) break
  }
  if (blocks.length === 0)
    throw new Error(`the chain server has no block ${from}, although its tip is at or above height ${to}`)
  return blocks
}
