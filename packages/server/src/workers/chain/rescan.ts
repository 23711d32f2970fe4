import { checkFollows, type Header } from '../../domain/chain.ts'
import type { Chain, Viewer } from '../../ports.ts'
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
  /** Told after each batch. */
  readonly onProgress?: (height: number, to: number) => void
}

export interface Rescanned {
  /** Height of the last block read again. */
  readonly to: number
  /** Invoices that something changed for. */
  readonly found: number
}

/**
 * Reads the chain again from a height to the last block recorded, with every key there is, and records the payments
 * that were missed. Blocks, cursor and whatever is known stay as they are; it may run beside the watcher.
 *
 * @throws RangeError when nothing is recorded from that height on; Error when the server's chain is not ours.
 */
export async function rescan(deps: RescanDeps, from: number, signal: AbortSignal): Promise<Rescanned> {
  const position = await deps.headers.position()
  const to = position?.tip.height ?? -1
  if (!Number.isInteger(from) || from < 0 || from > to) {
    throw new RangeError(to < 0 ? 'no block is recorded yet' : `the height must be 0 to ${to}, the last block recorded`)
  }
  let found = 0
  let previous: Header | null = null
  for (let next = from; next <= to; ) {
    const batch = await readAgain(deps, next, to, previous, signal)
    found += batch.found
    previous = batch.newest
    next = batch.newest.height + 1
    deps.onProgress?.(batch.newest.height, to)
  }
  return { to, found }
}

async function readAgain(
  { chain, viewer, payments, keys }: RescanDeps,
  from: number,
  to: number,
  before: Header | null,
  signal: AbortSignal,
): Promise<{ newest: Header; found: number }> {
  const blocks = await collectBatch(chain, from, to, signal)
  let previous = before
  for (const block of blocks) {
    const fault = previous && checkFollows(previous, block)
    if (fault) throw new Error(`block ${block.height} does not follow the block before it: ${fault.fault}`)
    previous = block
  }
  const transactions = blocks.flatMap(block => block.transactions)
  const notes = await viewer.open(await keys.all(), transactions, signal)
  const { found, misfit } = await payments.recordFound({ blocks, notes })
  if (misfit)
    throw new Error(`block ${misfit.height} is not the recorded one; let the watcher catch up, then try again`)
  return { newest: blocks.at(-1)!, found }
}
