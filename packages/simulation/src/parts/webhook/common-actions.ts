import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { ReceiverMode, Receivers } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import type { Merchant } from '../sale/shop.ts'

/** How long a due delivery may wait in a healthy service. Loops pause for 5 s, and up to 30 s after an error. */
const PATIENCE_MS = 60_000

/** A judge of deliveries. */
interface DeliveryJudge {
  /** Why something for a working receiver is delayed; null when nothing is. */
  delayed(worksSince: (url: string) => number | null, patienceMs: number): string | null
}

/** Slow receivers delay only their own deliveries. Checked while the service itself has no faults. */
export function checkDelays(world: World, receivers: Receivers, judge: DeliveryJudge): void {
  const delayed = world.isCalm(PATIENCE_MS) ? judge.delayed(url => receivers.worksSince(url), PATIENCE_MS) : null
  if (delayed !== null) world.fail('a receiver does not delay the deliveries to others', delayed)
}

/** A merchant does something. @param inspect called before */
export function merchantAction(
  { world, inspect }: { readonly world: World; readonly inspect: () => void },
  name: string,
  weight: number,
  run: (draw: Draw, merchant: Merchant) => Promise<void>,
): Action {
  return action(name, weight, draw => {
    inspect()
    const merchant = draw.pick(world.shop.merchants)
    world.client(name, () => run(draw, merchant))
    return `${merchant.name}: ${name}`
  })
}

/** A receiver begins to treat its requests in this way. @param inspect called before */
export function receiverFault(
  { receivers, inspect }: { readonly receivers: Receivers; readonly inspect: () => void },
  mode: ReceiverMode,
  { name, weight, description }: { readonly name: string; readonly weight: number; readonly description: string },
): Action {
  return fault(name, weight, description, draw => {
    inspect()
    const chosen = draw.pick(receivers.all)
    receivers.setMode(chosen, mode)
    return `${chosen.url}: ${mode}`
  })
}
