import { type PartFactory, transitionsOf } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { FeedJudge } from './feed-judge.ts'
import { NumberJudge } from './number-judge.ts'
import { Readers } from './readers.ts'

/** The numbers of the events. */
export const eventPart: PartFactory = {
  name: 'event',
  probability: 1,
  create(world) {
    const judge = new NumberJudge(world)
    return { actions: [], onCommit: () => judge.check() }
  },
}

/** How long events are kept, in days. */
const RETENTION_DAYS = [90, 90, 0.25, 0.05] as const

/** Programs of the merchants that follow the events of their accounts. */
export const feedPart: PartFactory = {
  name: 'feed',
  probability: 0.3,
  create(world) {
    const draw = new Draw(world.nextSeed(), 'feed')
    const judge = new FeedJudge(world)
    const readers = new Readers(world, judge)
    world.onRestore(() => {
      if (judge.restored()) readers.beginAgain()
    })
    return {
      workers: ['cleanup'],
      config: { eventRetentionDays: draw.pick(RETENTION_DAYS) },
      actions: readers.actions,
      transitions: transitionsOf('reader', { following: ['events', 'events_pruned', 'invalid_after'] }),
      async beforeFailOver(drawn) {
        readers.readAll(drawn)
      },
      afterFailOver: drawn => readers.readAll(drawn),
      onCommit: () => judge.check(),
      heal: () => readers.heal(draw),
      unsettled: () => readers.unsettled(),
    }
  },
}
