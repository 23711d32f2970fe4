import { parseAddress } from '../../world/chain/note-scanner.ts'
import type { World } from '../../world/world.ts'
import type { InvoiceRow, Ledger, PaymentRow } from './ledger.ts'
import { isEnough } from './terms-judge.ts'

/** A list may be 2 s old, and a sync takes a while. */
const SHOWN_LATELY_MS = 30_000

/**
 * Seconds from the expiry to the first reading that proves what was there, from that to the one that confirms it, and from
 * that to the one by which a failed read of the mempool is known.
 */
const WAITS_OF_READINGS = [0, 3, 5]

const KEYS_SET_ASIDE = "SELECT row_id FROM set_aside WHERE kind = 'scan_key'"

/** Payments of an invoice that one server had shown in time. */
interface InTime {
  readonly server: string
  readonly txids: readonly string[]
}

/** Facts about the payments of an invoice that the network and the servers prove. */
export class PaymentEvidence {
  readonly #world: World
  #syncedThrough = 0
  readonly #paidInTime = new Map<bigint, InTime>()
  /** Viewing keys that were set aside at some time: no one saw their payments in the mempool then. */
  readonly #keysSetAside = new Set<bigint>()

  constructor(world: World) {
    this.#world = world
    world.onRestore(() => {
      this.#syncedThrough = 0
      this.#paidInTime.clear()
    })
  }

  /** The amount of the notes to the invoice's address in the transactions that qualify. */
  paidBy(invoice: InvoiceRow, qualifies: (txid: string) => boolean): bigint {
    const { network } = this.#world
    const payee = parseAddress(invoice.address)
    const pool = network.poolAt(network.height + 1)
    let sum = 0n
    for (const { txid, notes } of network.transactions.values()) {
      const own = notes.filter(
        note => note.diversifierIndex === payee?.diversifierIndex && note.viewingKey === payee.viewingKey,
      )
      if (own.length === 0 || !qualifies(txid)) continue
      const minedHeight = network.minedAt(txid)
      const counted = minedHeight === null ? pool : network.poolAt(minedHeight)
      for (const note of own) if (note.pool === counted) sum += note.valueZat
    }
    return sum
  }

  canBeMined(txid: string): boolean {
    const { network, visibility } = this.#world
    const transaction = network.transactions.get(txid)
    if (!transaction || visibility.missed.has(txid)) return false
    return (
      network.minedAt(txid) !== null ||
      (network.isMinable(transaction, network.height + 1) && !network.isSpent(transaction))
    )
  }

  /**
   * Whether the service could know of the transaction while the invoice was watched. After an outage it may meet it only
   * later, in the mempool or in a block that is dated later.
   */
  wasKnowable(txid: string, invoice: InvoiceRow): boolean {
    if (this.#escapedReadings(txid, invoice)) return false
    const { watch_until: watchUntil, viewing_key_id: keyId } = invoice
    const { network, served, nowSecs } = this.#world
    const height = network.minedAt(txid)
    const blocks = height === null ? [] : [network.branch[height]!]
    // A key that is set aside meets a payment later: when its block has been replaced, only in the new one.
    const isSetAside = this.#keysSetAside.has(keyId)
    const servedBlocks = isSetAside ? [] : served.blocksWith(txid)
    const blockTimes = [...blocks, ...servedBlocks].map(({ time }) => time)
    const shownMs = isSetAside ? null : served.firstInMempoolMs(txid)
    const mempoolTimes = [...(height === null ? [nowSecs] : []), ...(shownMs === null ? [] : [shownMs / 1000])]
    return [...blockTimes, ...mempoolTimes].some(time => time <= Number(watchUntil))
  }

  /**
   * Whether no reading could show the payment, although the process has read as often after the expiry as it must. Each list
   * was made a moment before the reading, when the payment was in a block that the tip did not have any more.
   */
  #escapedReadings(txid: string, { expires_at: expiresAt }: InvoiceRow): boolean {
    const { served, visibility, committer, maxClockAheadMs } = this.#world
    const server = committer && served.serverOf(committer)
    if (!server || served.wasInMempool(txid) || served.blocksWith(txid).length > 0) return false
    const since = visibility.sinceOn(server, txid)
    const readings = served.outdatedReadings(committer, txid)
    if (since === null || readings === null || readings.afterMs > since) return false
    const times = readings.atMs.map(ms => Math.floor(ms / 1000))
    let time: number | undefined = Number(expiresAt) - maxClockAheadMs / 1000
    for (const wait of WAITS_OF_READINGS) {
      const earliest: number = time + wait
      time = times.find(other => other >= earliest)
      if (time === undefined) return false
    }
    return true
  }

  /** Whether the recorded chain has passed the last height that may contain the transaction, without it. */
  hasExpired(txid: string, tip: number): boolean {
    const { network, database } = this.#world
    const expiryHeight = network.transactions.get(txid)?.expiryHeight ?? 0
    if (expiryHeight === 0 || expiryHeight > tip) return false
    const height = network.minedAt(txid)
    if (height === null || height > tip) return true
    const [row] = database.committed<{ hash: string }>('SELECT hash FROM headers WHERE height = ?', height)
    return row !== undefined && row.hash !== network.branch[height]?.hash
  }

  /** Only a stream tells that a transaction never expires. */
  expiryIsKnown(txid: string): boolean {
    const { network, served } = this.#world
    return network.transactions.get(txid)?.expiryHeight !== 0 || served.wasInFull(txid)
  }

  /** Whether the payment confirms its invoice at a tip. Without required confirmations, a shown payment does. */
  confirms(payment: PaymentRow, tip: number, invoice: InvoiceRow): boolean {
    if (isDeep(payment, tip, invoice)) return true
    return invoice.confirmations === 0n && payment.location === 'mempool' && this.#wasShownLately(payment.txid)
  }

  #wasShownLately(txid: string): boolean {
    const { network, served, clockErrors } = this.#world
    const lastMs = served.lastInMempoolMs(txid)
    const patienceMs = SHOWN_LATELY_MS + clockErrors.maxMs - clockErrors.minMs
    const wasShown = lastMs !== null && this.#workedMs(lastMs) <= patienceMs
    // While the servers are silent, the last list stays in force.
    return wasShown || network.mempool.has(txid) || network.minedAt(txid) !== null
  }

  /** How long the process that decided could work since a time: neither it nor the machine stood still. */
  #workedMs(sinceMs: number): number {
    const { scheduler, committer } = this.#world
    const stoodStillMs = committer ? scheduler.stoodStillMs(committer, sinceMs) : 0
    return scheduler.idleAtMs - sinceMs - stoodStillMs
  }

  /** The height up to which confirmations count: with several servers, up to where two of them agree. */
  witnessedTip(tip: number): number {
    const [row] = this.#world.database.committed<{ value: bigint }>(
      "SELECT value FROM counters WHERE name = 'witnessed_height'",
    )
    return row ? Math.min(tip, Number(row.value)) : tip
  }

  /**
   * When the synced time passes the expiry of an invoice, the service knows all payments that its server has shown since
   * before. Remembers the invoices that are paid in time by this evidence.
   */
  noteSyncedTime(ledger: Ledger): void {
    const { database, poison, served, visibility, committer, maxClockAheadMs } = this.#world
    const setAside = poison.hasBegun ? database.committed<{ row_id: bigint | null }>(KEYS_SET_ASIDE) : []
    for (const { row_id: keyId } of setAside) if (keyId !== null) this.#keysSetAside.add(keyId)
    const [row] = database.committed<{ least: bigint }>('SELECT min(synced_through) AS least FROM watchers')
    const through = Number(row?.least ?? 0n)
    const before = this.#syncedThrough
    this.#syncedThrough = through
    const server = committer && served.serverOf(committer)
    if (through <= before || !server) return
    for (const invoice of ledger.invoices) {
      const expires = Number(invoice.expires_at)
      if (invoice.status !== 'pending' || expires > through || expires <= before) continue
      const known = new Set<string>()
      const inTime = this.paidBy(invoice, txid => {
        const since = visibility.sinceOn(server, txid)
        const wasShown = since !== null && since <= expires * 1000 - maxClockAheadMs
        const counts = wasShown && this.wasKnowable(txid, invoice) && !this.hasExpired(txid, ledger.tip)
        if (counts) known.add(txid)
        return counts
      })
      if (isEnough(invoice, inTime)) this.#paidInTime.set(invoice.id, { server, txids: [...known] })
    }
  }

  /** The server that showed the whole payment before the synced time passed the expiry, and shows it still. */
  serverOfPaymentInTime(invoice: InvoiceRow): string | null {
    const inTime = this.#paidInTime.get(invoice.id)
    const isShown = inTime?.txids.every(
      txid => this.#world.visibility.sinceOn(inTime.server, txid) !== null && this.wasKnowable(txid, invoice),
    )
    return isShown ? inTime!.server : null
  }
}

/** Whether a payment is mined and has the confirmations that the invoice requires, and awaits no second server. */
export function isDeep(payment: PaymentRow, tip: number, { confirmations }: InvoiceRow): boolean {
  const { location, height, awaits_witness: awaits } = payment
  const deep = tip - Number(height) + 1
  return location === 'mined' && awaits === 0n && deep > 0 && deep >= Number(confirmations)
}
