import type { NewEvent, SwapInEvent } from '../domain/event.ts'
import { invoiceEventBody } from '../domain/event.ts'
import type { SwapEventType } from '../domain/swap.ts'
import {
  eventOf,
  hear,
  holdsInvoice,
  isSettled,
  isStuck,
  isSwapStatus,
  nextLookMs,
  swapInEvent,
} from '../domain/swap.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Swap } from '../ports/repository/swap.ts'
import type { Rows, Store } from '../ports/store.ts'
import type { StatusAnswer, SwapProvider } from '../ports/swap-provider.ts'

/** Polls the provider for swap statuses and records the results. */
export interface SwapLooks {
  /** Polls one swap now. If the provider does not respond, nothing changes. */
  refresh(swap: Swap): Promise<void>
  /**
   * Polls due swaps, each in one process only. Returns their number; `limit` means there may be more. An aborted poll,
   * or one whose process ends, is due again after 30 seconds.
   */
  lookAtDue(limit: number, signal?: AbortSignal): Promise<number>
}

interface PollResult {
  /** Null: there is no response, or the provider does not know the swap yet. */
  readonly answer: StatusAnswer | null
  readonly failed: boolean
}

/** Exceeds the deadline of a provider request and the time to record its result. */
const LEASE_MS = 30_000
const NOT_POLLED: PollResult = { answer: null, failed: false }

export function createSwapLooks(deps: {
  readonly store: Store
  readonly provider: Pick<SwapProvider, 'status'>
  readonly clock: Clock
  readonly log: Log
}): SwapLooks {
  const { store, provider, clock, log } = deps
  /** Running refreshes by swap id. Concurrent callers share the response. */
  const refreshing = new Map<number, Promise<void>>()

  function requestStatus({ depositAddress, depositMemo }: Swap, signal?: AbortSignal): Promise<StatusAnswer | null> {
    return provider.status({ address: depositAddress, memo: depositMemo }, signal)
  }

  async function record(swap: Swap, poll: PollResult): Promise<void> {
    const nowMs = clock.nowMs()
    report(swap, await store.write(tx => write(tx, swap, poll, nowMs)))
  }

  /** Writes the swap, its event and the effect on the invoice. */
  async function write(
    tx: Rows,
    { id, invoiceId }: Swap,
    { answer, failed }: PollResult,
    nowMs: number,
  ): Promise<Swap> {
    const now = Math.floor(nowMs / 1000)
    const [invoice] = await tx.invoices.lock([invoiceId])
    const before = await tx.swaps.byId(id)
    if (!invoice || !before) throw new Error('a swap or its invoice does not exist')

    const updated = answer ? hear(before, answer, now) : before
    const event = unsentEvent(updated)
    const after: Swap = {
      ...updated,
      word: answer?.word ?? before.word,
      told: event ? [...updated.told, event] : updated.told,
      failures: failed ? before.failures + 1 : 0,
      needsAttention: isStuck(updated, invoice.receivedZat >= invoice.amountZat, now),
    }
    const changed = after.word !== before.word || after.updatedAtMs !== before.updatedAtMs
    const delayMs = nextLookMs(after, after.failures, now)
    await tx.swaps.record(id, {
      ...after,
      holds: holdsInvoice(after, now),
      nextLookAtMs: delayMs === null ? null : nowMs + delayMs,
      statusRaw: answer && changed ? answer.raw : null,
    })
    if (after.status !== before.status) {
      await tx.events.append([eventFor(invoice, after, event, now)])
      tx.wake('events')
    }
    const keptOpen = await tx.swaps.anyHolds(invoiceId)
    // An invoice that is no longer kept open is expired by the expiry worker.
    if (keptOpen !== invoice.swapUnderWay) await tx.invoices.setSwapUnderWay(invoiceId, keptOpen)
    return after
  }

  /** Logs committed changes. */
  function report(before: Swap, after: Swap): void {
    const swap = after.publicId.slice(0, 8)
    if (after.word !== before.word && !isSwapStatus(after.word))
      log.warn({ swap, word: after.word }, 'the swap provider reports an unknown status')
    if (after.status !== before.status) log.info({ swap, status: after.status }, 'the status of a swap changed')
    if (after.needsAttention && !before.needsAttention)
      log.warn({ swap, status: after.status }, 'a swap needs attention: its coins have not arrived within an hour')
  }

  async function poll(swap: Swap, signal: AbortSignal | undefined): Promise<void> {
    if (isSettled(swap.status)) return record(swap, NOT_POLLED)
    let result: PollResult
    try {
      result = { answer: await requestStatus(swap, signal), failed: false }
    } catch (error) {
      if (signal?.aborted) return
      if (swap.failures === 0)
        log.warn({ swap: swap.publicId.slice(0, 8), err: error }, 'the status of a swap could not be read')
      result = { answer: null, failed: true }
    }
    await record(swap, result)
  }

  async function refresh(swap: Swap): Promise<void> {
    const answer = await requestStatus(swap).catch(() => null)
    if (answer) await record(swap, { answer, failed: false })
  }

  return {
    refresh(swap) {
      const inProgress = refreshing.get(swap.id)
      if (inProgress) return inProgress
      const pending = refresh(swap).finally(() => refreshing.delete(swap.id))
      refreshing.set(swap.id, pending)
      return pending
    },

    async lookAtDue(limit, signal) {
      const nowMs = clock.nowMs()
      const nextAtMs = await store.glance(tx => tx.swaps.nextLookAtMs())
      if (nextAtMs === null || nextAtMs > nowMs) return 0
      const due = await store.write(tx => tx.swaps.claimDue(nowMs, nowMs + LEASE_MS, limit))
      const outcomes = await Promise.allSettled(due.map(swap => poll(swap, signal)))
      const failure = outcomes.find(outcome => outcome.status === 'rejected')
      if (failure) throw failure.reason
      return due.length
    },
  }
}

/** The swap to include in events of the invoice: the swap that pays it; null when it is paid in the base coin. */
export async function swapOfInvoice(tx: Rows, invoice: Invoice): Promise<SwapInEvent | null> {
  const swap = invoice.swapId === null ? null : await tx.swaps.paying(invoice.id)
  return swap && swapInEvent(swap)
}

function unsentEvent({ status, told }: Swap): SwapEventType | null {
  const event = eventOf(status)
  return event !== null && !told.includes(event) ? event : null
}

/** Events are sent for sales only. Changes of internal invoices have no event body. */
function eventFor(invoice: Invoice, swap: Swap, type: SwapEventType | null, createdAt: number): NewEvent {
  const event = { accountId: invoice.accountId, invoiceId: invoice.id, createdAt }
  if (type === null || invoice.purpose !== 'sale') return { ...event, type: null, body: null }
  return { ...event, type, body: invoiceEventBody(type, invoice, swapInEvent(swap)) }
}
