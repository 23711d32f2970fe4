import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServices, type Services } from '../../../../src/container.ts'
import { AppError } from '../../../../src/domain/error.ts'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { BTC, SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

const REQUEST = { assetId: BTC, refundTo: 'the-buyers-own-address' }

/** Swaps with a slow provider: `meanwhile` runs between a request and its response. */
function swapsWith(harness: SwapHarness, meanwhile: () => Promise<void>): Services['swaps'] {
  const swapProvider = {
    ...harness.test.provider,
    quote: async (...args: Parameters<typeof harness.test.provider.quote>) => {
      const offer = await harness.test.provider.quote(...args)
      await meanwhile()
      return offer
    },
  }
  return createServices({ ...harness.chainSync.infrastructure, swapProvider }, null).swaps
}

function hasMessage(message: string) {
  return (error: unknown) => error instanceof AppError && error.kind === 'conflict' && error.message === message
}

async function countStarts(harness: SwapHarness, invoice: Invoice): Promise<number> {
  return (await harness.chainSync.store.read(tx => tx.swaps.startsSince(invoice.id, 0))).length
}

test('an invoice paid during the quote request gets no swap, and the start counts, since the provider was asked', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  const swaps = swapsWith(harness, async () => {
    harness.chainSync.pay(invoice, 2_500_000n)
    await harness.mine()
  })
  await assert.rejects(swaps.start(invoice, REQUEST), hasMessage('invoice is not pending'))
  assert.equal((await harness.chainSync.read(invoice)).swapId, null)
  assert.equal(await countStarts(harness, invoice), 1)
})

test('an invoice that expires during the quote request gets no swap', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  const swaps = swapsWith(harness, async () => harness.chainSync.clock.advance(900))
  await assert.rejects(swaps.start(invoice, REQUEST), hasMessage('invoice is not pending'))
})

test('a deposit to the current swap, seen during another quote request, keeps the swap', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  const first = await harness.start(invoice)
  const swaps = swapsWith(harness, async () => {
    harness.drive(first, 'KNOWN_DEPOSIT_TX')
    await harness.advance(5)
  })
  await assert.rejects(swaps.start(invoice, REQUEST), hasMessage('a swap is already in progress (KNOWN_DEPOSIT_TX)'))
  assert.equal((await harness.chainSync.read(invoice)).swapId, first.id)
  assert.equal(await countStarts(harness, invoice), 2)
})

test('two concurrent polls of a swap send its event once', async t => {
  const { harness, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'REFUNDED')
  await Promise.all([harness.swapStatus.refresh(swap), harness.advance(5), harness.swapStatus.refresh(swap)])
  harness.restart()
  await harness.swapStatus.refresh(swap)
  assert.deepEqual(
    (await harness.sentEvents()).map(({ type }) => type),
    ['swap.refunded'],
  )
})

test('an aborted poll leaves its swap due again', async t => {
  const harness = await SwapHarness.start(t)
  const swap = await harness.start(await harness.invoice())
  harness.test.oneclick.script.add('status', 'hang', 1)
  harness.drive(swap, 'PROCESSING')
  harness.chainSync.clock.advance(5)
  const stop = new AbortController()
  const poll = harness.swapStatus.pollDue(10, stop.signal)
  stop.abort()
  await poll
  assert.deepEqual([(await harness.read(swap)).status, (await harness.read(swap)).failedPolls], ['PENDING_DEPOSIT', 0])
  harness.test.oneclick.script.clear()
  harness.restart()
  await harness.advance(30)
  assert.equal((await harness.read(swap)).status, 'PROCESSING')
})
