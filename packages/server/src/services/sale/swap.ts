import { AppError } from '../../domain/error.ts'
import { invoiceEvent } from '../../domain/notify/event.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import {
  depositDeadline,
  eventSwap,
  hasDeposit,
  isFinalSwapStatus,
  polledUntil,
  requireRefundTo,
  SWAP_START_LIMIT,
  sharedStartsAllow,
} from '../../domain/sale/swap.ts'
import { isUuid } from '../../domain/uuid.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { NewSwap, Swap, SwapStart } from '../../ports/repository/sale/swap.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { type SwapAsset, type SwapProvider, SwapProviderPaused } from '../../ports/swap-provider.ts'
import type { Outbox } from '../notify/outbox.ts'
import { lockFound } from './found-invoice.ts'
import type { SwapAssets } from './swap-asset.ts'
import type { SwapStatusPoller } from './swap-status.ts'

export interface SwapRequest {
  readonly assetId: string
  /** The buyer's address on the origin chain. */
  readonly refundTo: string
}

/** An invoice as it was read. In a promoted standby its row id may belong to another one. */
type InvoiceRef = Pick<Invoice, 'id' | 'publicId'>

export interface Swaps {
  /** Whether a swap provider is configured. */
  readonly offered: boolean
  /** @throws AppError `swap_provider_unavailable` */
  assets(): Promise<readonly SwapAsset[]>
  /**
   * Requests a firm quote for the full invoice amount and stores it before returning it. It replaces an earlier swap.
   * @throws AppError, checked in this order: `refund_to_required`, `no_such_invoice`, `invoice_not_pending`,
   *   `swap_in_progress`, `too_many_swap_requests`, `unsupported_asset_id`, `swap_refused`, `swap_provider_unavailable`
   */
  start(invoice: InvoiceRef, request: SwapRequest): Promise<Swap>
  /** A swap of the invoice, current or replaced, by the id that its start returned. Null for any other text. */
  ofInvoice(invoice: Pick<Invoice, 'id'>, swapPublicId: string): Promise<Swap | null>
  /** Current swaps by invoice id. Invoices without a swap are omitted. */
  currentByInvoice(invoices: readonly Pick<Invoice, 'swapId'>[]): Promise<ReadonlyMap<number, Swap>>
  /** Swaps that need attention, of all accounts or of one; newest first. */
  needingAttention(limit: number, accountId?: number): Promise<Swap[]>
  countNeedingAttention(): Promise<number>
}

const FIRST_POLL_MS = 5_000
/** After a refusal by a limit that invoices share. */
const SHARED_RETRY_SECS = 60

export function createSwaps(deps: {
  readonly store: Store
  readonly outbox: Outbox
  readonly provider: Pick<SwapProvider, 'quote' | 'enabled'>
  readonly assets: SwapAssets
  readonly swapStatus: Pick<SwapStatusPoller, 'refresh'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}): Swaps {
  const { store, outbox, provider, assets, swapStatus, clock, random, log } = deps

  /** The current swap of a pending invoice; null if it has no swap. */
  async function currentSwap(tx: Tx, invoice: Invoice): Promise<Swap | null> {
    const isAsked = invoice.status === 'pending' && invoice.markedAs === null && nowSecs(clock) < invoice.expiresAt
    if (!isAsked) throw new AppError('invoice_not_pending')
    if (invoice.openAmount) throw new AppError('swap_needs_amount')
    return invoice.swapId === null ? null : tx.swaps.byId(invoice.swapId)
  }

  /**
   * Checks that the provider may be asked, and counts the start. While the current swap has a deposit by the last report,
   * only the provider knows whether it may be replaced.
   */
  async function countStart(tx: Tx, found: InvoiceRef): Promise<CountedStart> {
    const now = nowSecs(clock)
    const since = now - SWAP_START_LIMIT.windowSecs
    const invoice = await lockFound(tx, found)
    const current = await currentSwap(tx, invoice)
    const starts = await tx.swaps.startsSince(invoice.id, since)
    // The starts of an account take turns, or concurrent ones would each see room for one more.
    await tx.accounts.lock(invoice.accountId)
    const counts = { invoice: starts.length, ...(await tx.swaps.countStarts(invoice.accountId, since)) }
    const oldestCounted = starts.at(-SWAP_START_LIMIT.max)
    const isFull = oldestCounted !== undefined || !sharedStartsAllow(counts)
    if (isFull) requireReplaceable(current)
    if (isFull)
      throw new AppError('too_many_swap_requests', {
        retryAfterSecs: oldestCounted === undefined ? SHARED_RETRY_SECS : oldestCounted - since,
      })
    return { invoice, current, start: await tx.swaps.recordStart(invoice.id, now, since) }
  }

  async function findAsset(assetId: string): Promise<SwapAsset> {
    const asset = (await assets.list()).find(candidate => candidate.assetId === assetId)
    if (!asset) throw new AppError('unsupported_asset_id')
    return asset
  }

  async function quote(invoice: Invoice, asset: SwapAsset, refundTo: string): Promise<NewSwap> {
    const createdAt = nowSecs(clock)
    const deadline = depositDeadline(invoice.expiresAt, createdAt)
    const { address: recipient, amountZat } = invoice
    const { raw: quoteRaw, ...offer } = await provider.quote({ asset, amountZat, recipient, refundTo, deadline })
    const { symbol, blockchain, decimals, contractAddress } = asset
    const terms = { assetId: asset.assetId, symbol, blockchain, decimals, contractAddress, refundTo, deadline }
    return { publicId: random.uuid(), invoiceId: invoice.id, ...terms, ...offer, quoteRaw, createdAt }
  }

  /** Makes the quote the invoice's swap, after a new check because the invoice may have changed since. */
  async function adopt(tx: Tx, found: InvoiceRef, draft: NewSwap): Promise<Swap> {
    const invoice = await lockFound(tx, found)
    const earlier = await currentSwap(tx, invoice)
    requireReplaceable(earlier)
    if (earlier) await tx.swaps.replace(earlier.id, nowSecs(clock))
    const swap = await tx.swaps.insert(draft, clock.nowMs() + FIRST_POLL_MS)
    if (!swap)
      throw new AppError('swap_provider_unavailable', {
        cause: new Error('the quote has the deposit address and memo of another swap'),
      })
    const watchUntil = Math.max(invoice.watchUntil, polledUntil(swap))
    await tx.invoices.setSwap(invoice.id, swap.id, watchUntil)
    await tx.viewingKeys.extendWatch(invoice.viewingKeyId, watchUntil)
    if (invoice.purpose === 'sale')
      await outbox.append(tx, [invoiceEvent('swap.updated', invoice, eventSwap(swap), draft.createdAt)])
    await outbox.invoicesChanged(tx, [invoice.id], draft.createdAt)
    tx.notify('swaps')
    return swap
  }

  async function uncountStart(start: SwapStart): Promise<void> {
    try {
      await store.write(tx => tx.swaps.removeStart(start))
    } catch (error) {
      log.warn({ err: error }, 'a failed swap start stays counted')
    }
  }

  return {
    offered: provider.enabled,

    assets: () => assets.list(),

    async start(found, request) {
      requireRefundTo(request.refundTo)
      const { invoice, current, start } = await store.write(tx => countStart(tx, found))
      /** Whether the provider was asked: only then does a failed start count. */
      let asked = false
      try {
        if (current && !isFinalSwapStatus(current.status)) {
          asked = true
          requireReplaceable(await swapStatus.refresh(current))
        }
        const asset = await findAsset(request.assetId)
        asked = true
        const draft = await quote(invoice, asset, request.refundTo)
        return await store.write(tx => adopt(tx, invoice, draft))
      } catch (error) {
        const paused = error instanceof AppError && error.cause instanceof SwapProviderPaused
        if (!asked || paused) await uncountStart(start)
        if (error instanceof AppError && error.kind === 'bad_gateway')
          log.warn({ invoice: invoice.publicId.slice(0, 8), err: error.cause }, 'the swap provider gave no quote')
        throw error
      }
    },

    async ofInvoice({ id }, publicId) {
      const swap = isUuid(publicId) ? await store.read(tx => tx.swaps.byPublicId(publicId.toLowerCase())) : null
      return swap?.invoiceId === id ? swap : null
    },

    async currentByInvoice(invoices) {
      const ids = invoices.flatMap(({ swapId }) => (swapId === null ? [] : [swapId]))
      const swaps = ids.length === 0 ? [] : await store.read(tx => tx.swaps.byIds(ids))
      return new Map(swaps.map(swap => [swap.invoiceId, swap]))
    },

    needingAttention: (limit, accountId) => store.read(tx => tx.swaps.needingAttention(limit, accountId)),
    countNeedingAttention: () => store.read(tx => tx.swaps.countNeedingAttention()),
  }
}

interface CountedStart {
  readonly invoice: Invoice
  /** The swap that the new one would replace. */
  readonly current: Swap | null
  readonly start: SwapStart
}

function requireReplaceable(current: Swap | null): void {
  if (current && hasDeposit(current.status)) throw new AppError('swap_in_progress', { value: current.status })
}
