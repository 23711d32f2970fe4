import type { AccountLog, SeenEvent } from './account-log.ts'
import { type EndpointDeliveryRow, type EndpointRow, isActive, wants } from './ledger.ts'

/** An endpoint, with what its owner may expect of it. */
export class KnownEndpoint {
  row: EndpointRow
  /** Before the present commit. */
  before: EndpointRow
  /** Events that it must be sent and that were not begun. */
  readonly owed = new Map<bigint, SeenEvent>()
  /** Numbers of the events that it has received. */
  readonly delivered = new Set<bigint>()
  /** Numbers of the events that were tried and given up. */
  readonly ended = new Set<bigint>()
  /** Events up to this number are sent only on request. */
  floor: bigint
  /** How often it was enabled again, resumed, or had its terms changed. */
  changes = 0
  /** The newest event when it stopped being active. */
  stoppedAt = 0n
  /** The first event whose first attempt has failed since the last success. */
  failingFrom: bigint | null = null
  /** How often nothing was left to run, when each event was last begun. */
  readonly begunAtIdles = new Map<bigint, number>()
  /** Its present commit has enabled it again, resumed it, or removed it. */
  isReplaced = false
  readonly #log: AccountLog

  /** @param floor see there. Default: the cursor */
  constructor(row: EndpointRow, log: AccountLog, floor = row.cursor_seq) {
    this.row = row
    this.before = row
    this.#log = log
    this.floor = floor
    if (isActive(row)) this.#oweAfter(row.cursor_seq)
  }

  /**
   * Reads what a commit has made of it.
   * @param events of the commit
   * @param isMixed several use cases share the commit: they may also have disabled the endpoint and enabled it again
   * @param firstSeq after this number, the commit may have begun events
   * @returns whether its cursor went back
   */
  update(row: EndpointRow, events: readonly SeenEvent[], isMixed: boolean, firstSeq: bigint): boolean {
    const before = this.row
    this.before = before
    this.row = row
    const isStopped = isActive(before) && !isActive(row)
    const isStarted = !isActive(before) && isActive(row)
    this.isReplaced = isStarted || row.removed_at !== before.removed_at
    if (row.failing_since === null) this.failingFrom = null
    if (before.url !== row.url || before.schedule !== row.schedule || before.types !== row.types) this.changes += 1
    if (isStopped) {
      this.stoppedAt = this.#log.newest(row.account_id)
      this.owed.clear()
      this.changes += 1
    } else if (isStarted) {
      this.floor = firstSeq
      this.owed.clear()
      this.#oweAfter(row.cursor_seq)
      this.changes += 1
    } else if (isActive(row)) {
      for (const [seq, { type }] of this.owed) if (!wants(row, type)) this.owed.delete(seq)
      for (const event of events) if (event.account_id === row.account_id && wants(before, event.type)) this.#owe(event)
    }
    const passed = isMixed ? row.cursor_seq : 0n
    const pruned = this.#log.prunedSeq(row.account_id)
    for (const seq of this.owed.keys()) if (seq <= pruned || seq <= passed) this.owed.delete(seq)
    return !isStarted && firstSeq < before.cursor_seq
  }

  /** Its owner wants all events after this number that it has not received. @param openSeqs those that it is being sent */
  goBackTo(seq: bigint, openSeqs: ReadonlySet<bigint>): void {
    if (seq < this.floor) this.floor = seq
    for (const ended of this.ended) if (ended > seq) this.ended.delete(ended)
    if (isActive(this.row)) this.#oweAfter(this.row.cursor_seq)
    for (const open of openSeqs) this.owed.delete(open)
  }

  /** An event is sent to it for the first time, or again. */
  begins(seq: bigint, idles: number): void {
    this.owed.delete(seq)
    this.ended.delete(seq)
    this.begunAtIdles.set(seq, idles)
  }

  /** A delivery has ended. */
  ends({ account_id: account, event_seq: seq, state, event_type: type }: EndpointDeliveryRow): void {
    if (type === 'test') return
    // One commit may disable it and resume it with recovery.
    const again = state === 'canceled' && isActive(this.row) && seq > this.row.cursor_seq
    const event = again ? this.#log.bySeq(account, seq) : undefined
    if (event) this.#owe(event)
    if (state === 'delivered') this.delivered.add(seq)
    // An event behind the cursor of a recovery is sent again, also when its present delivery fails meanwhile.
    if (state === 'failed' && seq <= this.row.cursor_seq) this.ended.add(seq)
  }

  /** Wanted events after a number that it has neither received nor been sent since then. @param idles a moment */
  missing(after: bigint, openSeqs: ReadonlySet<bigint>, idles: number): SeenEvent | undefined {
    return this.#log
      .after(this.row.account_id, after)
      .find(
        ({ seq, type }) =>
          wants(this.row, type) &&
          !this.owed.has(seq) &&
          !this.delivered.has(seq) &&
          !openSeqs.has(seq) &&
          (this.begunAtIdles.get(seq) ?? -1) < idles,
      )
  }

  #oweAfter(seq: bigint): void {
    for (const event of this.#log.after(this.row.account_id, seq)) this.#owe(event)
  }

  #owe(event: SeenEvent): void {
    const { seq, type } = event
    if (wants(this.row, type) && !this.delivered.has(seq)) this.owed.set(seq, event)
  }
}
