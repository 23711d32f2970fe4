import type { CompactTransaction } from '../../domain/chain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DecryptedNote, NoteScanner } from '../../ports/note-scanner.ts'
import type { ChainRecorder } from '../../services/chain/chain-sync.ts'
import type { ScannedMempool } from '../../services/chain/mempool-snapshot.ts'
import type { RecordedChain } from '../../services/chain/recorded-chain.ts'
import type { ScanKeys } from '../../services/chain/scan-key.ts'
import { type BatchLimits, coalesce } from './coalesce.ts'

export interface MempoolDeps {
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly chainRecorder: ChainRecorder
  readonly recordedChain: RecordedChain
  readonly scanKeys: ScanKeys
  readonly clock: Clock
  readonly log: Log
}

export interface MempoolReader {
  /**
   * Records payments as they enter the mempool, until the server ends the stream at the next block. Returns the number of
   * transactions read.
   */
  stream(signal: AbortSignal): Promise<number>
  /**
   * Scans unmined transactions for notes. Each transaction is scanned once and then cached.
   * @param tipTime Unix seconds: time of the newest recorded block; 0 before the first
   */
  scan(transactions: readonly CompactTransaction[], tipTime: number, signal: AbortSignal): Promise<ScannedMempool>
}

interface CachedScan {
  /** Null: scanned without the keys that were set aside. */
  readonly notes: readonly DecryptedNote[] | null
  readonly expiryHeight: number | undefined
}

interface Unmined {
  readonly transaction: CompactTransaction
  readonly expiryHeight?: number
}

/** Reads the time of the newest recorded block. Called only when there are transactions to scan. */
type TipTime = () => Promise<number>

/** Raw transactions per batch. One may have 2 MB. While a batch is scanned, the next one is collected. */
const BATCH: BatchLimits<Uint8Array> = { maxItems: 32, maxBytes: 4 * 1024 * 1024, bytesOf: raw => raw.length }
const MAX_CACHED = 20_000

export function createMempoolReader({
  chain,
  noteScanner,
  chainRecorder,
  recordedChain,
  scanKeys,
  clock,
  log,
}: MempoolDeps): MempoolReader {
  /**
   * Scan results by txid, least recently seen first. They stay valid: the sender of a transaction could not know the
   * address of an invoice that was created after it.
   */
  const cache = new Map<string, CachedScan>()

  const readTipTime: TipTime = async () => (await recordedChain.position())?.tip.time ?? 0

  /** Scans transactions that are not cached. Returns the notes by txid, and whether with all keys. */
  async function scanNew(transactions: readonly CompactTransaction[], tipTime: TipTime, signal: AbortSignal) {
    if (transactions.length === 0) return { notes: new Map<string, DecryptedNote[]>(), isComplete: true }
    // Limited by the tip's time: if the clock is ahead, keys would be left out, and a cached transaction is not scanned again.
    const { keys, leftOut } = await scanKeys.watchedAt(Math.min(nowSecs(clock), await tipTime()))
    const notes = await noteScanner.scan(keys, transactions, { signal, isUrgent: true })
    return { notes: Map.groupBy(notes, note => note.txid), isComplete: leftOut.length === 0 }
  }

  async function scanUnmined(
    unmined: readonly Unmined[],
    tipTime: TipTime,
    signal: AbortSignal,
  ): Promise<ScannedMempool> {
    const before = new Map(unmined.map(({ transaction: { txid } }) => [txid, cache.get(txid)]))
    const uncached = unmined.map(({ transaction }) => transaction).filter(({ txid }) => !before.get(txid)?.notes)
    const scanned = await scanNew(uncached, tipTime, signal)
    const expiryHeights = new Map<string, number>()
    const notes = unmined.flatMap(({ transaction: { txid }, ...seen }) => {
      const expiryHeight = seen.expiryHeight ?? before.get(txid)?.expiryHeight ?? cache.get(txid)?.expiryHeight
      if (expiryHeight !== undefined) expiryHeights.set(txid, expiryHeight)
      const known = before.get(txid)?.notes
      const found = known ?? scanned.notes.get(txid) ?? []
      store(txid, { notes: known || scanned.isComplete ? found : null, expiryHeight })
      return found
    })
    return { notes, expiryHeights }
  }

  function store(txid: string, scan: CachedScan): void {
    cache.delete(txid)
    cache.set(txid, scan)
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
  }

  async function parse(raw: Uint8Array): Promise<Unmined[]> {
    const compact = await noteScanner.toCompact(raw)
    // A transaction of an unknown future version: the mempool snapshots still contain its outputs.
    if (!compact) log.warn({ bytes: raw.length }, 'cannot parse a transaction of the mempool stream')
    return compact ? [compact] : []
  }

  return {
    scan: (transactions, tipTime, signal) =>
      scanUnmined(
        transactions.map(transaction => ({ transaction })),
        async () => tipTime,
        signal,
      ),

    async stream(signal) {
      const ending = new AbortController()
      const streamSignal = AbortSignal.any([signal, ending.signal])
      let count = 0
      try {
        for await (const raws of coalesce(chain.mempool(streamSignal), BATCH)) {
          count += raws.length
          const unmined = (await Promise.all(raws.map(parse))).flat()
          const seen = await scanUnmined(unmined, readTipTime, signal)
          if (seen.notes.length > 0) await chainRecorder.recordMempool(seen)
        }
        return count
      } finally {
        ending.abort()
      }
    },
  }
}
