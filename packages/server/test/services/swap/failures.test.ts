import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCRIPTED_RESPONSES } from '@zatgate/sandbox/oneclick/script'
import { assertFinalState, SwapHarness } from '../../support/swap-rig.ts'
import { closeNoteScanner } from '../../support/watch-rig.ts'

after(closeNoteScanner)

const DAY = 86_400

test('an unknown status is logged once and ignored, and the next known status applies', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(5)
  rig.test.oneclick.drive(swap.depositAddress, { outcome: 'CONFIDENTLY_WAITING' })
  await rig.advance(60)
  await assertFinalState(rig, swap, invoice, { swap: 'PROCESSING', invoice: 'pending', events: [], keptOpen: true })
  const logged = rig.watch.logged.filter(({ details }) => details.status === 'CONFIDENTLY_WAITING')
  assert.equal(logged.length, 1)
  rig.drive(swap, 'SUCCESS', true)
  await rig.advance(60)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
})

test('responses out of order: an older one changes nothing', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'KNOWN_DEPOSIT_TX')
  await rig.advance(5)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(5)
  rig.test.oneclick.settings.stalePolls = 3
  await rig.advance(15)
  assert.equal(rig.test.oneclick.settings.stalePolls, 0)
  await assertFinalState(rig, swap, invoice, { swap: 'PROCESSING', invoice: 'pending', events: [], keptOpen: true })
})

test('404 right after the quote means not indexed yet: no failure, and polled again on schedule', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  rig.test.oneclick.settings.pollsUntilVisible = 3
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(15)
  const hidden = await rig.read(swap)
  assert.deepEqual([hidden.status, hidden.failedPolls, hidden.lastReportAt], ['PENDING_DEPOSIT', 0, null])
  await rig.advance(5)
  assert.equal((await rig.read(swap)).status, 'PROCESSING')
})

test('polling backs off while the provider is down, and resumes when it is back', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  rig.test.oneclick.script.add('status', 'bad_gateway_html', 3)
  await rig.advance(5)
  assert.equal((await rig.read(swap)).failedPolls, 1)
  await rig.advance(10)
  assert.equal((await rig.read(swap)).failedPolls, 2)
  await rig.advance(19)
  assert.equal((await rig.read(swap)).failedPolls, 2)
  await rig.advance(1)
  assert.equal((await rig.read(swap)).failedPolls, 3)
  await rig.advance(40)
  const back = await rig.read(swap)
  assert.deepEqual([back.status, back.failedPolls], ['PROCESSING', 0])
})

test('an invalid response leaves the swap unchanged, and the next valid status applies', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice({ expiresInSecs: DAY })
  const swap = await rig.start(invoice)
  for (const [index, fault] of SCRIPTED_RESPONSES.entries()) {
    rig.test.oneclick.script.add('status', fault, 1)
    rig.drive(swap, index % 2 === 0 ? 'KNOWN_DEPOSIT_TX' : 'PENDING_DEPOSIT')
    await rig.advance(15)
    await rig.advance(60)
    const now = await rig.read(swap)
    assert.deepEqual(
      [now.status, now.failedPolls],
      [index % 2 === 0 ? 'KNOWN_DEPOSIT_TX' : 'PENDING_DEPOSIT', 0],
      fault,
    )
  }
  assert.equal(
    rig.watch.logged.filter(({ message }) => message === 'the status of a swap could not be read').length,
    SCRIPTED_RESPONSES.length,
  )
  rig.drive(swap, 'SUCCESS', true)
  await rig.advance(60)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
})

test('a refused or unverifiable quote stores nothing and leaves the invoice unchanged', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const { script, settings } = rig.test.oneclick
  for (const fault of SCRIPTED_RESPONSES) {
    script.add('quote', fault, 1)
    await assert.rejects(rig.start(invoice), fault)
  }
  for (const tampering of ['recipient', 'refund_to', 'amount', 'min_amount_in', 'signature'] as const) {
    settings.tampering = tampering
    await assert.rejects(rig.start(invoice), tampering)
  }
  const left = await rig.watch.read(invoice)
  assert.deepEqual([left.status, left.swapId, left.keptOpenBySwap], ['pending', null, false])
  assert.equal(await rig.watch.store.read(rows => rows.swaps.nextPollAtMs()), null)
  assert.deepEqual(await rig.watch.store.read(rows => rows.swaps.startsSince(invoice.id, 0)), [])
})

test('a provider that is down at expiry keeps the invoice open for two minutes only', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  await rig.start(invoice)
  await rig.advance(890)
  rig.test.oneclick.script.add('status', 'bad_gateway_html', 100)
  await rig.advance(20)
  assert.equal(await rig.watch.status(invoice), 'pending')
  await rig.advance(120)
  assert.equal(await rig.watch.status(invoice), 'expired')
})

test('a deposit in the last seconds before expiry is polled and keeps the invoice open', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  await rig.advance(899)
  rig.drive(swap, 'KNOWN_DEPOSIT_TX')
  await rig.advance(1)
  await assertFinalState(rig, swap, invoice, {
    swap: 'KNOWN_DEPOSIT_TX',
    invoice: 'pending',
    events: [],
    keptOpen: true,
  })
})

test('a restart in the middle loses no state', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.restart()
  rig.drive(swap, 'PROCESSING')
  await rig.advance(5)
  rig.restart()
  rig.drive(swap, 'REFUNDED')
  await rig.advance(5)
  await assertFinalState(rig, swap, invoice, { swap: 'REFUNDED', invoice: 'pending', events: ['swap.refunded'] })
})
