import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SwapProvider } from '../../../src/ports/swap-provider.ts'
import { startSwapPolling } from '../../../src/workers/sale/swap.ts'
import { insertSwap } from '../../harness/abandoned-swaps.ts'
import { openTestContainer } from '../../harness/container.ts'
import { openShop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { until } from '../../harness/until.ts'

/** The polling of swaps, with the time of each poll in milliseconds since the start. */
async function open(t: TestContext) {
  const clock = new ManualClock()
  const startMs = clock.nowMs()
  const polls: [string, number][] = []
  const swapProvider = {
    async status({ address }: { address: string }) {
      polls.push([address, clock.nowMs() - startMs])
      return { status: 'PENDING_DEPOSIT', updatedAtMs: startMs, raw: '{}' }
    },
  } as unknown as SwapProvider
  const { infrastructure, services } = await openTestContainer(t, { clock, swapProvider })
  const { store } = infrastructure
  const shop = await openShop(store)
  const polling = startSwapPolling({ ...infrastructure, poller: services.swapStatus })
  t.after(() => polling.stop())
  const rests = () => until('the pause', () => clock.sleeping.length === 1)
  await rests()
  return {
    clock,
    polls,
    rests,
    add: (name: string, dueInMs: number, notifies: boolean) =>
      store.write(async tx => {
        await insertSwap(tx, shop, name, 0, clock.nowMs() + dueInMs)
        if (notifies) tx.notify('swaps')
      }),
  }
}

test('without swaps, the database is read every 5 seconds', async t => {
  const { clock } = await open(t)
  assert.deepEqual(clock.sleeping, [5_000])
})

test('a new swap is polled when it is due, and then at its intervals', async t => {
  const { clock, polls, add } = await open(t)
  await add('new', 3_000, true)
  await until('the shorter pause', () => clock.sleeping[0] === 3_000)
  clock.advanceMs(3_000)
  await until('the next pause', () => clock.sleeping[0] === 5_000)
  clock.advanceMs(5_000)
  await until('the second poll', () => polls.length === 2)
  assert.deepEqual(polls, [
    ['new', 3_000],
    ['new', 8_000],
  ])
})

test('a swap whose notification is lost is polled within 5 seconds of its time', async t => {
  const { clock, polls, rests, add } = await open(t)
  await add('new', 1_000, false)
  clock.advanceMs(4_999)
  assert.deepEqual(polls, [])
  clock.advanceMs(1)
  await until('the poll', () => polls.length === 1)
  await rests()
})
