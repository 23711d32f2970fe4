import type { Header } from '../../domain/chain/chain.ts'
import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import {
  comparedFrom,
  isNearTip,
  isShown,
  MIN_WITNESSES,
  NOTHING_WITNESSED,
  observeComparison,
  type WitnessedBlock,
  witnessProblems,
} from '../../domain/chain/witness.ts'
import type { Payment } from '../../domain/sale/payment.ts'
import { invoiceReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DecryptedNote } from '../../ports/note-scanner.ts'
import type { PaymentRow } from '../../ports/repository/sale/payment.ts'
import type { Store, Tx } from '../../ports/store.ts'
import {
  DUE_PER_STEP,
  type LockedInvoices,
  lockInvoices,
  type ReportChanges,
  type UpdateInvoices,
  writeInvoices,
} from '../sale/invoice-state.ts'
import { defer, passBadRows } from '../set-aside.ts'
import { createRescanWitness, type RescannedRange } from './rescan-witness.ts'
import { type ComparableView, comparable, paymentKey, paymentKeys, type ScannedView } from './server-view.ts'

/**
 * With several servers, holds `paid` until two of them show the payment: in equal blocks with the same notes, or, for
 * invoices without confirmations, in the mempool. Nothing is lost meanwhile: payments, blocks and the other states are
 * recorded as they are seen. The height of agreement is stored, so every process that evaluates invoices keeps to it.
 */
export interface Witnesses {
  readonly problems: readonly ChainProblem[]
  /** Whether two servers show the unmined payment, or no second server has been there for a time. */
  isWitnessed(invoiceId: number, payment: Payment): boolean
  /** Requires two servers, or with one configured server none. Called before the first sync of a process. */
  configure(servers: number): Promise<void>
  /** The heights of the blocks to compare next. Null: no second server is required, or no block is recorded. */
  nextRange(): Promise<{ readonly from: number; readonly to: number } | null>
  /** Compares what the servers serve with the recorded blocks and payments, and confirms payments up to where two agree. */
  record(views: readonly ScannedView[]): Promise<void>
  /** The next blocks with payments that a rescan has found. Null: none waits for a second server, or it is not time yet. */
  nextRescanned(): Promise<RescannedRange | null>
  /** Confirms payments found by a rescan that two servers show. */
  recordRescanned(range: RescannedRange, views: readonly ScannedView[]): Promise<void>
}

/** Invoices require at most this number of confirmations. The blocks below are not compared when a second server is added. */
const FIRST_COMPARED = 100
const MAX_BLOCKS = 100
const WAITS_PAGE = 1_000

export function createWitnesses(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly log: Log
}): Witnesses {
  const { store, updateInvoices, reportChanges, clock, log } = deps
  const rescanned = createRescanWitness(deps)
  let required = false
  /** The number of servers in the settings; null before the first sync. */
  let configured: number | null = null
  /** Whether all that is stored fits it: runs of `configure` can overlap, and the last to begin shows it. */
  let isConfigured = false
  let runs = 0
  let known = NOTHING_WITNESSED

  /** Without a second server, every payment counts like any other, also those of keys that are set aside. */
  async function forgetWaits(): Promise<void> {
    const onBad = (error: unknown) =>
      log.error(
        { err: error },
        'a payment that waits for a second server cannot be confirmed; it is tried at the next start',
      )
    await passBadRows({ page: WAITS_PAGE, onBad }, async (size, skip) => {
      const { count, changes } = await forgetPage(size, skip)
      reportChanges(changes)
      return count
    })
  }

  function forgetPage(size: number, skip: number) {
    return writeInvoices(store, async (tx, deferredBy) => {
      await tx.chain.lock()
      const found = await tx.payments.allAwaitingWitness(size, skip)
      const ids = found.map(({ invoiceId }) => invoiceId)
      const locked = await lockInvoices(tx, ids)
      await tx.payments.markWitnessed(found.map(({ seq }) => seq))
      return { count: found.length, changes: await updateInvoices(tx, ids, nowSecs(clock), { locked, deferredBy }) }
    })
  }

  async function configure(servers: number): Promise<void> {
    configured = servers
    required = servers >= MIN_WITNESSES
    isConfigured = false
    const run = ++runs
    const changes = await writeInvoices(store, async (tx, deferredBy) => {
      await tx.chain.lock()
      const isSet = (await tx.chain.witnessedHeight()) !== null
      if (required === isSet) return []
      const tip = (await tx.chain.tip())?.height ?? 0
      await tx.chain.setWitnessedHeight(required ? Math.max(0, tip - FIRST_COMPARED) : null)
      if (required) return []
      return updateInvoices(tx, await tx.invoices.confirmable(tip, DUE_PER_STEP), nowSecs(clock), { tip, deferredBy })
    })
    reportChanges(changes)
    // Not before: a rescan adds waits until the height of agreement is gone.
    if (!required) await forgetWaits()
    if (run === runs) isConfigured = true
  }

  /** Whether a server beyond the two that have to agree is missing. */
  function isShort(views: readonly ScannedView[], tip: number): boolean {
    if (configured === null || configured <= MIN_WITNESSES) return false
    return views.filter(view => isNearTip(view.height, tip)).length < configured
  }

  return {
    get problems() {
      return witnessProblems(known, rescanned.disagreed, nowSecs(clock))
    },

    isWitnessed: (invoiceId, payment) => !required || isShown(known, paymentKey(invoiceId, payment), nowSecs(clock)),

    configure,

    async nextRange() {
      const isSet = (await store.query(tx => tx.chain.witnessedHeight())) !== null
      // The database was replaced by a standby or a copy that was written under other settings, or failed halfway.
      if (configured !== null && (isSet !== required || !isConfigured)) await configure(configured)
      if (!required) return null
      const headers = await store.read(async tx => {
        const witnessed = await tx.chain.witnessedHeight()
        return witnessed === null ? [] : tx.chain.headersAbove(comparedFrom(known, witnessed), MAX_BLOCKS)
      })
      const [first] = headers
      if (first) return { from: first.height, to: headers.at(-1)!.height }
      const tip = await store.query(tx => tx.chain.tip())
      return tip && { from: tip.height + 1, to: tip.height }
    },

    async record(views) {
      const now = nowSecs(clock)
      const written = await writeInvoices(store, async (tx, deferredBy) => {
        await tx.chain.lock()
        const tip = (await tx.chain.tip())?.height
        const witnessed = await tx.chain.witnessedHeight()
        if (tip === undefined || witnessed === null) return null
        const headers = await tx.chain.headersAbove(comparedFrom(known, witnessed), MAX_BLOCKS)
        const blocks = await compareBlocks(tx, headers, views, tip)
        const shown = await shownBy(
          tx,
          views.flatMap(({ mempoolNotes }) => (mempoolNotes ? [mempoolNotes] : [])),
        )
        const isIncomplete = isShort(views, tip)
        const next = observeComparison(known, { blocks, witnessed, isIncomplete, shown, tip, now })
        const { reached } = next
        if (reached !== witnessed) await tx.chain.setWitnessedHeight(reached)
        // The chain sync finds the rest.
        const confirmable = await tx.invoices.confirmable(Math.min(reached, tip), DUE_PER_STEP)
        const locked = await lockWithSetAside(tx, headers, confirmable, { now, deferredBy })
        const changes = await updateInvoices(tx, confirmable, now, { locked, tip, deferredBy })
        return { known: next.known, changes }
      })
      if (!written) return
      known = written.known
      reportChanges(written.changes)
    },

    nextRescanned: async () => (required ? rescanned.nextRange() : null),
    recordRescanned: rescanned.record,
  }
}

/**
 * Makes the payments of set-aside keys in these blocks await a second server on their own: they hold no other payment, and
 * count when their key opens again and two servers show them.
 * @returns their invoices and the given ones, all locked at once
 */
async function lockWithSetAside(
  tx: Tx,
  headers: readonly Header[],
  ids: readonly number[],
  { now, deferredBy }: { readonly now: number; readonly deferredBy: unknown },
): Promise<LockedInvoices> {
  const [first] = headers
  const last = headers.at(-1)
  if (!first || !last) return lockInvoices(tx, ids)
  const unproven = await tx.payments.unprovenOfSetAside(first.height, last.height)
  const locked = await lockInvoices(tx, [...ids, ...unproven.map(({ invoiceId }) => invoiceId)])
  if (unproven.length === 0) return locked
  if (deferredBy === undefined) {
    await tx.payments.awaitWitness(unproven.map(({ seq }) => seq))
    return locked
  }
  // One of them may be what cannot be written. They are read again with their keys, and then await a second server.
  const waiting = unproven.flatMap(({ invoiceId }) => locked.get(invoiceId) ?? [])
  const rows = waiting.map(invoice => ({ row: invoiceReference(invoice), error: deferredBy }))
  await defer(tx, rows, now)
  await tx.setAside.lowerFromHeight(first.height)
  return locked
}

async function compareBlocks(
  tx: Tx,
  headers: readonly Header[],
  views: readonly ScannedView[],
  tip: number,
): Promise<WitnessedBlock[]> {
  const [first] = headers
  const last = headers.at(-1)
  if (!first || !last) return []
  const below = await tx.chain.headerAt(first.height - 1)
  const payments = Map.groupBy(await tx.payments.comparableBetween(first.height, last.height), heightOf)
  const servers = await Promise.all(views.map(view => comparable(tx, view, { below, tip })))
  return headers.map(({ height, hash }) => {
    const due = payments.get(height) ?? []
    const agrees = ({ hashes, shows }: ComparableView) => hashes.get(height) === hash && due.every(shows)
    const agreeing = servers.filter(agrees)
    const opposing = servers.filter(it => it.isNearTip && it.hashes.has(height) && !agreeing.includes(it))
    return { height, agreeing: agreeing.length, opposing: opposing.length }
  })
}

/** The payments that at least two mempools show. */
async function shownBy(tx: Tx, mempools: readonly (readonly DecryptedNote[])[]): Promise<ReadonlySet<string>> {
  const shown = new Map<string, number>()
  for (const notes of mempools)
    for (const key of await paymentKeys(tx, notes)) shown.set(key, (shown.get(key) ?? 0) + 1)
  return new Set([...shown].flatMap(([key, servers]) => (servers >= MIN_WITNESSES ? [key] : [])))
}

function heightOf({ location }: PaymentRow): number {
  return location.at === 'mined' ? location.height : 0
}
