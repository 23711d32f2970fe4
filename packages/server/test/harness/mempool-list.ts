import type { ChainRecorder } from '../../src/services/chain/chain-sync.ts'
import type { MempoolSnapshot, RecordedSnapshot } from '../../src/services/chain/mempool-snapshot.ts'

/** A list of a server's mempool. */
export interface MempoolList extends Pick<MempoolSnapshot, 'notes' | 'txids' | 'syncedThrough'> {
  /** Unix seconds. */
  readonly readAt: number
  /** The last payment sequence number before. Default: after all. */
  readonly lastSeq?: number
  /** Default: unknown. */
  readonly expiryHeights?: ReadonlyMap<string, number>
  /** Default: 1. */
  readonly serverEpoch?: number
  /** Blocks were removed while it was read, so it proves no absence. Default: false. */
  readonly rewound?: boolean
}

/** Records a list as chain sync does, except that the synced time is given. */
export async function recordList(
  recorder: ChainRecorder,
  { readAt, serverEpoch = 1, rewound = false, syncedThrough, ...list }: MempoolList,
): Promise<RecordedSnapshot> {
  const { notes, txids, lastSeq = Number.MAX_SAFE_INTEGER, expiryHeights = new Map() } = list
  recorder.see({ type: 'sync_started', at: readAt, serverEpoch })
  recorder.see({ type: 'mempool_listed', txids })
  recorder.see({ type: 'blocks_read', rewound })
  const conclusions = { ...recorder.conclude([]), syncedThrough }
  return recorder.recordSnapshot({ notes, txids, lastSeq, expiryHeights, ...conclusions })
}
