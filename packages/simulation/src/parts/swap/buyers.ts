import { AppError } from '@zatgate/server/domain/error'
import type { Swap } from '@zatgate/server/ports/repository/sale/swap'
import type { Draw } from '../../runtime/draw.ts'
import type { ServiceProcess } from '../../service/process.ts'
import { ASSETS, UNKNOWN_ASSET_ID } from '../../world/swap-provider/asset.ts'
import type { Order } from '../../world/swap-provider/order.ts'
import type { SwapProviderServer } from '../../world/swap-provider/provider.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure, type KnownInvoice, short } from '../sale/shop.ts'
import type { SwapJudge } from './judge.ts'
import { hasDeposit, maxClockErrorMs } from './ledger.ts'
import type { OrderLives } from './order-life.ts'

/** The largest error of a clock with which every honest quote is recent enough. */
const MAX_CLOCK_ERROR_MS = 240_000

/** The longest pause after an answer that there are too many requests, with the time that its response takes. */
const MAX_PAUSE_MS = 60_000

/** How long the list of assets is not requested again after a failure. */
const LIST_RETRY_MS = 5_000

/** The state when a request was sent, to judge its refusal. */
interface Request {
  readonly invoice: KnownInvoice
  readonly assetId: string
  readonly refundTo: string
  readonly sentAtMs: number
  readonly useless: number
  readonly refusals: number
  readonly state: InvoiceState | undefined
}

interface InvoiceState {
  readonly id: bigint
  readonly status: string
  readonly changes: bigint
}

const INVOICE = `SELECT id, status, (SELECT count(*) FROM invoice_changes WHERE invoice_id = invoices.id) AS changes
  FROM invoices WHERE public_id = ?`

/** Buyers who pay invoices with other coins: their requests, and the responses. */
export class Buyers {
  /** Orders whose deposit address a buyer knows. */
  readonly known: Order[] = []
  readonly #world: World
  readonly #provider: SwapProviderServer
  readonly #judge: SwapJudge
  readonly #lives: OrderLives
  readonly #requests = new Map<string, number>()

  constructor(parts: {
    readonly world: World
    readonly provider: SwapProviderServer
    readonly judge: SwapJudge
    readonly lives: OrderLives
  }) {
    this.#world = parts.world
    this.#provider = parts.provider
    this.#judge = parts.judge
    this.#lives = parts.lives
  }

  /** Whether any swap was requested. */
  get haveStarted(): boolean {
    return this.#requests.size > 0
  }

  /** The number of requests to start a swap for the invoice with this address. */
  requestsFor(address: string): number {
    return this.#requests.get(address) ?? 0
  }

  /** Requests an invoice, and then a swap for it, in the background. */
  order(draw: Draw): void {
    const { shop, running } = this.#world
    const merchant = draw.pick(shop.merchants)
    const process = draw.pick(running)
    this.#world.client('order', async () => {
      const { length } = shop.invoices
      await shop.requestInvoice(draw, merchant, 1)
      const invoice = shop.invoices[length]
      if (invoice) this.start(draw, invoice, process)
    })
  }

  /** Requests a swap for an invoice in the background. */
  start(draw: Draw, invoice: KnownInvoice, process: ServiceProcess): void {
    const assetId = draw.weighted([
      [ASSETS[0]!.assetId, 6],
      [draw.pick(ASSETS).assetId, 3],
      [UNKNOWN_ASSET_ID, 0.3],
    ])
    const refundTo = draw.weighted([
      [`refund-${short(invoice.publicId)}`, 8],
      [`refund-${draw.int(1, 1_000)}`, 2],
      [' ', 0.2],
    ])
    this.#requests.set(invoice.address, this.requestsFor(invoice.address) + 1)
    this.#world.client('start a swap', async () => {
      const request = this.#request(invoice, assetId, refundTo)
      try {
        const swap = await process.call(async ({ invoices, swaps }) => {
          return swaps.start(await invoices.read(invoice.publicId), { assetId, refundTo })
        })
        if (this.#received(invoice, swap) && draw.chance(0.25)) this.#rush(draw, invoice)
      } catch (error) {
        if (!isExpectedFailure(error)) throw error
        if (error instanceof AppError) this.#checkRefusal(request, error)
      }
    })
  }

  #request(invoice: KnownInvoice, assetId: string, refundTo: string): Request {
    const { useless, refusals } = this.#provider
    const sentAtMs = this.#world.scheduler.nowMs
    return { invoice, assetId, refundTo, sentAtMs, useless, refusals, state: this.#stateOf(invoice) }
  }

  #stateOf({ publicId }: KnownInvoice): InvoiceState | undefined {
    return this.#world.database.committed<InvoiceState>(INVOICE, publicId)[0]
  }

  /** Deposits to the newest order, and requests further swaps for its invoice at the same moment. */
  #rush(draw: Draw, invoice: KnownInvoice): void {
    // An order that began after the end of the faults would never be finished.
    if (this.#world.healed) return
    const order = this.known.at(-1)!
    this.#lives.deposit(order, draw)
    if (draw.chance(0.7)) this.#lives.advance(order, draw)
    const { running } = this.#world
    for (let i = draw.int(1, 3); i > 0 && running.length > 0; i--) this.start(draw, invoice, draw.pick(running))
  }

  /** A buyer is shown a quote, which must have been stored before. Returns whether it is new. */
  #received(invoice: KnownInvoice, swap: Swap): boolean {
    const [row] = this.#world.database.committed<{ deposit_address: string; amount_in: string }>(
      'SELECT deposit_address, amount_in FROM swaps WHERE public_id = ?',
      swap.publicId,
    )
    const order = this.#provider.orders.get(swap.depositAddress)
    const isStored = row?.deposit_address === swap.depositAddress && row.amount_in === String(swap.amountIn)
    if (!isStored || !order) this.#world.fail('a quote is stored before it is shown', `swap ${short(swap.publicId)}`)
    if (!order) return false
    if (order.recipient !== invoice.address || order.depositMemo !== swap.depositMemo)
      this.#world.fail('a quote pays the address of its invoice', `swap ${short(swap.publicId)}`)
    if (this.known.includes(order)) return false
    this.known.push(order)
    this.#lives.begin(order)
    const { decimals, symbol } = order.asset
    this.#world.story.tell(
      'buyer',
      `receives swap ${short(swap.publicId)} of ${order.amountIn} × 10^-${decimals} ${symbol} for invoice ${short(invoice.publicId)}`,
    )
    return true
  }

  /** Each refusal has its reason. */
  #checkRefusal(request: Request, { code }: AppError): void {
    const { invoice, assetId, refundTo, useless, refusals } = request
    const { nowMs } = this.#world.scheduler
    const errorMs = maxClockErrorMs(this.#world)
    const state = this.#stateOf(invoice)
    this.#world.story.tell('buyer', `is refused a swap for invoice ${short(invoice.publicId)}: ${code}`)
    const isUnchanged = state?.status === request.state?.status && state?.changes === request.state?.changes
    const justified: Partial<Record<AppError['code'], () => boolean>> = {
      no_such_invoice: () => state === undefined || request.state === undefined,
      refund_to_required: () => refundTo.trim() === '',
      invoice_not_pending: () =>
        !isUnchanged || state?.status !== 'pending' || nowMs + errorMs >= invoice.expiresAt * 1000,
      swap_in_progress: () => this.#wasToldOfDeposit(invoice),
      too_many_swap_requests: () => !state || this.#judge.starts.countSince(state.id, request.sentAtMs) >= 5,
      unsupported_asset_id: () => assetId === UNKNOWN_ASSET_ID,
      swap_needs_amount: () => invoice.isOpen,
      swap_refused: () => this.#provider.refusals > refusals,
      swap_provider_unavailable: () => this.#provider.useless > useless || this.#isAvoided(request.sentAtMs, errorMs),
    }
    if (justified[code]?.() === false)
      this.#world.fail('a swap is refused for a reason', `invoice ${short(invoice.publicId)}: ${code}`)
  }

  /** Whether the service may refuse a swap without a request: after a failure, in a pause, or by its wrong clock. */
  #isAvoided(atMs: number, errorMs: number): boolean {
    const { uselessAtMs, throttledAtMs } = this.#provider
    if (errorMs > MAX_CLOCK_ERROR_MS) return true
    return atMs - uselessAtMs < LIST_RETRY_MS + 2 * errorMs || atMs - throttledAtMs < MAX_PAUSE_MS + 2 * errorMs
  }

  /** Whether the provider has ever reported a deposit for this invoice. */
  #wasToldOfDeposit({ address }: KnownInvoice): boolean {
    return [...this.#provider.orders.values()].some(
      order =>
        order.recipient === address && this.#provider.answersAbout(order).some(({ state }) => hasDeposit(state.status)),
    )
  }
}
