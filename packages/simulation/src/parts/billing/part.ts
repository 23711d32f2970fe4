import { type PartFactory, transitionsOf } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { Subscribers } from './actions.ts'
import { PlanJudge } from './judge.ts'
import { drawPlans } from './plans.ts'
import { UsageJudge } from './usage-judge.ts'

/** Plans: bought, renewed, ended, and their monthly limits. */
export const billingPart: PartFactory = {
  name: 'billing',
  probability: 0.3,
  create(world) {
    const plans = drawPlans(new Draw(world.nextSeed(), 'plans'))
    const judge = new PlanJudge(world, plans)
    const usage = new UsageJudge(world, plans)
    const subscribers = new Subscribers(world, plans, judge)
    return {
      actions: subscribers.actions,
      workers: ['billing'],
      config: { billingViewingKey: 'uview-operator', plans },
      transitions: [
        ...transitionsOf('purchase', { '·': ['open'], open: ['granted', 'needs_attention'] }),
        ...transitionsOf('plan', {
          Free: ['Small', 'Large'],
          Small: ['Small', 'Large', 'Free'],
          Large: ['Small', 'Large', 'Free'],
        }),
        'monthly usage below → the limit',
      ],
      onCommit() {
        judge.check()
        usage.check()
      },
      unsettled: () => judge.unsettled(),
    }
  },
}
