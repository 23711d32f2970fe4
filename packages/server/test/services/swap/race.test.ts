import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import { createSwaps, type Swaps } from '../../../src/services/swap.ts'
import { createSwapAssets } from '../../../src/services/swap-asset.ts'
import { BTC, SwapHarness } from '../../support/swap-rig.ts'
import { closeNoteScanner } from '../../support/watch-rig.ts'

after(closeNoteScanner)

const REQUEST = { assetId: BTC, refundTo: 'the-buyers-own-address' }

/** Swaps with a slow provider: `meanwhile` runs between a request and its response. */
function swapsWith(rig: SwapHarness, meanwhile: () => Promise<void>): Swaps {
  const { store, clock, log } = rig.watch
  const provider = {
    ...rig.test.provider,
    quote: async (...args: Parameters<typeof rig.test.provider.quote>) => {
      const offer = await rig.test.provider.quote(...args)
      await meanwhile()
      return offer
    },
  }
  const assets = createSwapAssets({ provider, clock, log })
  return createSwaps({ store, provider, assets, swapStatus: rig.swapStatus, clock, random: systemRandom, log })
}

function hasMessage(message: string) {
  return (error: unknown) => error instanceof AppError && error.kind === 'conflict' && error.message === message
}

async function countStarts(rig: SwapHarness, invoice: Invoice): Promise<number> {
  return (await rig.watch.store.read(tx => tx.swaps.startsSince(invoice.id, 0))).length
}

test('an invoice paid during the quote request gets no swap, and the start is not counted', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swaps = swapsWith(rig, async () => {
    rig.watch.pay(invoice, 2_500_000n)
    await rig.mine()
  })
  await assert.rejects(swaps.start(invoice.publicId, REQUEST), hasMessage('invoice is not pending'))
  assert.equal((await rig.watch.read(invoice)).swapId, null)
  assert.equal(await countStarts(rig, invoice), 0)
})

test('an invoice that expires during the quote request gets no swap', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swaps = swapsWith(rig, async () => rig.watch.clock.advance(900))
  await assert.rejects(swaps.start(invoice.publicId, REQUEST), hasMessage('invoice is not pending'))
})

test('a deposit to the current swap, seen during another quote request, keeps the swap', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const first = await rig.start(invoice)
  const swaps = swapsWith(rig, async () => {
    rig.drive(first, 'KNOWN_DEPOSIT_TX')
    await rig.advance(5)
  })
  await assert.rejects(
    swaps.start(invoice.publicId, REQUEST),
    hasMessage('a swap is already in progress (KNOWN_DEPOSIT_TX)'),
  )
  assert.equal((await rig.watch.read(invoice)).swapId, first.id)
  assert.equal(await countStarts(rig, invoice), 1)
})

test('two concurrent polls of a swap send its event once', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'REFUNDED')
  await Promise.all([rig.swapStatus.refresh(swap), rig.advance(5), rig.swapStatus.refresh(swap)])
  rig.restart()
  await rig.swapStatus.refresh(swap)
  assert.deepEqual(
    (await rig.sentEvents()).map(({ type }) => type),
    ['swap.refunded'],
  )
})

test('an aborted poll leaves its swap due again', async t => {
  const rig = await SwapHarness.start(t)
  const swap = await rig.start(await rig.invoice())
  rig.test.oneclick.script.add('status', 'hang', 1)
  rig.drive(swap, 'PROCESSING')
  rig.watch.clock.advance(5)
  const stop = new AbortController()
  const poll = rig.swapStatus.pollDue(10, stop.signal)
  stop.abort()
  await poll
  assert.deepEqual([(await rig.read(swap)).status, (await rig.read(swap)).failedPolls], ['PENDING_DEPOSIT', 0])
  rig.test.oneclick.script.clear()
  rig.restart()
  await rig.advance(30)
  assert.equal((await rig.read(swap)).status, 'PROCESSING')
})
