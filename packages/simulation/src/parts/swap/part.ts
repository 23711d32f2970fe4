import { type PartFactory, transitionsOf } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { passTime } from '../../world/passage.ts'
import { SwapProviderServer } from '../../world/swap-provider/provider.ts'
import { buyerActions, providerActions } from './actions.ts'
import { Buyers } from './buyers.ts'
import { SwapJudge } from './judge.ts'
import { orderActions } from './order-actions.ts'
import { OrderLives } from './order-life.ts'
import { SwapPollJudge } from './poll-judge.ts'

const TRANSITIONS = transitionsOf('swap', {
  '·': ['PENDING_DEPOSIT'],
  PENDING_DEPOSIT: ['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING', 'SUCCESS', 'REFUNDED', 'FAILED'],
  KNOWN_DEPOSIT_TX: ['PENDING_DEPOSIT', 'INCOMPLETE_DEPOSIT', 'PROCESSING', 'SUCCESS', 'REFUNDED', 'FAILED'],
  INCOMPLETE_DEPOSIT: ['PENDING_DEPOSIT', 'KNOWN_DEPOSIT_TX', 'PROCESSING', 'SUCCESS', 'REFUNDED', 'FAILED'],
  PROCESSING: ['SUCCESS', 'REFUNDED', 'FAILED'],
})

/** A quote takes longer than a fail-over. */
const SLOW_MS = 4_000

/** Buyers who pay with other coins through the swap provider. */
export const swapPart: PartFactory = {
  name: 'swap',
  probability: 0.3,
  create(world) {
    const provider = new SwapProviderServer(world.scheduler, world.nextSeed())
    const lives = new OrderLives(world, provider, new Draw(world.nextSeed(), 'orders'))
    const judge = new SwapJudge(world, provider)
    const buyers = new Buyers({ world, provider, judge, lives })
    const polls = new SwapPollJudge(world, address => buyers.requestsFor(address))
    provider.onStatusRequest = order => polls.check(order)
    return {
      workers: ['swap'],
      transitions: TRANSITIONS,
      actions: [
        ...buyerActions(world, buyers),
        ...orderActions(world, buyers, lives),
        ...providerActions({ world, provider, buyers, lives }),
      ],
      ports: process => ({ swapProvider: provider.connect(process.clock) }),
      async beforeFailOver(draw) {
        if (world.running.length === 0) return
        provider.faults.slowMs = SLOW_MS
        for (let i = 0; i < 2; i++) buyers.order(draw)
        await passTime(world, SLOW_MS / 2_000, draw, { stops: 4, mines: false })
      },
      onCommit() {
        if (buyers.haveStarted) judge.check()
      },
      heal() {
        provider.heal()
        lives.finishAll()
      },
      unsettled: () => judge.unsettled(),
    }
  },
}
