import type { PartFactory } from '../../run/part.ts'
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
    world.onRestore(() => {
      judge.restored()
      usage.restored()
    })
    return {
      name: 'billing',
      actions: subscribers.actions,
      workers: ['billing'],
      config: { billingViewingKey: 'uview-operator', plans },
      transitions: [
        'purchase · → open',
        'purchase open → granted',
        'purchase open → needs_attention',
        'plan Free → Small',
        'plan Free → Large',
        'plan Small → Small',
        'plan Small → Large',
        'plan Large → Small',
        'plan Large → Large',
        'plan Small → Free',
        'plan Large → Free',
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
