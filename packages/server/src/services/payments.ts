import type { Block, BlockFault, Header } from '../domain/chain.ts'
import { checkFollows, paysAt } from '../domain/chain.ts'
import type { Place } from '../domain/invoice.ts'
import { MAX_ZAT } from '../domain/money.ts'
import { isDead, isWatched } from '../domain/payment.ts'
import { MAX_INDEX } from '../domain/viewing-key.ts'
import type { OpenedNote } from '../ports/chain.ts'
import type { Invoice, NewPayment } from '../ports/invoice.ts'
import type { WatchMeter } from '../ports/watch-meter.ts'
import { NO_WATCH_METER } from '../ports/watch-meter.ts'
import type { Clock, Log, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Change, Reassess } from './assessment.ts'

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

/** The whole mempool at one moment, taken before the blocks were read up to the server's tip. */
export interface Snapshot extends MempoolSeen {
  /** Every transaction in it. */
  readonly txids: ReadonlySet<string>
  /** Unix seconds, before the mempool was asked for. */
  readonly began: number
  /** False when the chain was rewound meanwhile: what was mined then cannot have been in the mempool. */
  readonly tellsMissing: boolean
}

/** What does not follow the last block recorded, and why. */
export interface Misfit {
  readonly height: number
  readonly fault: BlockFault
}

/** What the watcher finds out, written down: each function is one transaction, events included. */
export interface Payments {
  /** Newest and oldest block that is remembered; null before the first. */
  position(): Promise<{ readonly tip: Header; readonly oldest: number } | null>
  headerAt(height: number): Promise<Header | null>
  /**
   * Records blocks that follow the last one recorded, the payments in them, and what both change. The first blocks of
   * all are taken as they are. Nothing is written when one does not follow: the misfit is returned.
   */
  recordBlocks(read: BlocksRead): Promise<Misfit | null>
  /** Forgets the blocks above a height; the payments in them count as unmined until they are seen again or missed. */
  rewind(toHeight: number): Promise<void>
  /** Records payments that are not in a block yet. */
  recordMempool(seen: MempoolSeen): Promise<void>
  /**
   * Ends a complete look at chain and mempool: records the payments in the mempool, drops those that two looks in a
   * row have missed, and moves on the time through which everything is seen.
   */
  recordSnapshot(snapshot: Snapshot): Promise<void>
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
}

const SETTLING_PAGE = 1_000

export function createPayments(deps: {
  readonly store: Store
  readonly reassess: Reassess
  readonly clock: Clock
  readonly log: Log
  /** First block in which Ironwood notes pay, and Orchard notes no more; null: never. */
  readonly nu63Height: number | null
  readonly meter?: WatchMeter
}): Payments {
  const { store, reassess, clock, log, nu63Height, meter = NO_WATCH_METER } = deps
  /** Payments' transactions that the last complete look missed. */
  let missed: ReadonlySet<string> = new Set()

  /** Tells of what is committed; a transaction may run more than once, and so tells nothing itself. */
  function report(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      if (before.needsAttention === after.needsAttention) continue
      const invoice = after.publicId.slice(0, 8)
      meter.needsAttention(after.needsAttention ? 1 : -1)
      if (after.needsAttention) log.warn({ invoice }, 'a reorganisation took back payments of a paid invoice')
      else log.info({ invoice }, 'the payments of a paid invoice are in the chain again')
    }
  }

  function minedSightings({ blocks, notes }: BlocksRead, now: number): Sighting[] {
    const blockOf = new Map(blocks.flatMap(block => block.transactions.map(({ txid }) => [txid, block] as const)))
    return notes.flatMap(note => {
      const block = blockOf.get(note.txid)
      if (!block) throw new Error('a note was opened in a transaction that is in none of the blocks')
      if (!paysAt(note.pool, block.height, nu63Height)) return []
      const place = { at: 'mined', height: block.height } as const
      return [{ note, place, time: Math.min(block.time, now), expiryHeight: null }]
    })
  }

  function mempoolSightings({ notes, expiryHeights }: MempoolSeen, tip: number, now: number): Sighting[] {
    return notes
      .filter(note => paysAt(note.pool, tip + 1, nu63Height))
      .map(note => ({
        note,
        place: { at: 'mempool' } as const,
        time: now,
        expiryHeight: expiryHeights.get(note.txid) ?? null,
      }))
      .filter(sighting => !isDead(sighting.expiryHeight, tip))
  }

  async function recordSightings(rows: Rows, sightings: readonly Sighting[], now: number): Promise<number[]> {
    const matched = await matchInvoices(rows, sightings)
    const ids = [...new Set(matched.map(({ invoice }) => invoice.id))]
    if (ids.length === 0) return []
    // Locked before they are read: of two processes that see one payment, the second finds it known.
    await rows.invoices.lock(ids)
    const known = new Set((await rows.payments.ofInvoices(ids)).map(keyOf))
    const payments = matched
      .filter(({ sighting, invoice }) => known.has(keyOf(sighting.note)) || isWatched(invoice, sighting.time))
      .map(({ sighting, invoice }) => paymentOf(sighting, invoice, now))
    return rows.payments.record(payments)
  }

  /** Drops unmined payments whose transactions can no longer be mined. */
  async function dropDead(rows: Rows, tip: number): Promise<number[]> {
    const unmined = await rows.payments.inMempool()
    return drop(
      rows,
      unmined.filter(payment => isDead(payment.expiryHeight, tip)).map(payment => payment.txid),
    )
  }

  async function tipHeight(rows: Rows): Promise<number> {
    return (await rows.chain.tip())?.height ?? 0
  }

  return {
    position: () =>
      store.read(async rows => {
        const tip = await rows.chain.tip()
        const oldest = await rows.chain.oldestHeight()
        return tip && oldest !== null ? { tip, oldest } : null
      }),

    headerAt: height => store.read(rows => rows.chain.headerAt(height)),

    async recordBlocks(read) {
      const now = nowSecs(clock)
      const sightings = minedSightings(read, now)
      const newest = read.blocks.at(-1)
      if (!newest) return null
      const written = await store.write(async rows => {
        const misfit = findMisfit(await rows.chain.tip(), read.blocks)
        if (misfit) return misfit
        await rows.chain.append(read.blocks)
        const touched = await recordSightings(rows, sightings, now)
        const dropped = await dropDead(rows, newest.height)
        return reassess(rows, [...touched, ...dropped, ...(await allSettling(rows))], now)
      })
      if ('fault' in written) return written
      report(written)
      return null
    },

    async rewind(toHeight) {
      const now = nowSecs(clock)
      missed = new Set()
      const changes = await store.write(async rows => {
        const touched = await rows.payments.unmineAbove(toHeight)
        await rows.chain.removeAbove(toHeight)
        return reassess(rows, touched, now)
      })
      report(changes)
    },

    async recordMempool(seen) {
      const now = nowSecs(clock)
      const changes = await store.write(async rows => {
        const sightings = mempoolSightings(seen, await tipHeight(rows), now)
        return reassess(rows, await recordSightings(rows, sightings, now), now)
      })
      report(changes)
    },

    async recordSnapshot(snapshot) {
      const now = nowSecs(clock)
      const { changes, missing } = await store.write(async rows => {
        const sightings = mempoolSightings(snapshot, await tipHeight(rows), now)
        const touched = await recordSightings(rows, sightings, now)
        const missing = snapshot.tellsMissing ? await findMissing(rows, snapshot) : new Set<string>()
        const dropped = await drop(
          rows,
          [...missing].filter(txid => missed.has(txid)),
        )
        await rows.chain.setSeenThrough(snapshot.began)
        return { changes: await reassess(rows, [...touched, ...dropped], now), missing }
      })
      missed = missing
      report(changes)
    },

    async recordFound(read) {
      const now = nowSecs(clock)
      const sightings = minedSightings(read, now)
      const written = await store.write(async rows => {
        const misfit = await findForeign(rows, read.blocks)
        if (misfit) return misfit
        return reassess(rows, await recordSightings(rows, sightings, now), now)
      })
      if ('fault' in written) return { found: 0, misfit: written }
      report(written)
      return { found: written.length, misfit: null }
    },

    async closeDue(limit) {
      const now = nowSecs(clock)
      const changes = await store.write(async rows => {
        const due = await rows.invoices.due(await rows.chain.seenThrough(), limit)
        return reassess(rows, due, now)
      })
      report(changes)
      return changes.length
    },
  }
}

/** Each sighting with the invoice at its diversifier index; a note of nothing, or of more than there is, pays nothing. */
async function matchInvoices(rows: Rows, sightings: readonly Sighting[]) {
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

function paymentOf({ note, place, expiryHeight }: Sighting, invoice: Invoice, seenAt: number): NewPayment {
  const { txid, pool, outputIndex, valueZat } = note
  return { invoiceId: invoice.id, txid, pool, outputIndex, valueZat, place, expiryHeight, seenAt }
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

/** A block that is not the one remembered at its height, or that is not recorded yet. */
async function findForeign(rows: Rows, blocks: readonly Block[]): Promise<Misfit | null> {
  const tip = await rows.chain.tip()
  for (const { height, hash } of blocks) {
    if (!tip || height > tip.height) return { height, fault: { fault: 'gap', expected: tip?.height ?? 0 } }
    const ours = await rows.chain.headerAt(height)
    if (ours && ours.hash !== hash) return { height, fault: { fault: 'fork' } }
  }
  return null
}

/** Transactions of unmined payments, seen before the snapshot began, that are not in it. */
async function findMissing(rows: Rows, { txids, began }: Snapshot): Promise<Set<string>> {
  const unmined = await rows.payments.inMempool()
  const missing = unmined.filter(payment => payment.seenAt <= began && !txids.has(payment.txid))
  return new Set(missing.map(payment => payment.txid))
}

async function drop(rows: Rows, txids: readonly string[]): Promise<number[]> {
  return txids.length === 0 ? [] : rows.payments.drop([...new Set(txids)])
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
