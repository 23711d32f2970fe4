import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

test('a further deposit that is still too small changes the invoice for its open page, and raises no event', async t => {
  const { harness, swap } = await SwapHarness.startSwap(t)
  const part = swap.minAmountIn / 4n
  harness.test.oneclick.deposit(swap.depositAddress, part)
  await harness.advance(60)
  const { store } = harness.chainSync
  const changes = async () => (await store.read(tx => tx.invoiceChanges.last())).seq
  const [before, events] = [await changes(), await harness.sentEvents()]
  await harness.advance(60)
  assert.equal(await changes(), before, 'a poll that finds the same changes nothing')
  harness.test.oneclick.deposit(swap.depositAddress, part)
  await harness.advance(60)
  const { status, deposit } = await harness.read(swap)
  assert.deepEqual([status, deposit.deposited], ['INCOMPLETE_DEPOSIT', 2n * part])
  assert.equal(await changes(), before + 1)
  assert.deepEqual(await harness.sentEvents(), events)
})
