import type { CompactTransaction } from '../../domain/chain/chain.ts'
import { lowest } from '../../domain/extreme.ts'
import type { Chain, ServerView } from '../../ports/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { NoteScanner, ScanKey } from '../../ports/note-scanner.ts'
import type { ScanKeys } from '../../services/chain/scan-key.ts'
import type { ScannedView } from '../../services/chain/server-view.ts'
import type { Witnesses } from '../../services/chain/witness.ts'
import type { LoopResult } from '../loop.ts'

export interface WitnessDeps {
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly witnesses: Witnesses
  readonly scanKeys: ScanKeys
  readonly clock: Clock
}

/**
 * Creates a function that compares the servers once: mempool before blocks before keys. Equal actions of several servers
 * are decrypted once, because the scanner remembers them.
 */
export function createWitnessReader(deps: WitnessDeps): (signal: AbortSignal) => Promise<LoopResult> {
  const { chain, noteScanner, witnesses, scanKeys, clock } = deps

  async function scanView(view: ServerView, keys: readonly ScanKey[], signal: AbortSignal): Promise<ScannedView> {
    const scan = (transactions: readonly CompactTransaction[]) => noteScanner.scan(keys, transactions, { signal })
    const { height, blocks, mempool } = view
    const notes = await scan(blocks.flatMap(block => block.transactions))
    return { height, blocks, notes, mempoolNotes: mempool && (await scan(mempool)) }
  }

  async function scanViews(views: readonly ServerView[], keys: readonly ScanKey[], signal: AbortSignal) {
    const scanned: ScannedView[] = []
    for (const view of views) scanned.push(await scanView(view, keys, signal))
    return scanned
  }

  /** Compares the blocks of payments that a rescan has found. Their keys may not be watched any more. */
  async function compareRescanned(signal: AbortSignal): Promise<void> {
    const range = await witnesses.nextRescanned()
    if (!range) return
    const views = await chain.views(range.from, range.to, signal)
    const due = ({ txid }: CompactTransaction) => range.txids.has(txid)
    const reduced = views.map(view => ({
      ...view,
      mempool: null,
      blocks: view.blocks.map(block => ({ ...block, transactions: block.transactions.filter(due) })),
    }))
    const { keys } = await scanKeys.all()
    await witnesses.recordRescanned(range, await scanViews(reduced, keys, signal))
  }

  return async function compareServers(signal) {
    const range = await witnesses.nextRange()
    if (!range) return 'idle'
    const views = await chain.views(range.from, range.to, signal)
    const times = views.flatMap(({ blocks }) => blocks.map(block => block.time))
    const { keys } = await scanKeys.forComparison(lowest(times, nowSecs(clock)), range.from, range.to)
    await witnesses.record(await scanViews(views, keys, signal))
    await compareRescanned(signal)
    return 'idle'
  }
}
