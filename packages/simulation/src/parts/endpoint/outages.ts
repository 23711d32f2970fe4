import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { pay } from '../../world/payment.ts'
import type { ReceiverMode, Receivers } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import { receiverFault } from '../webhook/common-actions.ts'
import type { EndpointOwners } from './owners.ts'

const HOUR_MS = 3_600_000
/** An attempt at a receiver that does not respond has ended after this time. */
const ATTEMPT_MS = 6_000
/** A receiver that is down for days is mostly found so by the hourly attempts. */
const OUTAGE_HOURS = [3, 12, 36, 80, 80] as const

/** Outages and other behaviour of the receivers of endpoints. @param inspect called before each action */
export function outages(
  world: World,
  receivers: Receivers,
  owners: EndpointOwners,
  inspect: () => void,
): readonly Action[] {
  const mode = (name: ReceiverMode, description: string) =>
    receiverFault({ receivers, inspect }, name, { name: `an endpoint ${name}`, weight: 0.8, description })
  return [
    mode('mixed', 'the receiver of an endpoint treats each request in another way'),
    mode('slow', 'the receiver of an endpoint responds late'),
    mode('hangs', 'the receiver of an endpoint never responds'),
    mode('fails', 'the receiver of an endpoint responds with errors'),
    mode('refuses', 'the receiver of an endpoint cannot be reached'),
    action('the endpoints work', 4, () => {
      inspect()
      receivers.repair()
      return 'the receivers of the endpoints work'
    }),
    {
      name: 'an endpoint is down for days',
      weight: 5,
      fault: 'the receiver of an endpoint is down for hours or days, while its shop sells',
      async run(draw) {
        inspect()
        const used = receivers.all.filter(({ url }) => owners.uses(url))
        const chosen = draw.pick(used.length > 0 ? used : receivers.all)
        receivers.setMode(chosen, draw.pick(['refuses', 'fails', 'hangs']))
        const hours = draw.pick(OUTAGE_HOURS)
        for (let hour = 0; hour < hours && !world.finding; hour++) {
          if (hour % 12 === 1) sell(world, draw)
          for (const ms of [HOUR_MS, ATTEMPT_MS]) {
            world.scheduler.advance(ms)
            await world.scheduler.run()
          }
          world.mine()
        }
        if (draw.chance(0.8)) receivers.repair()
        const merchant = draw.pick(world.shop.merchants)
        if (draw.chance(0.3)) world.client('recover an endpoint', () => owners.recover(draw, merchant))
        if (draw.chance(0.7)) world.client('resume an endpoint', () => owners.resume(draw, merchant))
        return `${chosen.url} was down for ${hours} hours`
      },
    },
  ]
}

function sell(world: World, draw: Draw): void {
  const { shop } = world
  const merchant = draw.pick(shop.merchants)
  world.client('create invoice', async () => {
    const { length } = shop.invoices
    await shop.requestInvoice(draw, merchant, 1)
    const invoice = shop.invoices[length]
    if (!invoice || draw.chance(0.5)) return
    pay(world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }])
    world.observe()
  })
}
