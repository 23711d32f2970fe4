import type { Header } from '../../domain/chain/chain.ts'
import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import {
  contradictsTwo,
  isNearTip,
  MIN_WITNESSES,
  unopposedHeight,
  type WitnessedBlock,
  waitIsOver,
  witnessOutcome,
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
/** Servers see a new block or a reorganisation within seconds of each other. */
const REPORT_AFTER_SECS = 60

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
  /** In memory only: after a restart the wait begins again, so `paid` comes later, never earlier. */
  let waiting: { readonly since: number; readonly height: number } | null = null
  /** The last agreement, while blocks above it count without one. In memory too. */
  let agreed: number | null = null
  let disagreed: { readonly since: number; readonly height: number } | null = null
  /** A server beyond two that agree contradicts them, or cannot be compared, since then. */
  let contradictedSince: number | null = null
  let incompleteSince: number | null = null
  let unmined: ReadonlySet<string> = new Set()

  const isAlone = () => waitIsOver(waiting?.since ?? null, nowSecs(clock))

  /** The height above which blocks are compared: again from the last agreement, after blocks that counted without one. */
  function startOf(witnessed: number): number {
    return Math.min(witnessed, agreed ?? witnessed)
  }

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
    if (!required) await forgetWaits()
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
  }

  return {
    get problems() {
      const found: ChainProblem[] = []
      const isReported = ({ since }: { readonly since: number }) => nowSecs(clock) - since >= REPORT_AFTER_SECS
      if (disagreed && isReported(disagreed)) found.push({ problem: 'servers_disagree', height: disagreed.height + 1 })
      else if (rescanned.disagreed && isReported(rescanned.disagreed))
        found.push({ problem: 'servers_disagree', height: rescanned.disagreed.height })
      const now = nowSecs(clock)
      if (isAlone()) found.push({ problem: 'second_server_missing' })
      else if (waitIsOver(contradictedSince, now) || waitIsOver(incompleteSince, now))
        found.push({ problem: 'server_left_out' })
      return found
    },

    isWitnessed: (invoiceId, payment) => !required || isAlone() || unmined.has(paymentKey(invoiceId, payment)),

    configure,

    async nextRange() {
      const isSet = (await store.query(tx => tx.chain.witnessedHeight())) !== null
      // The database was replaced by a standby or a copy that was written under other settings.
      if (configured !== null && isSet !== required) await configure(configured)
      if (!required) return null
      const headers = await store.read(async tx => {
        const witnessed = await tx.chain.witnessedHeight()
        return witnessed === null ? [] : tx.chain.headersAbove(startOf(witnessed), MAX_BLOCKS)
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
        const start = startOf(witnessed)
        const headers = await tx.chain.headersAbove(start, MAX_BLOCKS)
        const compared = await compareBlocks(tx, headers, views, tip)
        const mempools = await shownBy(
          tx,
          views.flatMap(({ mempoolNotes }) => (mempoolNotes ? [mempoolNotes] : [])),
        )
        const { state, height } = witnessOutcome(compared, start)
        // Another process may have recorded the agreement first.
        const isFurther = height > Math.min(start, waiting?.height ?? start)
        const since = isFurther ? now : (waiting?.since ?? now)
        const reached =
          state === 'disagreed'
            ? height
            : state === 'waiting' && waitIsOver(since, now)
              ? unopposedHeight(compared, tip)
              : Math.max(witnessed, height)
        if (reached !== witnessed) await tx.chain.setWitnessedHeight(reached)
        // The chain sync finds the rest.
        const confirmable = await tx.invoices.confirmable(Math.min(reached, tip), DUE_PER_STEP)
        const locked = await lockWithSetAside(tx, headers, confirmable, { now, deferredBy })
        const changes = await updateInvoices(tx, confirmable, now, { locked, tip, deferredBy })
        const isIncomplete = views.filter(view => isNearTip(view.height, tip)).length < (configured ?? 0)
        return { state, height, since, reached, compared, isIncomplete, mempools, changes }
      })
      if (!written) return
      const { state, height, since, reached, compared, isIncomplete, mempools, changes } = written
      unmined = mempools
      incompleteSince = isIncomplete && (configured ?? 0) > MIN_WITNESSES ? (incompleteSince ?? now) : null
      if (compared.length > 0) {
        contradictedSince = contradictsTwo(compared) ? (contradictedSince ?? now) : null
        waiting = state === 'waiting' ? { since, height } : null
        agreed = height < reached ? height : null
        disagreed = state === 'disagreed' ? { since: disagreed?.since ?? now, height } : null
      }
      reportChanges(changes)
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
