import { type PartFactory, transitionsOf } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { Receivers } from '../../world/receivers.ts'
import { checkDelays } from '../webhook/common-actions.ts'
import { EndpointJudge } from './judge.ts'
import { outages } from './outages.ts'
import { EndpointOwners } from './owners.ts'

/** Endpoints of the merchants beside their webhooks, and the servers that receive their events. */
export const endpointPart: PartFactory = {
  name: 'endpoint',
  probability: 0.12,
  create(world) {
    const draw = new Draw(world.nextSeed(), 'endpoint')
    const receivers = new Receivers(world.scheduler, draw, 3, 'endpoint')
    const judge = new EndpointJudge(world)
    const owners = new EndpointOwners(world, judge, receivers)
    world.receivers.push(receivers)
    receivers.onRequest = request => judge.received(request)
    const inspect = () => checkDelays(world, receivers, judge)
    return {
      workers: ['endpoint'],
      transitions: TRANSITIONS,
      actions: [...owners.actions(inspect), ...outages(world, receivers, owners, inspect)],
      async setUp() {
        for (const merchant of world.shop.merchants)
          for (let count = draw.int(1, 3); count > 0; count--) await owners.create(draw, merchant)
      },
      onCommit: () => judge.check(),
      heal: () => receivers.heal(),
      unsettled: () => judge.unsettled(url => receivers.worksSince(url) !== null),
    }
  },
}

const TRANSITIONS = [
  ...transitionsOf('endpoint', {
    '·': ['active'],
    active: ['failing', 'disabled', 'removed'],
    failing: ['active', 'paused', 'disabled'],
    paused: ['active'],
    disabled: ['active'],
  }),
  ...transitionsOf('delivery to an endpoint', {
    '·': ['waiting', 'sending'],
    waiting: ['sending', 'failed', 'canceled'],
    sending: ['waiting', 'delivered', 'failed', 'canceled'],
  }),
]
