import type { Action } from '../../run/part.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import type { Withdrawers } from './actions.ts'
import { readWithdrawals } from './ledger.ts'
import type { PayoutOperator } from './payouts.ts'

const UNPAID: ReadonlySet<string> = new Set(['awaiting_deposit', 'deposit_detected'])

/** The operator settles an order by hand at the moment in which its payout is claimed. Only PostgreSQL lets it. */
export function closeDuringClaim(world: World, withdrawers: Withdrawers, operator: PayoutOperator): Action {
  return {
    name: 'settle a withdrawal while its payout is claimed',
    weight: 4,
    fault: 'the claim of a payout is committed late, and the operator settles the order meanwhile',
    async run(draw) {
      const status = new Map(readWithdrawals(world).map(row => [row.public_id, row.status]))
      const order = withdrawers.orders.findLast(
        ({ id, expiresAt }) => UNPAID.has(status.get(id) ?? '') && expiresAt > world.nowSecs + 10,
      )
      if (!order) return undefined
      if (status.get(order.id) === 'awaiting_deposit')
        pay(world, draw, [{ address: order.address, valueZat: order.amountZat }])
      await world.runFor(4_000)
      operator.closeDuringNextClaim()
      for (let blocks = 0; blocks <= world.setup.confirmations; blocks++) world.mine()
      await world.runFor(30_000)
      return `the operator settles ${short(order.id)} while its payout is claimed`
    },
  }
}
