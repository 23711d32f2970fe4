import { checkContinuity, type Header } from '../../domain/chain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import type { ChainRecorder } from '../../services/chain/chain-sync.ts'
import type { RecordedChain } from '../../services/chain/recorded-chain.ts'
import type { ScanKeySet, ScanKeys } from '../../services/chain/scan-key.ts'
import { scanBlockBatch } from './block-batch.ts'

export interface RescanDeps {
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly chainRecorder: ChainRecorder
  readonly recordedChain: RecordedChain
  readonly scanKeys: ScanKeys
  /** Called after each batch. */
  readonly onProgress?: (height: number, to: number) => void
}

export interface RescanResult {
  /** Height of the last block that was read. */
  readonly to: number
  /** Number of invoices that changed. */
  readonly found: number
}

/**
 * Reads the chain again from height `from` to the last recorded block, with all viewing keys, and records missed
 * payments. Recorded blocks, position and payments stay unchanged. May run in parallel with chain sync.
 *
 * @throws RangeError when `from` is not a recorded height
 * @throws Error when the server's blocks differ from the recorded ones
 */
export async function rescan(deps: RescanDeps, from: number, signal: AbortSignal): Promise<RescanResult> {
  const position = await deps.recordedChain.position()
  const to = position?.tip.height ?? -1
  if (!Number.isInteger(from) || from < 0 || from > to) {
    throw new RangeError(to < 0 ? 'no block is recorded yet' : `the height must be 0 to ${to}, the last recorded block`)
  }
  let found = 0
  let previous: Header | null = null
  for (let next = from; next <= to; ) {
    const batch = await rescanBatch(deps, { from: next, to, previous }, () => deps.scanKeys.all(), signal)
    found += batch.found
    previous = batch.newest
    next = batch.newest.height + 1
    deps.onProgress?.(batch.newest.height, to)
  }
  return { to, found }
}

/**
 * Reads a batch of recorded blocks again, and records missed payments.
 * @param range `previous` is the block below `from`; null: not compared
 * @param options see `ChainRecorder.recordRescanned`
 * @throws Error when the server's blocks differ from the recorded ones
 */
export async function rescanBatch(
  { chain, noteScanner, chainRecorder }: Pick<RescanDeps, 'chain' | 'noteScanner' | 'chainRecorder'>,
  range: { readonly from: number; readonly to: number; readonly previous: Header | null },
  keys: () => Promise<ScanKeySet>,
  signal: AbortSignal,
  options: { readonly isAlone?: boolean } = {},
): Promise<{ newest: Header; found: number }> {
  const { blocks, notes } = await scanBlockBatch({ chain, noteScanner }, range, keys, signal)
  let { previous } = range
  for (const block of blocks) {
    const problem = previous && checkContinuity(previous, block)
    if (problem) throw new Error(`block ${block.height} does not follow the previous block: ${problem.problem}`)
    previous = block
  }
  const { found, mismatch } = await chainRecorder.recordRescanned({ blocks, notes }, options)
  if (mismatch)
    throw new Error(
      `block ${mismatch.height} differs from the recorded one; wait until the chain sync has caught up, then try again`,
    )
  return { newest: blocks.at(-1)!, found }
}
