import type { CompactTransaction } from '../../domain/chain.ts'
import type { OpenedNote } from '../../ports/chain.ts'
import type { Chain, Clock, Log, Viewer } from '../../ports.ts'
import { nowSecs } from '../../ports.ts'
import type { Headers } from '../../services/chain-rewind.ts'
import type { MempoolSeen, Payments } from '../../services/payment.ts'
import type { WatchKeys } from '../../services/scan-key.ts'
import { gather } from './batches.ts'

export interface MempoolDeps {
  readonly chain: Chain
  readonly viewer: Viewer
  readonly payments: Payments
  readonly headers: Headers
  readonly keys: WatchKeys
  readonly clock: Clock
  readonly log: Log
}

export interface MempoolReader {
  /**
   * Records payments as they enter the mempool, until the server ends its stream, as it does at each block; how many
   * transactions it read.
   */
  stream(signal: AbortSignal): Promise<number>
  /** The notes in unmined transactions; each transaction is opened once. */
  open(transactions: readonly CompactTransaction[], signal: AbortSignal): Promise<MempoolSeen>
}

interface Known {
  readonly notes: readonly OpenedNote[]
  readonly expiryHeight: number | undefined
}

interface Unmined {
  readonly transaction: CompactTransaction
  readonly expiryHeight?: number
}

/** A raw transaction may have 2 MB. */
const MOST_AT_ONCE = 32
const MOST_KNOWN = 20_000

export function createMempoolReader({
  chain,
  viewer,
  payments,
  headers,
  keys,
  clock,
  log,
}: MempoolDeps): MempoolReader {
  /**
   * What is known of each transaction, the longest unseen first. It stays true: an invoice made after a transaction
   * was seen has an address that its sender could not know.
   */
  const known = new Map<string, Known>()

  /** The notes of transactions not seen before. */
  async function openNew(transactions: readonly CompactTransaction[], signal: AbortSignal) {
    if (transactions.length === 0) return new Map<string, OpenedNote[]>()
    // A clock that is ahead must not leave keys out: what is opened without a key is not opened again.
    const tipTime = (await headers.position())?.tip.time
    const watched = await keys.watchedAt(Math.min(nowSecs(clock), tipTime ?? 0))
    return Map.groupBy(await viewer.open(watched, transactions, signal), note => note.txid)
  }

  async function look(unmined: readonly Unmined[], signal: AbortSignal): Promise<MempoolSeen> {
    const before = new Map(unmined.map(({ transaction: { txid } }) => [txid, known.get(txid)]))
    const fresh = unmined.map(({ transaction }) => transaction).filter(({ txid }) => !before.get(txid))
    const opened = await openNew(fresh, signal)
    const expiryHeights = new Map<string, number>()
    const notes = unmined.flatMap(({ transaction: { txid }, ...seen }) => {
      const expiryHeight = seen.expiryHeight ?? before.get(txid)?.expiryHeight ?? known.get(txid)?.expiryHeight
      if (expiryHeight !== undefined) expiryHeights.set(txid, expiryHeight)
      const found = before.get(txid)?.notes ?? opened.get(txid) ?? []
      remember(txid, { notes: found, expiryHeight })
      return found
    })
    return { notes, expiryHeights }
  }

  function remember(txid: string, facts: Known): void {
    known.delete(txid)
    known.set(txid, facts)
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!)
  }

  async function read(raw: Uint8Array): Promise<Unmined[]> {
    const compact = await viewer.compact(raw)
    // The snapshots show its outputs all the same, if it is a transaction of a version yet to come.
    if (!compact) log.warn({ bytes: raw.length }, 'the mempool holds what cannot be read as a transaction')
    return compact ? [compact] : []
  }

  return {
    open: (transactions, signal) =>
      look(
        transactions.map(transaction => ({ transaction })),
        signal,
      ),

    async stream(signal) {
      const ending = new AbortController()
      const own = AbortSignal.any([signal, ending.signal])
      let count = 0
      try {
        for await (const raws of gather(chain.mempool(own), MOST_AT_ONCE)) {
          count += raws.length
          const unmined = (await Promise.all(raws.map(read))).flat()
          const seen = await look(unmined, signal)
          if (seen.notes.length > 0) await payments.recordMempool(seen)
        }
        return count
      } finally {
        ending.abort()
      }
    },
  }
}
