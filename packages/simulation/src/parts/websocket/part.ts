import type { PartFactory } from '../../run/part.ts'
import { passTime } from '../../world/passage.ts'
import { Watchers } from './watchers.ts'

/** Buyers who watch their invoices over WebSockets. */
export const websocketPart: PartFactory = {
  name: 'websocket',
  probability: 0.25,
  create(world) {
    const watchers = new Watchers(world)
    return {
      actions: watchers.actions,
      async beforeFailOver(draw) {
        watchers.openMany(draw)
        await passTime(world, 1, draw, { stops: 4, mines: false })
      },
      afterFailOver: draw => watchers.payMany(draw),
      onCommit: () => watchers.check(),
      unsettled: () => watchers.unsettled(),
    }
  },
}
