import { allPaymentsVisible, type ChainProblem } from './chain-problem.ts'
import type { ChainTime } from './clock-agreement.ts'

/**
 * The knowledge of one process about chain and mempool, as a value: `observe` returns the next one; `conclude`,
 * `listState` and `mempoolIsKnown` say what it proves. All times are Unix seconds.
 *
 * Only conclusions are stored: the synced time, and since when a payment has vanished. The rest compares lists of one
 * server session, which ends with the process, so storing it would prove nothing: after a restart three syncs are needed
 * until `syncedThrough` advances again, and the wait for a vanished payment starts again.
 */
export interface ChainKnowledge {
  /** The last sync, complete or not; null before the first. */
  readonly sync: Sync | null
  readonly unconfirmed: UnconfirmedSync | null
  /** Oldest first. Their lists are at least `MAX_MEMPOOL_AGE_SECS` apart, so there are few. */
  readonly confirmed: readonly ConfirmedSync[]
  /** When a read of the mempool failed last, for any client of the server; null: never. */
  readonly failedAt: number | null
  /** The first list after a failure may be as old as the failure. False once such a list is recorded. */
  readonly awaitsFirstList: boolean
  /** Ids of the transactions in mempool lists that were read and not yet compared with the payments. Null: too many. */
  readonly uncompared: ReadonlySet<string> | null
  /** When the last list was requested that is recorded; null: none, or the last one is recorded in part or was old. */
  readonly recordedAt: number | null
  /** The last list whose absences are recorded; null: none. */
  readonly absences: RecordedAbsences | null
  /** Sequence numbers of the unmined payments that no second server had shown when the last list was recorded. */
  readonly unwitnessed: ReadonlySet<number>
}

/** Absences at two servers do not add up, nor do those of lists with a long time between them that no list was read in. */
interface RecordedAbsences {
  readonly serverEpoch: number
  readonly listedAt: number
}

interface Sync {
  /** Just before the mempool was requested. */
  readonly startedAt: number
  readonly serverEpoch: number
  /** A failed read of the mempool has been reported since the start. */
  readonly hasFailed: boolean
  /** The list was requested so soon after a failure that it may be old. */
  readonly isListOld: boolean
  readonly rewound: boolean
}

/**
 * A complete sync that a later one has to confirm. It can miss a transaction that entered the mempool after the server
 * last asked its node, and one whose block was replaced between the reads of mempool and blocks. A later sync reads both.
 */
interface UnconfirmedSync {
  readonly startedAt: number
  readonly endedAt: number
  readonly serverEpoch: number
}

/**
 * A sync that a list has confirmed which a failed read of another client may have made old: the mempool stream reports
 * such a failure, but perhaps only when it is open again.
 */
interface ConfirmedSync {
  readonly startedAt: number
  /** When the list was requested. */
  readonly listedAt: number
}

export type Observation =
  /** The mempool is requested next, and then the blocks: what leaves the mempool meanwhile is in a block that is read. */
  | {
      readonly type: 'sync_started'
      readonly at: number
      /** Changes with each server and each session. Lists of different servers cannot be compared. */
      readonly serverEpoch: number
    }
  | { readonly type: 'mempool_listed'; readonly txids: ReadonlySet<string> }
  /** To this process, or to another client of the server, which ends the stream. */
  | { readonly type: 'mempool_failed'; readonly at: number }
  | {
      readonly type: 'blocks_read'
      /** Payments in blocks that were removed during the sync were not in its list. */
      readonly rewound: boolean
    }
  /** A page of the list is recorded. Until the last one is, payments may count as present that left the mempool. */
  | { readonly type: 'page_recorded' }
  | {
      readonly type: 'snapshot_recorded'
      readonly at: number
      /** Else no absence was recorded. */
      readonly clockAgrees: boolean
      /** The list was compared with the payments, see `ListState.isRecent`. */
      readonly compared: boolean
      readonly unwitnessed: ReadonlySet<number>
    }

export interface Conclusions {
  /** Chain and mempool are completely known up to this time. Null: not proven further than before. */
  readonly syncedThrough: number | null
  /**
   * False when the list may be old, and when the chain was rewound during the reading: payments mined at that time were
   * not in the mempool.
   */
  readonly provesVanished: boolean
  /**
   * Ids of the transactions in this list, and in those that were read since the last list that proved absences and not
   * recorded: these were not absent all the time. Null: any transaction may have been in such a list.
   */
  readonly uncompared: ReadonlySet<string> | null
}

/**
 * The time to record as known. Null while the block times show a stalled server or a wrong clock: what the server has not
 * shown yet may have been earlier. Null too when it is ahead of the clock, which was wrong when the lists were requested.
 *
 * @param now Unix seconds, the clock that `time` compares with the chain
 */
export function recordedThrough(
  { syncedThrough }: Pick<Conclusions, 'syncedThrough'>,
  time: ChainTime,
  now: number,
): number | null {
  if (time.state !== 'ok' || syncedThrough === null || syncedThrough > now) return null
  return syncedThrough
}

/** The list of the last sync, before it is recorded. */
export interface ListState {
  /** Unix seconds: just before it was requested. What it lacks was absent then. */
  readonly listedAt: number
  /** If not, it is not compared with the payments: it must not replace a newer list of another process. */
  readonly isRecent: boolean
  /** No list was recorded lately, so mempool payments have confirmed nothing. */
  readonly isFirst: boolean
  /** A transaction that both this list and the last list with recorded absences lack was absent in between. */
  readonly continuesAbsences: boolean
}

/** Exceeds the age of a server's list and some failed readings. */
const MAX_RECORDED_AGE_SECS = 30
/** Maximum age of a server's mempool list, with a margin: lightwalletd asks its node at most every 2 s. */
export const MAX_MEMPOOL_AGE_SECS = 3
/**
 * After a failed mempool read of any client, lightwalletd may serve a list of any age for 2 s. The stream is opened again
 * at most 3 s after a failure. With a margin.
 */
const STALE_AFTER_FAILURE_SECS = 5
/** As many as a server may list at once. */
const MAX_UNCOMPARED = 100_000

export const NOTHING_KNOWN: ChainKnowledge = {
  sync: null,
  unconfirmed: null,
  confirmed: [],
  failedAt: null,
  awaitsFirstList: false,
  uncompared: new Set(),
  recordedAt: null,
  absences: null,
  unwitnessed: new Set(),
}

export function observe(known: ChainKnowledge, observation: Observation): ChainKnowledge {
  switch (observation.type) {
    case 'sync_started': {
      const { at: startedAt, serverEpoch } = observation
      return { ...known, sync: { startedAt, serverEpoch, hasFailed: false, isListOld: false, rewound: false } }
    }
    case 'mempool_listed':
      return { ...known, uncompared: union(known.uncompared, observation.txids) }
    case 'mempool_failed': {
      const sync = known.sync && { ...known.sync, hasFailed: true }
      return { ...known, sync, failedAt: observation.at, awaitsFirstList: true, confirmed: [] }
    }
    case 'blocks_read':
      return known.sync ? observeBlocks(known, known.sync, observation.rewound) : known
    case 'page_recorded':
      return { ...known, recordedAt: null }
    case 'snapshot_recorded':
      return known.sync ? observeRecorded(known, known.sync, observation) : known
  }
}

/** The conclusions to record with the list of the last sync, once its blocks are read. */
export function conclude(known: ChainKnowledge, problems: readonly ChainProblem[]): Conclusions {
  return {
    syncedThrough: allPaymentsVisible(problems) ? (settled(known)?.startedAt ?? null) : null,
    provesVanished: provesVanished(known),
    uncompared: known.uncompared,
  }
}

/** @param now Unix seconds: when the recording of the list begins */
export function listState(known: ChainKnowledge, now: number): ListState {
  const { sync, absences } = known
  return {
    listedAt: sync?.startedAt ?? 0,
    isRecent: sync !== null && isRecent(sync.startedAt, now),
    isFirst: !mempoolIsKnown(known, now),
    continuesAbsences:
      sync !== null && sync.serverEpoch === absences?.serverEpoch && isRecent(absences.listedAt, sync.startedAt),
  }
}

/** Whether a recent list is recorded, so that mempool payments can confirm invoices. @param now Unix seconds */
export function mempoolIsKnown({ recordedAt }: ChainKnowledge, now: number): boolean {
  return recordedAt !== null && isRecent(recordedAt, now)
}

function observeBlocks(known: ChainKnowledge, sync: Sync, rewound: boolean): ChainKnowledge {
  const { startedAt, serverEpoch } = sync
  const { failedAt, unconfirmed, confirmed } = known
  const isListOld = failedAt !== null && Math.abs(startedAt - failedAt) < STALE_AFTER_FAILURE_SECS
  const clockWentBack = unconfirmed !== null && startedAt < unconfirmed.endedAt
  const isBroken = isListOld || rewound || clockWentBack || unconfirmed?.serverEpoch !== serverEpoch
  return {
    ...known,
    sync: { ...sync, isListOld, rewound },
    unconfirmed: isBroken ? null : unconfirmed,
    confirmed: isBroken ? [] : confirmed,
  }
}

function observeRecorded(
  known: ChainKnowledge,
  sync: Sync,
  { at, clockAgrees, compared, unwitnessed }: Extract<Observation, { type: 'snapshot_recorded' }>,
): ChainKnowledge {
  const { startedAt, serverEpoch, hasFailed, isListOld } = sync
  const { unconfirmed } = known
  const confirms = unconfirmed !== null && startedAt >= unconfirmed.endedAt + MAX_MEMPOOL_AGE_SECS
  const done = settled(known)
  const waiting = done ? known.confirmed.filter(({ listedAt }) => listedAt > done.listedAt) : known.confirmed
  const isNext = confirms && !hasFailed
  const isFirst = unconfirmed === null && !isListOld
  const recordsAbsences = provesVanished(known) && clockAgrees && compared
  return {
    ...known,
    unconfirmed: confirms || isFirst ? { startedAt, endedAt: at, serverEpoch } : unconfirmed,
    confirmed: isNext ? [...waiting, { startedAt: unconfirmed.startedAt, listedAt: startedAt }] : waiting,
    awaitsFirstList: known.awaitsFirstList && (isListOld || hasFailed),
    recordedAt: compared ? startedAt : null,
    unwitnessed,
    ...(recordsAbsences && { uncompared: new Set(), absences: { serverEpoch, listedAt: startedAt } }),
    // By a clock that was set back meanwhile, the sync began later than it says.
    ...(at < startedAt && { unconfirmed: null, confirmed: [] }),
  }
}

/**
 * The time up to which chain and mempool are known, in Unix seconds. A stored time ahead of the clock was written by a wrong
 * clock, so it counts as zero.
 */
export function knownThrough(syncedThrough: number, now: number): number {
  return syncedThrough > now ? 0 : syncedThrough
}

/** Whether a payment that the last list lacks was not in the mempool. */
function provesVanished({ sync, awaitsFirstList }: ChainKnowledge): boolean {
  return sync !== null && !sync.rewound && !sync.isListOld && !awaitsFirstList
}

function isRecent(listedAt: number, now: number): boolean {
  return listedAt <= now && now - listedAt <= MAX_RECORDED_AGE_SECS
}

/** The newest confirmed sync for whose list no failure was reported until the last sync started. */
function settled({ sync, confirmed }: ChainKnowledge): ConfirmedSync | null {
  if (!sync) return null
  return confirmed.findLast(({ listedAt }) => sync.startedAt >= listedAt + STALE_AFTER_FAILURE_SECS) ?? null
}

function union(ids: ReadonlySet<string> | null, more: ReadonlySet<string>): ReadonlySet<string> | null {
  if (ids === null || ids.size === 0) return ids && more
  const all = new Set([...ids, ...more])
  return all.size <= MAX_UNCOMPARED ? all : null
}
