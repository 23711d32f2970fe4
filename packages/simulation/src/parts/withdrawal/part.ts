import type { PartFactory } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { Withdrawers } from './actions.ts'
import { WithdrawalJudge } from './judge.ts'
import { PayoutOperator } from './payouts.ts'
import { WITHDRAWAL_TRANSITIONS } from './rules.ts'

/** Orders of merchants to be paid out in fiat. */
export const withdrawalPart: PartFactory = {
  name: 'withdrawal',
  probability: 0.3,
  create(world) {
    const draw = new Draw(world.nextSeed(), 'withdrawal terms')
    const spreadBps = draw.pick([0, 50, 5_000])
    const judge = new WithdrawalJudge(world, spreadBps)
    const operator = new PayoutOperator(world, judge)
    judge.onDue = order => operator.onDue(order)
    const withdrawers = new Withdrawers(world, operator)
    return {
      actions: [...withdrawers.actions, ...operator.actions],
      config: {
        billingViewingKey: 'uview-operator',
        withdrawals: { currencies: ['USD', 'EUR'], spreadBps, expiresInSecs: draw.pick([60, 300, 900]) },
      },
      transitions: WITHDRAWAL_TRANSITIONS,
      onCommit: () => judge.check(),
      unsettled() {
        operator.settleWaiting()
        return judge.unsettled()
      },
    }
  },
}
