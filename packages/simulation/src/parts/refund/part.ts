import type { PartFactory } from '../../run/part.ts'
import { parseAddress } from '../../world/chain/note-scanner.ts'
import { RefundActions } from './actions.ts'
import { REFUND_TRANSITIONS, RefundJudge } from './judge.ts'
import { Refunders } from './refunders.ts'

/** Refunds: orders of merchants that their own wallets pay, to addresses that they or their buyers give. */
export const refundPart: PartFactory = {
  name: 'refund',
  probability: 0.3,
  create(world) {
    const judge = new RefundJudge(world)
    const refunders = new Refunders(world, judge)
    const actions = new RefundActions(world, refunders)
    return {
      actions: actions.actions,
      ports: () => ({ checkAddress: address => (parseAddress(address) ? null : 'no address') }),
      transitions: REFUND_TRANSITIONS,
      async beforeFailOver(draw) {
        actions.start(draw)
      },
      onCommit: () => judge.check(),
    }
  },
}
