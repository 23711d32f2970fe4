import { isGeneralFault } from '../../domain/set-aside.ts'
import type { Chain } from '../../ports/chain.ts'
import type { NoteScanner, ScanKey } from '../../ports/note-scanner.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { ChainRecorder } from '../../services/chain/chain-sync.ts'
import type { MissedBlocks } from '../../services/chain/missed-blocks.ts'
import type { ScanKeys } from '../../services/chain/scan-key.ts'
import type { SetAsides } from '../../services/set-aside.ts'
import type { LoopResult } from '../loop.ts'
import { rescanBatch } from './rescan.ts'

export interface MissedBlocksDeps {
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly chainRecorder: ChainRecorder
  readonly scanKeys: ScanKeys
  readonly setAsides: SetAsides
  readonly missedBlocks: MissedBlocks
}

/** A key that is set aside waits for its time, for a complete sync, or for one that has caught up. */
const RETRY_MS = 2_000
/** Keys tried in one run, each on one batch of blocks, and as many that have no blocks left. */
const MAX_KEYS = 10

/**
 * Creates a function that tries the viewing keys that are set aside again: one that opens is tried on the blocks that it
 * missed, in bounded batches beside the chain sync, and then joins the scans.
 */
export function createMissedBlocksReader(deps: MissedBlocksDeps): (signal: AbortSignal) => Promise<LoopResult> {
  const { scanKeys, setAsides, missedBlocks } = deps

  async function openOrRecord(entry: SetAside): Promise<ScanKey | 'gone' | null> {
    try {
      return (await scanKeys.open(entry)) ?? 'gone'
    } catch (error) {
      await setAsides.record(entry, error)
      return null
    }
  }

  /** Returns whether there is more to read now. */
  async function readNext(entry: SetAside, key: ScanKey, signal: AbortSignal): Promise<boolean> {
    const { fromHeight } = entry
    if (fromHeight === null) {
      await missedBlocks.removeIfSynced(entry)
      return false
    }
    const tip = await missedBlocks.tip()
    if (tip === null || fromHeight > tip) {
      await missedBlocks.unmine(entry)
      return missedBlocks.advance(entry, null)
    }
    await missedBlocks.unmine(entry)
    const range = { from: fromHeight, to: tip, previous: null }
    const keys = async () => ({ keys: [key], leftOut: [] })
    const { newest } = await rescanBatch(deps, range, keys, signal, { isAlone: true })
    return missedBlocks.advance(entry, newest)
  }

  return async function readMissedBlocks(signal) {
    let hasMore = false
    let succeeded = 0
    const failed: { entry: SetAside; error: unknown }[] = []
    const due = await missedBlocks.listDue(MAX_KEYS)
    if (due.length === 0) return 'idle'
    for (const entry of due) {
      signal.throwIfAborted()
      const key = await openOrRecord(entry)
      if (key === 'gone') await missedBlocks.remove(entry)
      else if (key)
        try {
          hasMore = (await readNext(entry, key, signal)) || hasMore
          succeeded += 1
        } catch (error) {
          signal.throwIfAborted()
          // An outage of the chain server is no failure of the key.
          await deps.chain.tip(signal)
          failed.push({ entry, error })
        }
    }
    const failedAccounts = failed.map(({ entry }) => entry.rowId)
    if (failed[0] && isGeneralFault({ succeeded, failedAccounts })) throw failed[0].error
    // A key whose blocks cannot be read waits, so that the others are read.
    for (const { entry, error } of failed) await setAsides.record(entry, error)
    return hasMore ? 'again' : { pauseMs: RETRY_MS }
  }
}
