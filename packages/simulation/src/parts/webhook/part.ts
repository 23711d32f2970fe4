import { type PartFactory, transitionsOf } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { Receivers } from '../../world/receivers.ts'
import { WebhookOwners, webhookActions } from './actions.ts'
import { checkDelays } from './common-actions.ts'
import { WebhookJudge } from './judge.ts'

/** Webhooks of the merchants, and the servers that receive them. */
export const webhookPart: PartFactory = {
  name: 'webhook',
  probability: 0.3,
  create(world) {
    const draw = new Draw(world.nextSeed(), 'webhook')
    const receivers = new Receivers(world.scheduler, draw, 2)
    const judge = new WebhookJudge(world)
    const owners = new WebhookOwners(world, judge)
    world.receivers.push(receivers)
    receivers.onRequest = request => judge.received(request)
    return {
      workers: ['delivery'],
      transitions: TRANSITIONS,
      actions: webhookActions(world, receivers, owners, () => checkDelays(world, receivers, judge)),
      async setUp() {
        for (const [index, merchant] of world.shop.merchants.entries())
          if (draw.chance(0.8)) await owners.set(draw, merchant, receivers.all[index % 2]!.url)
      },
      onCommit: () => judge.check(),
      heal: () => receivers.heal(),
      unsettled: () => judge.unsettled(),
      atEnd: () => judge.checkEnd(),
    }
  },
}

/** Not listed: a late success may end a delivery that waits for its next attempt. */
const TRANSITIONS = transitionsOf('delivery', {
  '·': ['waiting', 'sending'],
  waiting: ['sending', 'canceled'],
  sending: ['waiting', 'delivered', 'failed', 'canceled'],
})
