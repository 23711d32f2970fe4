import { checkFollows, type Header } from '../../domain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Viewer } from '../../ports/note-scanner.ts'
import type { Headers } from '../../services/chain-rewind.ts'
import type { Payments } from '../../services/payment.ts'
import type { WatchKeys } from '../../services/scan-key.ts'
import { collectBatch } from './block-batch.ts'

export interface RescanDeps {
  readonly chain: Chain
  readonly viewer: Viewer
  readonly payments: Payments
  readonly headers: Headers
  readonly keys: WatchKeys
  /** Called after each batch. */
  readonly onProgress?: (height: number, to: number) => void
}

export interface Rescanned {
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
export async function rescan(deps: RescanDeps, from: number, signal: AbortSignal): Promise<Rescanned> {
  const position = await deps.headers.position()
  const to = position?.tip.height ?? -1
  if (!Number.isInteger(from) || from < 0 || from > to) {
    throw new RangeError(to < 0 ? 'no block is recorded yet' : `the height must be 0 to ${to}, the last recorded block`)
  }
  let found = 0
  let previous: Header | null = null
  for (let next = from; next <= to; ) {
    const batch = await rescanBatch(deps, next, to, previous, signal)
    found += batch.found
    previous = batch.newest
    next = batch.newest.height + 1
    deps.onProgress?.(batch.newest.height, to)
  }
  return { to, found }
}

async function rescanBatch(
  { chain, viewer, payments, keys }: RescanDeps,
  from: number,
  to: number,
  lastHeader: Header | null,
  signal: AbortSignal,
): Promise<{ newest: Header; found: number }> {
  const blocks = await collectBatch(chain, from, to, signal)
  let previous = lastHeader
  for (const block of blocks) {
    const problem = previous && checkFollows(previous, block)
    if (problem) throw new Error(`block ${block.height} does not follow the previous block: ${problem.fault}`)
    previous = block
  }
  const transactions = blocks.flatMap(block => block.transactions)
  const notes = await viewer.open(await keys.all(), transactions, signal)
  const { found, misfit } = await payments.recordFound({ blocks, notes })
  if (misfit)
    throw new Error(
      `block ${misfit.height} differs from the recorded one; wait until the chain sync has caught up, then try again`,
    )
  return { newest: blocks.at(-1)!, found }
}
