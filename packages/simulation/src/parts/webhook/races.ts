import type { Action } from '../../run/part.ts'
import type { Receivers } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import type { WebhookOwners } from './actions.ts'

/** An attempt without a result counts as lost after 15 s. The process that makes it is suspended for longer. */
const LOST_AFTER_MS = 16_000
const SUSPENDED_MS = 22_000
/** From the failed second attempt to the third. */
const NEXT_ATTEMPT_MS = 62_000

/** A process learns of the success of its attempt when another one has made the next attempt, which has failed. */
export function lateSuccess(world: World, receivers: Receivers, owners: WebhookOwners): Action {
  return {
    name: 'a success is recorded late',
    weight: 2,
    fault: 'a process stands still during an attempt, which succeeds, and the next attempt of another process fails',
    async run(draw) {
      if (world.responsive.length < 2) return undefined
      const merchant = draw.pick(world.shop.merchants)
      receivers.repair()
      receivers.onNext = process => world.suspend(process, SUSPENDED_MS)
      world.client('send a test event', () => owners.test(draw, merchant))
      await world.runFor(2_000)
      receivers.onNext = null
      const suspended = world.running.find(process => !world.responsive.includes(process))
      if (!suspended) return undefined
      for (const receiver of receivers.all) receivers.setMode(receiver, 'fails')
      await world.runFor(LOST_AFTER_MS)
      receivers.repair()
      await world.runFor(SUSPENDED_MS - LOST_AFTER_MS)
      // Only the process that knows of the success may make the next attempt.
      for (const process of world.running) if (process !== suspended) process.crash()
      await world.runFor(NEXT_ATTEMPT_MS)
      return `${suspended.name} has recorded a success late`
    },
  }
}
