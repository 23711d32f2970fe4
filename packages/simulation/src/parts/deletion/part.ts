import type { PartFactory } from '../../run/part.ts'
import { DeletionJudge } from './judge.ts'
import { Leavers } from './leavers.ts'

/** Merchants that delete their accounts, with invoices, payouts and deliveries that are still open. */
export const deletionPart: PartFactory = {
  name: 'deletion',
  probability: 0.12,
  create(world) {
    const judge = new DeletionJudge(world)
    const leavers = new Leavers(world, judge)
    return {
      workers: ['cleanup'],
      actions: leavers.actions,
      transitions: ['account open → being deleted', 'account being deleted → open', 'account being deleted → deleted'],
      onCommit: () => judge.check(),
      unsettled: () => judge.unsettled(),
    }
  },
}
