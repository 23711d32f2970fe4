import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { isDone, isInProgress, type Order, stateOf } from '../../world/swap-provider/order.ts'
import type { World } from '../../world/world.ts'
import type { Buyers } from './buyers.ts'
import type { OrderLives } from './order-life.ts'

/** Actions on orders beyond their planned lives, which meet the other actions of a plan. */
export function orderActions(world: World, buyers: Buyers, lives: OrderLives): readonly Action[] {
  /** An action on one of the orders that qualify, mostly the newest. */
  function onOrder(
    name: string,
    weight: number,
    qualifies: (order: Order) => boolean,
    act: (order: Order, draw: Draw) => string | undefined,
    description?: string,
  ): Action {
    const run = (draw: Draw) => {
      const orders = buyers.known.filter(qualifies)
      if (orders.length === 0) return undefined
      return act(draw.chance(0.6) ? orders.at(-1)! : draw.pick(orders), draw)
    }
    return action(name, weight, run, description)
  }

  const isIn =
    (...statuses: readonly string[]) =>
    (order: Order) =>
      statuses.includes(stateOf(order).status)
  const isDue = (order: Order) => !order.delivered && isIn('PROCESSING', 'SUCCESS')(order)

  return [
    onOrder('deposit', 5, isIn('PENDING_DEPOSIT'), (order, draw) => lives.deposit(order, draw)),
    onOrder(
      'swap changes while buyers start',
      6,
      order => !isDone(order),
      (order, draw) => {
        const invoice = world.shop.invoices.find(({ address }) => address === order.recipient)
        const told = lives.deposit(order, draw) ?? lives.advance(order, draw)
        if (!invoice || world.running.length === 0) return told
        if (draw.chance(0.5)) lives.advance(order, draw)
        const count = draw.int(1, 4)
        // Only PostgreSQL lets other transactions overtake a late write.
        if (world.setup.database === 'postgres' && draw.chance(0.5))
          world.storeFailures.late = { table: 'swaps', count: 1, ms: 1_000 }
        for (let i = 0; i < count; i++) buyers.start(draw, invoice, draw.pick(world.running))
        return `${told}, and buyers start ${count} swaps for its invoice`
      },
    ),
    onOrder('swap goes on', 6, isInProgress, (order, draw) => lives.advance(order, draw)),
    onOrder('swap is delivered', 2, isDue, (order, draw) => lives.deliver(order, 100, draw)),
    onOrder(
      'swap delivers another amount',
      1,
      isDue,
      (order, draw) => lives.deliver(order, draw.pick([50, 99, 101]), draw),
      'the swap provider delivers more or less than quoted',
    ),
    onOrder(
      'deposit is dropped',
      1,
      isIn('KNOWN_DEPOSIT_TX'),
      order => lives.dropDeposit(order),
      'a deposit is dropped before its confirmation',
    ),
    onOrder(
      'swap has an unknown status',
      1,
      order => !isDone(order),
      order => lives.confuse(order),
      'the swap provider reports a status that it does not document',
    ),
  ]
}
