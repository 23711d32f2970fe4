import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCRIPTED_RESPONSES } from '@zatgate/sandbox/oneclick/script'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { assertFinalState, assertPaid, SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

const DAY = 86_400

test('an unknown status is logged once and ignored, and the next known status applies', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(5)
  harness.test.oneclick.drive(swap.depositAddress, { outcome: 'CONFIDENTLY_WAITING' })
  await harness.advance(60)
  await assertFinalState(harness, swap, invoice, { swap: 'PROCESSING', invoice: 'pending', events: [], keptOpen: true })
  const logged = harness.chainSync.logged.filter(({ details }) => details.status === 'CONFIDENTLY_WAITING')
  assert.equal(logged.length, 1)
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(60)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
})

test('responses out of order: an older one changes nothing', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'KNOWN_DEPOSIT_TX')
  await harness.advance(5)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(5)
  harness.test.oneclick.settings.stalePolls = 3
  await harness.advance(15)
  assert.equal(harness.test.oneclick.settings.stalePolls, 0)
  await assertFinalState(harness, swap, invoice, { swap: 'PROCESSING', invoice: 'pending', events: [], keptOpen: true })
})

test('404 right after the quote means not indexed yet: no failure, and polled again on schedule', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  harness.test.oneclick.settings.pollsUntilVisible = 3
  const swap = await harness.start(invoice)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(15)
  const hidden = await harness.read(swap)
  assert.deepEqual([hidden.status, hidden.failedPolls, hidden.lastReportAt], ['PENDING_DEPOSIT', 0, null])
  await harness.advance(5)
  assert.equal((await harness.read(swap)).status, 'PROCESSING')
})

test('polling backs off while the provider is down, and resumes when it is back', async t => {
  const { harness, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'PROCESSING')
  harness.test.oneclick.script.add('status', 'bad_gateway_html', 3)
  await harness.advance(5)
  assert.equal((await harness.read(swap)).failedPolls, 1)
  await harness.advance(10)
  assert.equal((await harness.read(swap)).failedPolls, 2)
  await harness.advance(19)
  assert.equal((await harness.read(swap)).failedPolls, 2)
  await harness.advance(1)
  assert.equal((await harness.read(swap)).failedPolls, 3)
  await harness.advance(40)
  const back = await harness.read(swap)
  assert.deepEqual([back.status, back.failedPolls], ['PROCESSING', 0])
})

test('an invalid response leaves the swap unchanged, and the next valid status applies', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice({ expiresInSecs: DAY })
  const swap = await harness.start(invoice)
  const failures = () =>
    harness.chainSync.logged.filter(({ message }) => message === 'the status of a swap could not be read').length
  for (const [index, error] of SCRIPTED_RESPONSES.entries()) {
    const before = failures()
    harness.test.oneclick.script.add('status', error, 1)
    harness.drive(swap, index % 2 === 0 ? 'KNOWN_DEPOSIT_TX' : 'PENDING_DEPOSIT')
    await harness.advance(15)
    await harness.advance(60)
    const now = await harness.read(swap)
    assert.deepEqual(
      [now.status, now.failedPolls],
      [index % 2 === 0 ? 'KNOWN_DEPOSIT_TX' : 'PENDING_DEPOSIT', 0],
      error,
    )
    // A request that a kept connection loses is sent again at once.
    if (error !== 'reset') assert.equal(failures(), before + 1, error)
  }
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(60)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
})

test('a refused or unverifiable quote stores nothing and leaves the invoice unchanged', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  const { script, settings } = harness.test.oneclick
  const refuse = async (why: string) => {
    await assert.rejects(harness.start(invoice), why)
    // A new window of starts.
    await harness.chainSync.store.write(tx => tx.swaps.prune(Number.MAX_SAFE_INTEGER, 100))
    harness.chainSync.clock.advance(1)
  }
  for (const error of SCRIPTED_RESPONSES) {
    script.add('quote', error, 1)
    await refuse(error)
  }
  for (const tampering of ['recipient', 'refund_to', 'amount', 'min_amount_in', 'signature'] as const) {
    settings.tampering = tampering
    await refuse(tampering)
  }
  const left = await harness.chainSync.read(invoice)
  assert.deepEqual([left.status, left.swapId, left.keptOpenBySwap], ['pending', null, false])
  assert.equal(await harness.chainSync.store.read(rows => rows.swaps.nextPollAtMs()), null)
})

test('a provider that is down at expiry keeps the invoice open for two minutes only', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  await harness.start(invoice)
  await harness.advance(890)
  harness.test.oneclick.script.add('status', 'bad_gateway_html', 100)
  await harness.advance(20)
  assert.equal(await harness.chainSync.status(invoice), 'pending')
  await harness.advance(120)
  assert.equal(await harness.chainSync.status(invoice), 'expired')
})

test('a deposit in the last seconds before expiry is polled and keeps the invoice open', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  await harness.advance(899)
  harness.drive(swap, 'KNOWN_DEPOSIT_TX')
  await harness.advance(1)
  await assertFinalState(harness, swap, invoice, {
    swap: 'KNOWN_DEPOSIT_TX',
    invoice: 'pending',
    events: [],
    keptOpen: true,
  })
})

test('a restart in the middle loses no state', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.restart()
  harness.drive(swap, 'PROCESSING')
  await harness.advance(5)
  harness.restart()
  harness.drive(swap, 'REFUNDED')
  await harness.advance(5)
  await assertFinalState(harness, swap, invoice, { swap: 'REFUNDED', invoice: 'pending', events: ['swap.refunded'] })
})
