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
import type { Invoice } from '../ports/repository/invoice.ts'
import type { StatusAnswer, Swap } from '../ports/repository/swap.ts'
import type { Clock, Log, Rows, Store, SwapProvider } from '../ports.ts'

/** Asks the provider how swaps stand, and writes down what that means. */
export interface SwapLooks {
  /** Asks at once. Where no answer comes, everything stays as it is. */
  refresh(swap: Swap): Promise<void>
  /**
   * Looks at swaps that are due, each in one process only. How many; `limit` means there may be more.
   * A swap whose look is given up, or whose process dies, is due again in half a minute.
   */
  lookAtDue(limit: number, signal?: AbortSignal): Promise<number>
}

interface Look {
  /** Null: there was none, or the provider does not know the swap yet. */
  readonly answer: StatusAnswer | null
  readonly failed: boolean
}

/** Longer than the provider may take, with the writing after it. */
const LEASE_MS = 30_000
const NOTHING_ASKED: Look = { answer: null, failed: false }

export function createSwapLooks(deps: {
  readonly store: Store
  readonly provider: Pick<SwapProvider, 'status'>
  readonly clock: Clock
  readonly log: Log
}): SwapLooks {
  const { store, provider, clock, log } = deps
  /** By the swap's id: whoever asks meanwhile shares the answer. */
  const refreshing = new Map<number, Promise<void>>()

  function ask({ depositAddress, depositMemo }: Swap, signal?: AbortSignal): Promise<StatusAnswer | null> {
    return provider.status({ address: depositAddress, memo: depositMemo }, signal)
  }

  async function record(swap: Swap, look: Look): Promise<void> {
    const nowMs = clock.nowMs()
    report(swap, await store.write(rows => write(rows, swap, look, nowMs)))
  }

  /** One transaction: the swap, its event, and what it means for the invoice. */
  async function write(rows: Rows, { id, invoiceId }: Swap, { answer, failed }: Look, nowMs: number): Promise<Swap> {
    const now = Math.floor(nowMs / 1000)
    const [invoice] = await rows.invoices.lock([invoiceId])
    const before = await rows.swaps.byId(id)
    if (!invoice || !before) throw new Error('a swap is gone, or its invoice')

    const heard = answer ? hear(before, answer, now) : before
    const event = untold(heard)
    const after: Swap = {
      ...heard,
      word: answer?.word ?? before.word,
      told: event ? [...heard.told, event] : heard.told,
      failures: failed ? before.failures + 1 : 0,
      needsAttention: isStuck(heard, invoice.receivedZat >= invoice.amountZat, now),
    }
    const news = after.word !== before.word || after.updatedAtMs !== before.updatedAtMs
    const nextMs = nextLookMs(after, after.failures, now)
    await rows.swaps.record(id, {
      ...after,
      holds: holdsInvoice(after, now),
      nextLookAtMs: nextMs === null ? null : nowMs + nextMs,
      statusRaw: answer && news ? answer.raw : null,
    })
    if (after.status !== before.status) {
      await rows.events.append([eventFor(invoice, after, event, now)])
      rows.wake('events')
    }
    const underWay = await rows.swaps.anyHolds(invoiceId)
    // Once let go, the invoice is closed by whoever closes those whose time has run out.
    if (underWay !== invoice.swapUnderWay) await rows.invoices.setSwapUnderWay(invoiceId, underWay)
    return after
  }

  /** Tells of what is committed. */
  function report(before: Swap, after: Swap): void {
    const swap = after.publicId.slice(0, 8)
    if (after.word !== before.word && !isSwapStatus(after.word))
      log.warn({ swap, word: after.word }, 'the swap provider says a word that nobody knows')
    if (after.status !== before.status) log.info({ swap, status: after.status }, 'a swap moved')
    if (after.needsAttention && !before.needsAttention)
      log.warn({ swap, status: after.status }, 'a swap needs attention: its coins have not come for an hour')
  }

  async function look(swap: Swap, signal: AbortSignal | undefined): Promise<void> {
    if (isSettled(swap.status)) return record(swap, NOTHING_ASKED)
    let found: Look
    try {
      found = { answer: await ask(swap, signal), failed: false }
    } catch (error) {
      if (signal?.aborted) return
      if (swap.failures === 0) log.warn({ swap: swap.publicId.slice(0, 8), err: error }, 'no status of a swap')
      found = { answer: null, failed: true }
    }
    await record(swap, found)
  }

  async function refresh(swap: Swap): Promise<void> {
    const answer = await ask(swap).catch(() => null)
    if (answer) await record(swap, { answer, failed: false })
  }

  return {
    refresh(swap) {
      const known = refreshing.get(swap.id)
      if (known) return known
      const begun = refresh(swap).finally(() => refreshing.delete(swap.id))
      refreshing.set(swap.id, begun)
      return begun
    },

    async lookAtDue(limit, signal) {
      const nowMs = clock.nowMs()
      const nextAtMs = await store.glance(rows => rows.swaps.nextLookAtMs())
      if (nextAtMs === null || nextAtMs > nowMs) return 0
      const due = await store.write(rows => rows.swaps.claimDue(nowMs, nowMs + LEASE_MS, limit))
      const looks = await Promise.allSettled(due.map(swap => look(swap, signal)))
      const failure = looks.find(outcome => outcome.status === 'rejected')
      if (failure) throw failure.reason
      return due.length
    },
  }
}

/** The swap that an event of the invoice tells of: the one that pays it; null when it is paid in the base coin. */
export async function swapOfInvoice(rows: Rows, invoice: Invoice): Promise<SwapInEvent | null> {
  const swap = invoice.swapId === null ? null : await rows.swaps.paying(invoice.id)
  return swap && swapInEvent(swap)
}

function untold({ status, told }: Swap): SwapEventType | null {
  const event = eventOf(status)
  return event !== null && !told.includes(event) ? event : null
}

/** Merchants hear of their sales; an invoice of the service's own moves silently. */
function eventFor(invoice: Invoice, swap: Swap, type: SwapEventType | null, createdAt: number): NewEvent {
  const event = { accountId: invoice.accountId, invoiceId: invoice.id, createdAt }
  if (type === null || invoice.purpose !== 'sale') return { ...event, type: null, body: null }
  return { ...event, type, body: invoiceEventBody(type, invoice, swapInEvent(swap)) }
}
