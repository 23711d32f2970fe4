import type { Block } from '../../domain/chain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import type { ScannedBlocks } from '../../services/chain/chain-sync.ts'
import type { ScanKeySet } from '../../services/chain/scan-key.ts'

const MAX_BLOCKS = 100
/** Limits the scan work of one batch, which is lost when the process stops. The last block may exceed it. */
const MAX_ACTIONS = 4_000

/**
 * Reads the next batch of blocks, to be recorded in one transaction, and decrypts its notes: at least one block, from
 * height `from` up to `to`. The keys are read after the blocks, so that the key of every invoice created before its
 * payment is included.
 * @throws Error when the server has no block `from`
 */
export async function scanBlockBatch(
  { chain, noteScanner }: { readonly chain: Chain; readonly noteScanner: NoteScanner },
  { from, to }: { readonly from: number; readonly to: number },
  keysFor: (blocks: readonly Block[]) => Promise<ScanKeySet>,
  signal: AbortSignal,
): Promise<ScannedBlocks> {
  const blocks = await readBlockBatch(chain, from, to, signal)
  const { keys, leftOut } = await keysFor(blocks)
  const transactions = blocks.flatMap(block => block.transactions)
  return { blocks, leftOut, notes: await noteScanner.scan(keys, transactions, { signal }) }
}

async function readBlockBatch(chain: Chain, from: number, to: number, signal: AbortSignal): Promise<Block[]> {
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
