import { Fault, noSuch } from '../domain/error.ts'
import {
  depositDeadline,
  hasDeposit,
  isSettled,
  notPending,
  providerUnavailable,
  requireRefundTo,
  STARTS,
  swapInProgress,
  tooManyStarts,
  unsupportedAsset,
  watchedUntil,
} from '../domain/swap.ts'
import { isUuid } from '../domain/uuid.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { NewSwap, Swap, SwapAsset } from '../ports/repository/swap.ts'
import type { Clock, Log, Random, Rows, Store, SwapProvider } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { SwapAssets } from './swap-asset.ts'
import type { SwapLooks } from './swap-status.ts'

export interface SwapRequest {
  readonly assetId: string
  /** The buyer's, on the origin chain. */
  readonly refundTo: string
}

export interface Swaps {
  /** Whether there is a provider at all. */
  readonly offered: boolean
  /** @throws Fault `swap_provider_unavailable` */
  assets(): Promise<readonly SwapAsset[]>
  /**
   * A firm quote for the whole amount of the invoice, stored before anyone sees it; it replaces the swap before.
   * @throws Fault, judged in this order: `no_such_invoice`, `refund_to_required`, `invoice_not_pending`,
   *   `swap_in_progress`, `too_many_swap_requests`, `unsupported_asset_id`, `swap_refused`, `swap_provider_unavailable`
   */
  start(invoicePublicId: string, request: SwapRequest): Promise<Swap>
  /** The present swaps of invoices, by the invoice's id; none for those without. */
  ofInvoices(invoices: readonly Pick<Invoice, 'swapId'>[]): Promise<ReadonlyMap<number, Swap>>
  /** Swaps that need attention: of all accounts, or of one; newest first. */
  needingAttention(limit: number, accountId?: number): Promise<Swap[]>
  countNeedingAttention(): Promise<number>
}

const FIRST_LOOK_MS = 5_000

export function createSwaps(deps: {
  readonly store: Store
  readonly provider: Pick<SwapProvider, 'quote' | 'offered'>
  readonly assets: SwapAssets
  readonly looks: Pick<SwapLooks, 'refresh'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}): Swaps {
  const { store, provider, assets, looks, clock, random, log } = deps

  async function findInvoice(publicId: string): Promise<Invoice> {
    const invoice = isUuid(publicId) ? await store.read(rows => rows.invoices.byPublicId(publicId.toLowerCase())) : null
    if (!invoice) throw noSuch('invoice')
    return invoice
  }

  /** The invoice's present swap, if it has one: what to ask the provider about before it is judged by. */
  async function presentSwap(rows: Rows, invoice: Invoice): Promise<Swap | null> {
    if (invoice.status !== 'pending' || nowSecs(clock) >= invoice.expiresAt) throw notPending()
    return invoice.swapId === null ? null : rows.swaps.byId(invoice.swapId)
  }

  /** The present swap, after making sure that another may take its place. */
  async function replaceable(rows: Rows, invoice: Invoice): Promise<Swap | null> {
    const present = await presentSwap(rows, invoice)
    if (present && hasDeposit(present.status)) throw swapInProgress(present.status)
    return present
  }

  /** Has the provider say anew how the present swap stands; not for those who have used up their starts anyway. */
  async function refresh(invoice: Invoice): Promise<void> {
    const { present, starts } = await store.read(async rows => ({
      present: await presentSwap(rows, invoice),
      starts: await rows.swaps.startsSince(invoice.id, nowSecs(clock) - STARTS.windowSecs),
    }))
    if (present && !isSettled(present.status) && starts.length < STARTS.most) await looks.refresh(present)
  }

  /** Counts the start, if it may be made. */
  async function admit(rows: Rows, invoiceId: number): Promise<number> {
    const now = nowSecs(clock)
    const since = now - STARTS.windowSecs
    await replaceable(rows, await lock(rows, invoiceId))
    const starts = await rows.swaps.startsSince(invoiceId, since)
    const oldestCounted = starts.at(-STARTS.most)
    if (oldestCounted !== undefined) throw tooManyStarts(oldestCounted - since)
    return rows.swaps.countStart(invoiceId, now, since)
  }

  async function quote(invoice: Invoice, { assetId, refundTo }: SwapRequest): Promise<NewSwap> {
    const asset = (await assets.list()).find(known => known.assetId === assetId)
    if (!asset) throw unsupportedAsset()
    const createdAt = nowSecs(clock)
    const deadline = depositDeadline(invoice.expiresAt, createdAt)
    const { address: recipient, amountZat } = invoice
    const { raw: quoteRaw, ...offer } = await provider.quote({ asset, amountZat, recipient, refundTo, deadline })
    const { symbol, blockchain, decimals } = asset
    const terms = { assetId, symbol, blockchain, decimals, refundTo, deadline }
    return { publicId: random.uuid(), invoiceId: invoice.id, ...terms, ...offer, quoteRaw, createdAt }
  }

  /** The quote becomes the invoice's swap, unless something has happened while the provider was asked. */
  async function adopt(rows: Rows, draft: NewSwap): Promise<Swap> {
    const invoice = await lock(rows, draft.invoiceId)
    const earlier = await replaceable(rows, invoice)
    if (earlier) await rows.swaps.replace(earlier.id, nowSecs(clock))
    const swap = await rows.swaps.insert(draft, clock.nowMs() + FIRST_LOOK_MS)
    if (!swap) throw providerUnavailable(new Error('a quote with the deposit address and memo of another swap'))
    const watchUntil = Math.max(invoice.watchUntil, watchedUntil(swap))
    await rows.invoices.setSwap(invoice.id, swap.id, watchUntil)
    await rows.viewingKeys.watch(invoice.viewingKeyId, watchUntil)
    const event = { accountId: invoice.accountId, invoiceId: invoice.id, createdAt: draft.createdAt }
    await rows.events.append([{ ...event, type: null, body: null }])
    rows.wake('events')
    rows.wake('swaps')
    return swap
  }

  async function takeBack(startId: number): Promise<void> {
    try {
      await store.write(rows => rows.swaps.uncountStart(startId))
    } catch (error) {
      log.warn({ err: error }, 'a swap start that came to nothing stays counted')
    }
  }

  return {
    offered: provider.offered,

    assets: () => assets.list(),

    async start(invoicePublicId, request) {
      const invoice = await findInvoice(invoicePublicId)
      requireRefundTo(request.refundTo)
      await refresh(invoice)
      const startId = await store.write(rows => admit(rows, invoice.id))
      try {
        const draft = await quote(invoice, request)
        return await store.write(rows => adopt(rows, draft))
      } catch (error) {
        await takeBack(startId)
        if (error instanceof Fault && error.kind === 'bad_gateway')
          log.warn({ invoice: invoice.publicId.slice(0, 8), err: error.cause }, 'no quote for a swap')
        throw error
      }
    },

    async ofInvoices(invoices) {
      const ids = invoices.flatMap(({ swapId }) => (swapId === null ? [] : [swapId]))
      const swaps = ids.length === 0 ? [] : await store.read(rows => rows.swaps.byIds(ids))
      return new Map(swaps.map(swap => [swap.invoiceId, swap]))
    },

    needingAttention: (limit, accountId) => store.read(rows => rows.swaps.needingAttention(limit, accountId)),
    countNeedingAttention: () => store.read(rows => rows.swaps.countNeedingAttention()),
  }
}

async function lock(rows: Rows, invoiceId: number): Promise<Invoice> {
  const [invoice] = await rows.invoices.lock([invoiceId])
  if (!invoice) throw noSuch('invoice')
  return invoice
}
