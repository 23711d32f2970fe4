import type { Draw } from '../../runtime/draw.ts'
import { pay } from '../../world/payment.ts'
import { isInProgress, type Order, stateOf } from '../../world/swap-provider/order.ts'
import type { SwapProviderServer } from '../../world/swap-provider/provider.ts'
import type { World } from '../../world/world.ts'

/** A word that the documentation does not know. */
const UNKNOWN_STATUS = 'KYC_REVIEW'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The planned lives of orders: deposits of buyers, progress at the provider, and payouts on the network. */
export class OrderLives {
  readonly #world: World
  readonly #provider: SwapProviderServer
  readonly #draw: Draw
  #silencesNext = false

  constructor(world: World, provider: SwapProviderServer, draw: Draw) {
    this.#world = world
    this.#provider = provider
    this.#draw = draw
  }

  /** A buyer has received the deposit address. */
  begin(order: Order): void {
    const draw = this.#draw
    const leftMs = Math.max(1, order.deadlineMs - this.#world.scheduler.nowMs)
    const delayMs = draw.weighted<number | null>([
      [null, 4],
      [draw.int(0, 10_000), 4],
      [draw.int(0, leftMs), 4],
      [leftMs + draw.int(-10_000, 10_000), 2],
      [leftMs + draw.int(0, HOUR_MS), 1],
    ])
    if (delayMs !== null) this.#later(delayMs, () => this.deposit(order, draw))
    if (this.#silencesNext) this.#silenceAtExpiry(order)
  }

  /** The provider will not answer around the expiry of the next invoice that a buyer pays with a swap. */
  silenceAtNextExpiry(): void {
    this.#silencesNext = true
  }

  #silenceAtExpiry({ deadlineMs }: Order): void {
    const { faults } = this.#provider
    const leftMs = deadlineMs - this.#world.scheduler.nowMs
    const silence = (isDown: boolean) => () => {
      faults.down = isDown
    }
    this.#silencesNext = false
    this.#later(Math.max(0, leftMs - this.#draw.int(0, 30_000)), silence(true))
    this.#later(Math.max(0, leftMs + this.#draw.int(60_000, 180_000)), silence(false))
  }

  /** A buyer sends the coins to an order that waits for them: mostly the amount asked. */
  deposit(order: Order, draw: Draw): string | undefined {
    if (stateOf(order).status !== 'PENDING_DEPOSIT') return undefined
    order.deposited = (order.amountIn * BigInt(draw.pick([100, 100, 50, 150]))) / 100n
    return this.#enter(order, draw.chance(0.7) ? 'KNOWN_DEPOSIT_TX' : confirmedStatus(order))
  }

  /** The provider makes its next step with an order that has a deposit. */
  advance(order: Order, draw: Draw): string | undefined {
    if (!isInProgress(order)) return undefined
    return this.#enter(order, this.#next(order, draw))
  }

  /** The deposit of an order is dropped by its chain. */
  dropDeposit(order: Order): string {
    order.deposited = 0n
    return this.#enter(order, 'PENDING_DEPOSIT')
  }

  /** The provider reports an unknown status. */
  confuse(order: Order): string {
    return this.#enter(order, UNKNOWN_STATUS)
  }

  /** Ends all orders that have a deposit, as a provider does in time. */
  finishAll(): void {
    for (const order of this.#provider.orders.values()) {
      if (!isInProgress(order)) continue
      const status = this.#draw.pick(['SUCCESS', 'SUCCESS', 'REFUNDED', 'FAILED'])
      this.#provider.setStatus(order, status)
      if (status === 'SUCCESS' && this.#draw.chance(0.7)) this.deliver(order, 100, this.#draw)
    }
  }

  /** Pays the recipient of an order on the network. @param percent of the amount */
  deliver(order: Order, percent: number, draw: Draw): string | undefined {
    const { story } = this.#world
    const valueZat = (order.amountZat * BigInt(percent)) / 100n
    if (order.delivered) return undefined
    const transaction = pay(this.#world, draw, [{ address: order.recipient, valueZat }])
    if (!transaction) return undefined
    order.delivered = true
    this.#world.observe()
    story.tell('provider', `pays ${valueZat} zat in ${transaction.txid.slice(0, 6)}`)
    return `${order.depositAddress} is delivered`
  }

  #next(order: Order, draw: Draw): string {
    switch (stateOf(order).status) {
      case 'KNOWN_DEPOSIT_TX':
        if (draw.chance(0.1)) return UNKNOWN_STATUS
        if (!draw.chance(0.1)) return confirmedStatus(order)
        order.deposited = 0n
        return 'PENDING_DEPOSIT'
      case 'INCOMPLETE_DEPOSIT':
        if (draw.chance(0.4)) return 'REFUNDED'
        order.deposited = draw.chance(0.5) ? order.amountIn : (order.amountIn * 6n) / 10n
        return 'KNOWN_DEPOSIT_TX'
      case 'PROCESSING':
        return draw.weighted([
          ['SUCCESS', 6],
          ['REFUNDED', 2],
          ['FAILED', 1],
          [UNKNOWN_STATUS, 0.3],
        ])
      default:
        return confirmedStatus(order)
    }
  }

  /** Sets a status and plans what follows from it. */
  #enter(order: Order, status: string): string {
    const draw = this.#draw
    this.#provider.setStatus(order, status)
    if (status === 'SUCCESS' || status === 'PROCESSING') this.#planDelivery(order, status)
    if (isInProgress(order)) {
      const delayMs = draw.pick([draw.int(0, 5_000), draw.int(0, MINUTE_MS), draw.int(0, 20 * MINUTE_MS), 2 * HOUR_MS])
      const { length } = order.states
      this.#later(delayMs, () => order.states.length === length && this.advance(order, draw))
    } else if (status === 'PENDING_DEPOSIT' && draw.chance(0.5)) {
      this.#later(draw.int(0, 5 * MINUTE_MS), () => this.deposit(order, draw))
    }
    this.#world.story.tell('provider', `order ${order.depositAddress}: ${status}`)
    return `${order.depositAddress} is ${status}`
  }

  /** Before the success, after it, or never. */
  #planDelivery(order: Order, status: 'PROCESSING' | 'SUCCESS'): void {
    const draw = this.#draw
    if (!draw.chance(status === 'SUCCESS' ? 0.75 : 0.2)) return
    const percent = draw.pick([100, 100, 100, 100, 100, 100, 99, 101])
    const delayMs = draw.pick([0, draw.int(0, MINUTE_MS), draw.int(0, 40 * MINUTE_MS)])
    this.#later(delayMs, () => this.deliver(order, percent, draw))
  }

  #later(delayMs: number, act: () => unknown): void {
    this.#world.scheduler.startTimer(delayMs, () => {
      if (!this.#world.healed) act()
    })
  }
}

function confirmedStatus({ deposited, minAmountIn }: Order): string {
  if (deposited === 0n) return 'PENDING_DEPOSIT'
  return deposited >= minAmountIn ? 'PROCESSING' : 'INCOMPLETE_DEPOSIT'
}
