import type { Block, BlockFault, Header } from '../domain/chain.ts'
import { checkFollows, paysAt } from '../domain/chain.ts'
import { type ChainTime, chainTime, clockAgrees, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import type { Place } from '../domain/invoice.ts'
import { MAX_ZAT } from '../domain/money.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import { canHoldPayment, hasVanished, isDead, isWatched } from '../domain/payment.ts'
import { MAX_INDEX } from '../domain/viewing-key.ts'
import type { OpenedNote } from '../ports/chain.ts'
import type { Invoice, NewPayment, PaymentRow } from '../ports/repository/invoice.ts'
import type { Clock, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Reassess, Report } from './invoice-state.ts'

/** Blocks in order, and every note that a watched key sees in them. */
export interface BlocksRead {
  readonly blocks: readonly Block[]
  readonly notes: readonly OpenedNote[]
}

/** Transactions seen unmined, and every note that a watched key sees in them. */
export interface MempoolSeen {
  readonly notes: readonly OpenedNote[]
  /** nExpiryHeight by txid, where it is known. */
  readonly expiryHeights: ReadonlyMap<string, number>
}

/** The whole mempool of one server, read before the blocks up to the server's tip. */
export interface Snapshot extends MempoolSeen {
  /** Every transaction in it. */
  readonly txids: ReadonlySet<string>
  /** `newestOrder` before the mempool was asked for: payments recorded since may be missing in it. */
  readonly newestOrder: number
  /** Another number for every server, and for every session with it: what one lacks says nothing of another. */
  readonly server: number
  /** Unix seconds: chain and mempool are known as they were then. Null: this reading does not say so. */
  readonly seenThrough: number | null
  /** False when the chain was rewound meanwhile: what was mined then cannot have been in the mempool. */
  readonly tellsMissing: boolean
}

/** What does not follow the last block recorded, and why. */
export interface Misfit {
  readonly height: number
  readonly fault: BlockFault
}

/** What the watcher observes, recorded: each function is one transaction, events included. */
export interface Payments {
  /**
   * Records blocks that follow the last one recorded, the payments in them, and what both change. The first blocks of
   * all are taken as they are. Nothing is written when one does not follow: the misfit is returned.
   */
  recordBlocks(read: BlocksRead): Promise<Misfit | null>
  /** Records payments that are not in a block yet. */
  recordMempool(seen: MempoolSeen): Promise<void>
  /** The order of the payment recorded last; 0 before the first. */
  newestOrder(): Promise<number>
  /**
   * Records a complete reading of chain and mempool: the payments in the mempool, and which known ones it lacks. Drops
   * those that one server's readings have lacked for `MISSING_SECS` and a new block. Moves on the time through which
   * everything is seen, unless the block times say that the server has stalled or that the clock is wrong.
   */
  recordSnapshot(snapshot: Snapshot): Promise<ChainTime>
  /** Records payments in blocks read again; blocks, cursor and everything already known stay as they are. */
  recordFound(read: BlocksRead): Promise<{ readonly found: number; readonly misfit: Misfit | null }>
  /** Closes invoices whose time ran out within what is seen. How many; `limit` means there may be more. */
  closeDue(limit: number): Promise<number>
}

interface Sighting {
  readonly note: OpenedNote
  readonly place: Place
  /** Unix seconds: the block's, or the clock's. */
  readonly time: number
  readonly expiryHeight: number | null
  /** The block's height, or that of the last block recorded. */
  readonly height: number
}

interface Matched {
  readonly sighting: Sighting
  readonly invoice: Invoice
}

const SETTLING_PAGE = 1_000

export function createPayments(deps: {
  readonly store: Store
  readonly reassess: Reassess
  readonly report: Report
  readonly clock: Clock
  readonly params: ConsensusParams
}): Payments {
  const { store, reassess, report, clock, params } = deps
  /** The server of the last snapshot. Lost with the process: then what is missing is counted anew, which only delays. */
  let lastServer: number | null = null

  function minedSightings({ blocks, notes }: BlocksRead, now: number): Sighting[] {
    const blockOf = new Map(blocks.flatMap(block => block.transactions.map(({ txid }) => [txid, block] as const)))
    return notes.flatMap(note => {
      const block = blockOf.get(note.txid)
      if (!block) throw new Error('a note was opened in a transaction that is in none of the blocks')
      const { height } = block
      if (!paysAt(note.pool, height, params)) return []
      const place = { at: 'mined', height } as const
      return [{ note, place, time: Math.min(block.time, now), expiryHeight: null, height }]
    })
  }

  function mempoolSightings({ notes, expiryHeights }: MempoolSeen, tip: number, now: number): Sighting[] {
    return notes
      .filter(note => paysAt(note.pool, tip + 1, params))
      .map(note => ({
        note,
        place: { at: 'mempool' } as const,
        time: now,
        expiryHeight: expiryHeights.get(note.txid) ?? null,
        height: tip,
      }))
      .filter(sighting => !isDead(sighting.expiryHeight, tip))
  }

  /**
   * Records what is new among sightings of invoices that are locked already: of two processes that see one payment, the
   * second finds it known. Known payments are recorded whatever the time, since they may have moved.
   */
  async function recordSightings(rows: Rows, matched: readonly Matched[], now: number): Promise<number[]> {
    if (matched.length === 0) return []
    const known = new Set((await rows.payments.ofInvoices(idsOf(matched))).map(keyOf))
    const payments = matched
      .filter(({ sighting, invoice }) => known.has(keyOf(sighting.note)) || isWatched(invoice, sighting.time))
      .map(({ sighting, invoice }) => paymentOf(sighting, invoice, now))
    return payments.length === 0 ? [] : rows.payments.record(payments)
  }

  /**
   * Marks which unmined payments the snapshot holds and which it lacks, and drops those that have vanished. The invoices
   * that this can change.
   */
  async function judgeUnmined(rows: Rows, snapshot: Snapshot, at: { now: number; tip: number; clockIsRight: boolean }) {
    const { txids, newestOrder, server, tellsMissing } = snapshot
    const unmined = await rows.payments.inMempool()
    const present = unmined.filter(({ txid }) => txids.has(txid))
    const isNews = ({ inSnapshot, missing }: PaymentRow) => !inSnapshot || missing !== null
    const toMark = present.filter(payment => isNews(payment) || payment.lastSeenHeight < at.tip)
    await rows.payments.markPresent(ordersOf(toMark), at.tip)

    const lacking = tellsMissing ? unmined.filter(({ txid, order }) => !txids.has(txid) && order <= newestOrder) : []
    const sameServer = server === lastServer
    const since = (payment: PaymentRow) => (sameServer ? payment.missing : null)
    const vanished = lacking.filter(payment => {
      const missing = since(payment)
      return at.clockIsRight && missing !== null && hasVanished(missing, at.now, at.tip)
    })
    const begins = lacking.filter(payment => since(payment) === null)
    await rows.payments.markMissing(ordersOf(begins), { since: at.now, height: at.tip })
    const dropped = await drop(rows, vanished)
    return [...dropped, ...[...present.filter(isNews), ...begins].map(({ invoiceId }) => invoiceId)]
  }

  return {
    async recordBlocks(read) {
      const now = nowSecs(clock)
      const sightings = minedSightings(read, now)
      const newest = read.blocks.at(-1)
      if (!newest) return null
      const written = await store.write(async rows => {
        await rows.chain.lock()
        const misfit = findMisfit(await rows.chain.tip(), read.blocks)
        if (misfit) return misfit
        await rows.chain.append(read.blocks)
        const matched = await matchInvoices(rows, sightings)
        const settling = await allSettling(rows)
        const unmined = await rows.payments.inMempool()
        const dead = unmined.filter(payment => isDead(payment.expiryHeight, newest.height))
        // All at once and in one order, so that lockers do not deadlock.
        const deadIds = dead.map(({ invoiceId }) => invoiceId)
        await rows.invoices.lock([...idsOf(matched), ...settling, ...deadIds])
        const touched = await recordSightings(rows, matched, now)
        const dropped = await drop(rows, dead)
        return reassess(rows, [...touched, ...dropped, ...settling], now)
      })
      if ('fault' in written) return written
      report(written)
      return null
    },

    async recordMempool(seen) {
      const now = nowSecs(clock)
      const changes = await store.write(async rows => {
        const tip = (await rows.chain.tip())?.height ?? 0
        const matched = await lockMatched(rows, mempoolSightings(seen, tip, now))
        return reassess(rows, await recordSightings(rows, matched, now), now)
      })
      report(changes)
    },

    newestOrder: () => store.glance(rows => rows.payments.newestOrder()),

    async recordSnapshot(snapshot) {
      const now = nowSecs(clock)
      const { time, changes } = await store.write(async rows => {
        await rows.chain.lock()
        const newest = await rows.chain.newest(MEDIAN_BLOCKS)
        const tip = newest[0]?.height ?? 0
        const time = chainTime(params, newest, now)
        const matched = await lockMatched(rows, mempoolSightings(snapshot, tip, now))
        const touched = await recordSightings(rows, matched, now)
        const judged = await judgeUnmined(rows, snapshot, { now, tip, clockIsRight: clockAgrees(time) })
        if (time.state === 'ok' && snapshot.seenThrough !== null)
          await rows.chain.setSeenThrough(snapshot.seenThrough, now)
        return { time, changes: await reassess(rows, [...touched, ...judged], now) }
      })
      lastServer = snapshot.server
      report(changes)
      return time
    },

    async recordFound(read) {
      const now = nowSecs(clock)
      const sightings = minedSightings(read, now)
      const written = await store.write(async rows => {
        await rows.chain.lock()
        const misfit = await findForeign(rows, read.blocks)
        if (misfit) return misfit
        const matched = await lockMatched(rows, sightings)
        const rewinds = matched.length > 0 ? await rows.chain.rewinds() : []
        const possible = matched.filter(({ sighting, invoice }) => canHoldPayment(invoice, sighting.height, rewinds))
        return reassess(rows, await recordSightings(rows, possible, now), now)
      })
      if ('fault' in written) return { found: 0, misfit: written }
      report(written)
      return { found: written.length, misfit: null }
    },

    async closeDue(limit) {
      const now = nowSecs(clock)
      const changes = await store.write(async rows => {
        const seenThrough = await rows.chain.seenThrough()
        const newest = await rows.chain.newest(MEDIAN_BLOCKS)
        if (!clockAgrees(chainTime(params, newest, now))) return []
        const due = await rows.invoices.due(seenThrough, newest[0]?.height ?? 0, limit)
        return reassess(rows, due, now)
      })
      report(changes)
      return changes.length
    },
  }
}

/** Matched, and their invoices locked: what is read of them from here on stays true. */
async function lockMatched(rows: Rows, sightings: readonly Sighting[]): Promise<Matched[]> {
  const matched = await matchInvoices(rows, sightings)
  if (matched.length > 0) await rows.invoices.lock(idsOf(matched))
  return matched
}

/** Each sighting with the invoice at its diversifier index; a note of nothing, or of more than there is, pays nothing. */
async function matchInvoices(rows: Rows, sightings: readonly Sighting[]): Promise<Matched[]> {
  const worth = sightings.filter(
    ({ note: { valueZat, diversifierIndex } }) => valueZat > 0n && valueZat <= MAX_ZAT && diversifierIndex <= MAX_INDEX,
  )
  const indexes = new Map(worth.map(({ note }) => [indexKey(note), note]))
  if (indexes.size === 0) return []
  const found = await rows.invoices.atIndexes([...indexes.values()])
  const invoices = new Map(found.map(invoice => [indexKey(invoice), invoice]))
  return worth.flatMap(sighting => {
    const invoice = invoices.get(indexKey(sighting.note))
    return invoice ? [{ sighting, invoice }] : []
  })
}

function paymentOf({ note, place, expiryHeight, height }: Sighting, invoice: Invoice, seenAt: number): NewPayment {
  const { txid, pool, outputIndex, valueZat } = note
  const payment = { invoiceId: invoice.id, txid, pool, outputIndex, valueZat, place, expiryHeight, seenAt }
  return { ...payment, lastSeenHeight: height }
}

function findMisfit(tip: Header | null, blocks: readonly Block[]): Misfit | null {
  let previous = tip
  for (const block of blocks) {
    const fault = previous && checkFollows(previous, block)
    if (fault) return { height: block.height, fault }
    previous = block
  }
  return null
}

/** A block that is not the one remembered at its height, or that is not recorded. */
async function findForeign(rows: Rows, blocks: readonly Block[]): Promise<Misfit | null> {
  const tip = await rows.chain.tip()
  const oldest = await rows.chain.oldestHeight()
  for (const { height, hash } of blocks) {
    const ours = await rows.chain.headerAt(height)
    const recorded = tip !== null && oldest !== null && height <= tip.height && (ours !== null || height < oldest)
    if (!recorded) return { height, fault: { fault: 'gap', expected: tip?.height ?? 0 } }
    if (ours && ours.hash !== hash) return { height, fault: { fault: 'fork' } }
  }
  return null
}

async function drop(rows: Rows, payments: readonly PaymentRow[]): Promise<number[]> {
  return payments.length === 0 ? [] : rows.payments.drop([...new Set(payments.map(({ txid }) => txid))])
}

function ordersOf(payments: readonly PaymentRow[]): number[] {
  return payments.map(({ order }) => order)
}

function idsOf(matched: readonly Matched[]): number[] {
  return [...new Set(matched.map(({ invoice }) => invoice.id))]
}

/** Every unpaid invoice that has received its full amount: a new block can confirm any of them. */
async function allSettling(rows: Rows): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const page = await rows.invoices.settling(SETTLING_PAGE, ids.at(-1) ?? 0)
    ids.push(...page)
    if (page.length < SETTLING_PAGE) return ids
  }
}

function keyOf(payment: Pick<OpenedNote, 'txid' | 'pool' | 'outputIndex'>): string {
  return `${payment.txid} ${payment.pool} ${payment.outputIndex}`
}

function indexKey(at: { readonly viewingKeyId: number; readonly diversifierIndex: bigint }): string {
  return `${at.viewingKeyId} ${at.diversifierIndex}`
}
