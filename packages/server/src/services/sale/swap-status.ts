import { isDeepStrictEqual } from 'node:util'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import type { EventSwap, NewEvent } from '../../domain/notify/event.ts'
import { invoiceEvent } from '../../domain/notify/event.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { SwapEventType } from '../../domain/sale/swap.ts'
import {
  eventSwap,
  isFinalSwapStatus,
  isStuck,
  isSwapStatus,
  keepsInvoiceOpen,
  MAX_POLL_DELAY_MS,
  nextPollMs,
  swapEventTypeOf,
} from '../../domain/sale/swap.ts'
import { applyProviderReport, isFarAhead, lastIsFarAhead, withoutFutureTimes } from '../../domain/sale/swap-report.ts'
import { isRowFault, swapReference } from '../../domain/set-aside.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { SwapProvider, SwapStatusResponse } from '../../ports/swap-provider.ts'
import { checkClock } from '../chain/clock-check.ts'
import type { Outbox } from '../notify/outbox.ts'
import { sameRow } from '../public-id.ts'
import type { SetAsides } from '../set-aside.ts'

/** Polls the provider for swap statuses and records the results. */
export interface SwapStatusPoller {
  /**
   * Polls one swap now. If the provider does not respond, nothing changes.
   * @returns the swap after the poll; null when a promoted standby does not contain it
   */
  refresh(swap: Swap): Promise<Swap | null>
  /** When the next swap is due, in Unix milliseconds; null: none is polled. */
  nextPollAtMs(): Promise<number | null>
  /**
   * Polls due swaps, each in one process only. Returns their number; `limit` means there may be more. An aborted poll,
   * or one whose process ends, is due again after 30 seconds.
   */
  pollDue(limit: number, signal?: AbortSignal): Promise<number>
  /** Polls again the swaps that are set aside. @returns whether there may be more */
  retrySetAside(): Promise<boolean>
}

interface PollResult {
  /** Null: there is no response, or the provider does not know the swap yet. */
  readonly response: SwapStatusResponse | null
  readonly failed: boolean
}

interface Recorded {
  readonly swap: Swap
  /** The report's time is far ahead; `begun`: that of the last applied one was not. */
  readonly ahead: 'no' | 'begun' | 'still'
}

/** Exceeds the deadline of a provider request and the time to record its result. */
const LEASE_MS = 30_000
const NOT_POLLED: PollResult = { response: null, failed: false }

export function createSwapStatusPoller(deps: {
  readonly store: Store
  readonly outbox: Outbox
  readonly provider: Pick<SwapProvider, 'status'>
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly log: Log
  readonly setAsides: SetAsides
  readonly metrics: Pick<Metrics, 'swapReportAhead'>
}): SwapStatusPoller {
  const { store, outbox, provider, clock, params, log, setAsides, metrics } = deps
  /** Running refreshes by swap id. Concurrent callers share the response. */
  const refreshing = new Map<number, Promise<Swap | null>>()

  function requestStatus(
    { depositAddress, depositMemo }: Swap,
    signal?: AbortSignal,
  ): Promise<SwapStatusResponse | null> {
    return provider.status({ address: depositAddress, memo: depositMemo }, signal)
  }

  async function record(swap: Swap, poll: PollResult): Promise<Swap | null> {
    const nowMs = clock.nowMs()
    const recorded = await store.write(tx => write(tx, swap, poll, nowMs))
    if (recorded) report(swap, recorded, poll)
    else log.info({ swap: swap.publicId.slice(0, 8) }, 'a swap was lost with the database that was replaced')
    return recorded?.swap ?? null
  }

  /** Writes the swap, its event and the effect on the invoice. Null when a promoted standby does not contain the swap. */
  async function write(tx: Tx, polled: Swap, poll: PollResult, nowMs: number): Promise<Recorded | null> {
    const { id, invoiceId } = polled
    const [invoice] = await tx.invoices.lock([invoiceId])
    const before = sameRow(await tx.swaps.byId(id), polled)
    if (!invoice || !before) return null

    const now = Math.floor(nowMs / 1000)
    const { tip, bounds } = await checkClock(tx, params, now)
    // The newest block shows a clock that is minutes behind.
    const newest = Math.max(bounds.latest, tip?.time ?? 0)
    const known = withoutFutureTimes(before, bounds.latest)
    const { response } = poll
    const updated = response ? applyProviderReport(known, response, bounds, newest) : known
    const event = unsentEvent(updated)
    const isApplied = updated !== known
    const after: Swap = {
      ...updated,
      deposit: (isApplied && response?.deposit) || before.deposit,
      providerStatus: response?.status ?? before.providerStatus,
      sentEvents: event ? [...updated.sentEvents, event] : updated.sentEvents,
      failedPolls: poll.failed ? before.failedPolls + 1 : 0,
      needsAttention: isStuck(updated, invoice.dueZat === 0n, bounds.earliest),
    }
    const changed = after.providerStatus !== before.providerStatus || after.updatedAtMs !== before.updatedAtMs
    const delayMs = nextPollMs(after, after.failedPolls, bounds.earliest)
    await tx.swaps.update(id, {
      ...after,
      keepsInvoiceOpen: keepsInvoiceOpen(after, bounds.earliest),
      nextPollAtMs: delayMs === null ? null : nowMs + delayMs,
      statusRaw: response && changed ? response.raw : null,
    })
    if (after.status !== before.status) await outbox.append(tx, eventsFor(invoice, after, event, now))
    // An open page shows the amounts of the deposit too.
    if (after.status !== before.status || !isDeepStrictEqual(after.deposit, before.deposit))
      await outbox.invoicesChanged(tx, [invoice.id], now)
    const keptOpen = await tx.swaps.anyKeepsInvoiceOpen(invoiceId)
    // An invoice that is no longer kept open is expired by the expiry worker.
    if (keptOpen !== invoice.keptOpenBySwap) await tx.invoices.setKeptOpenBySwap(invoiceId, keptOpen)
    const isAhead = response !== null && isFarAhead(response.updatedAtMs, newest)
    const wasAhead = lastIsFarAhead(before, newest, newest - bounds.earliest)
    return { swap: after, ahead: !isAhead ? 'no' : wasAhead ? 'still' : 'begun' }
  }

  /** Logs and counts what was committed. */
  function report(before: Swap, { swap: after, ahead }: Recorded, { response }: PollResult): void {
    const swap = after.publicId.slice(0, 8)
    if (ahead !== 'no') metrics.swapReportAhead()
    if (ahead === 'begun')
      log.warn(
        { swap, updatedAtMs: response?.updatedAtMs },
        "the time of a report of the swap provider is minutes ahead of this server's clock",
      )
    if (after.providerStatus !== before.providerStatus && !isSwapStatus(after.providerStatus))
      log.warn({ swap, status: after.providerStatus }, 'the swap provider reports an unknown status')
    if (after.status !== before.status) log.info({ swap, status: after.status }, 'the status of a swap changed')
    if (after.needsAttention && !before.needsAttention)
      log.warn({ swap, status: after.status }, 'a swap needs attention: its coins have not arrived within an hour')
  }

  async function poll(swap: Swap, signal: AbortSignal | undefined): Promise<void> {
    let result = NOT_POLLED
    try {
      if (!isFinalSwapStatus(swap.status)) result = { response: await requestStatus(swap, signal), failed: false }
    } catch (error) {
      if (signal?.aborted) return
      if (swap.failedPolls === 0)
        log.warn({ swap: swap.publicId.slice(0, 8), err: error }, 'the status of a swap could not be read')
      result = { response: null, failed: true }
    }
    await record(swap, result)
  }

  /** One transaction, if it succeeds. A swap that cannot be claimed alone is set aside. */
  async function claim(nowMs: number, limit: number): Promise<Swap[]> {
    const untilMs = nowMs + LEASE_MS
    try {
      return await store.write(tx => tx.swaps.claimDue(nowMs, untilMs, limit))
    } catch (error) {
      if (!isRowFault(error)) throw error
      const due = await store.read(tx => tx.swaps.listDue(nowMs, limit))
      const claimed: Swap[] = []
      await setAsides.forEachBisected(due, swapReference, async swaps => {
        const ids = swaps.map(({ id }) => id)
        const part = await store.write(tx => tx.swaps.claimDue(nowMs, untilMs, limit, ids))
        for (const swap of part) claimed.push(swap)
      })
      return claimed
    }
  }

  async function refresh(swap: Swap): Promise<Swap | null> {
    const response = await requestStatus(swap).catch(() => null)
    return response ? record(swap, { response, failed: false }) : swap
  }

  return {
    refresh(swap) {
      const inProgress = refreshing.get(swap.id)
      if (inProgress) return inProgress
      const pending = refresh(swap).finally(() => refreshing.delete(swap.id))
      refreshing.set(swap.id, pending)
      return pending
    },

    async nextPollAtMs() {
      const nowMs = clock.nowMs()
      const earliestMs = await store.query(tx => tx.swaps.nextPollAtMs())
      if (earliestMs === null || earliestMs <= nowMs) return earliestMs
      const latestMs = await store.query(tx => tx.swaps.latestPollAtMs())
      // Put off by a clock that was ahead.
      return latestMs !== null && latestMs > nowMs + MAX_POLL_DELAY_MS ? nowMs : earliestMs
    },

    async pollDue(limit, signal) {
      const due = await claim(clock.nowMs(), limit)
      await setAsides.forEachAlone(due, swapReference, swap => poll(swap, signal))
      return due.length
    },

    retrySetAside: () =>
      setAsides.retryDue('swap', async ({ reference }) => {
        const swap = await store.query(tx => tx.swaps.byPublicId(reference))
        if (swap) await poll(swap, undefined)
        return true
      }),
  }
}

/** The swap to include in events of the invoice: the swap that pays it; null when it is paid in the base coin. */
export async function swapInInvoiceEvent(tx: Tx, invoice: Invoice): Promise<EventSwap | null> {
  const swap = invoice.swapId === null ? null : await tx.swaps.payingSwap(invoice.id)
  return swap && eventSwap(swap)
}

function unsentEvent({ status, sentEvents }: Swap): SwapEventType | null {
  const event = swapEventTypeOf(status)
  return event !== null && !sentEvents.includes(event) ? event : null
}

/** Changes of internal invoices are no events. */
function eventsFor(invoice: Invoice, swap: Swap, outcome: SwapEventType | null, createdAt: number): NewEvent[] {
  if (invoice.purpose !== 'sale') return []
  const types = ['swap.updated' as const, ...(outcome === null ? [] : [outcome])]
  return types.map(type => invoiceEvent(type, invoice, eventSwap(swap), createdAt))
}
