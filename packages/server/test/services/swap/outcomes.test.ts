import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { polledUntil, STUCK_AFTER_SECS } from '../../../src/domain/swap.ts'
import { assertFinalState, BTC, STELLAR, SwapHarness } from '../../support/swap-rig.ts'
import { closeNoteScanner } from '../../support/watch-rig.ts'

after(closeNoteScanner)

const HOUR = 3_600
const DAY = 86_400

test('no deposit: the invoice expires without an event, and the address is polled until long after its deadline', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  await rig.advance(899)
  assert.equal(await rig.watch.status(invoice), 'pending')
  await rig.advance(1)
  await assertFinalState(rig, swap, invoice, { swap: 'PENDING_DEPOSIT', invoice: 'expired', events: [] })
  const requestsBefore = rig.test.sent.length
  await rig.advance(HOUR)
  assert.ok(rig.test.sent.length - requestsBefore >= 60)
  rig.watch.clock.advance(5 * DAY)
  await rig.pollNow()
  assert.equal(await rig.watch.store.read(tx => tx.swaps.nextPollAtMs()), null)
})

test('a deposit returns from KNOWN to PENDING: another swap can start, and the invoice expires on time', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'KNOWN_DEPOSIT_TX')
  await rig.advance(5)
  await assertFinalState(rig, swap, invoice, {
    swap: 'KNOWN_DEPOSIT_TX',
    invoice: 'pending',
    events: [],
    keptOpen: true,
  })
  rig.drive(swap, 'PENDING_DEPOSIT')
  await rig.advance(5)
  const next = await rig.start(invoice)
  await rig.advance(900)
  await assertFinalState(rig, next, invoice, { swap: 'PENDING_DEPOSIT', invoice: 'expired', events: [] })
})

test('incomplete deposit: one event is sent, a top-up completes it, and the coins pay the invoice', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.test.oneclick.deposit(swap.depositAddress, swap.minAmountIn - 1n)
  await rig.advance(60)
  await assertFinalState(rig, swap, invoice, {
    swap: 'INCOMPLETE_DEPOSIT',
    invoice: 'pending',
    events: ['swap.incomplete_deposit'],
    keptOpen: true,
  })
  rig.test.oneclick.deposit(swap.depositAddress, 1n)
  await rig.advance(30)
  assert.equal((await rig.read(swap)).status, 'PROCESSING')
  rig.drive(swap, 'INCOMPLETE_DEPOSIT')
  await rig.advance(30)
  rig.drive(swap, 'SUCCESS', true)
  await rig.advance(30)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['swap.incomplete_deposit', 'invoice.paid'],
    keptOpen: true,
  })
})

test('incomplete deposit without top-up: the invoice is kept open until the refund at the deadline, then expires', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.test.oneclick.deposit(swap.depositAddress, swap.minAmountIn / 2n)
  await rig.advance(HOUR)
  assert.equal(await rig.watch.status(invoice), 'pending')
  rig.watch.clock.advance(3 * DAY)
  await rig.pollNow()
  await rig.advance(1)
  await assertFinalState(rig, swap, invoice, {
    swap: 'REFUNDED',
    invoice: 'expired',
    events: ['swap.incomplete_deposit', 'swap.refunded'],
  })
})

test('excess deposit: the swap is executed', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.test.oneclick.deposit(swap.depositAddress, swap.amountIn * 2n)
  await rig.advance(5)
  rig.drive(swap, 'SUCCESS', true)
  await rig.advance(5)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
  assert.equal((await rig.watch.read(invoice)).overpaidZat, 0n)
})

test('late deposit: a deposit long after expiry still pays the invoice when the coins arrive', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  await rig.advance(HOUR)
  await assertFinalState(rig, swap, invoice, { swap: 'PENDING_DEPOSIT', invoice: 'expired', events: [] })
  rig.test.oneclick.deposit(swap.depositAddress, swap.amountIn)
  await rig.advance(60)
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

test('refunded: one event is sent, the invoice stays pending, and another swap can start', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(5)
  rig.drive(swap, 'REFUNDED')
  await rig.advance(120)
  await assertFinalState(rig, swap, invoice, { swap: 'REFUNDED', invoice: 'pending', events: ['swap.refunded'] })
  const [event] = await rig.sentEvents()
  assert.deepEqual(event?.body, {
    type: 'swap.refunded',
    invoice_id: invoice.publicId,
    status: 'pending',
    amount_zat: 2_500_000,
    received_zat: 0,
    overpaid_zat: 0,
    txid: null,
    swap: { asset: BTC, blockchain: 'btc', amount_in_formatted: '0.00042581', status: 'REFUNDED' },
  })
  const next = await rig.start(invoice)
  assert.notEqual(next.depositAddress, swap.depositAddress)
})

test('failed: one event is sent, the invoice stays pending and expires on time', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'FAILED')
  await rig.advance(5)
  await assertFinalState(rig, swap, invoice, { swap: 'FAILED', invoice: 'pending', events: ['swap.failed'] })
  await rig.advance(900)
  await assertFinalState(rig, swap, invoice, { swap: 'FAILED', invoice: 'expired', events: ['swap.failed'] })
})

test('stuck in PROCESSING: the invoice is kept open without a time limit, and the swap needs attention after an hour', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(STUCK_AFTER_SECS)
  assert.equal(await rig.swaps.countNeedingAttention(), 0)
  await rig.advance(120)
  await assertFinalState(rig, swap, invoice, { swap: 'PROCESSING', invoice: 'pending', events: [], keptOpen: true })
  assert.equal(await rig.swaps.countNeedingAttention(), 1)
  assert.deepEqual(
    (await rig.swaps.needingAttention(10, invoice.accountId)).map(({ publicId }) => publicId),
    [swap.publicId],
  )
  assert.deepEqual(await rig.swaps.needingAttention(10, invoice.accountId + 1), [])
  rig.drive(swap, 'SUCCESS', true)
  await rig.advance(60)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
  assert.equal(await rig.swaps.countNeedingAttention(), 0)
})

test('stuck in PROCESSING until polling ends: the invoice is no longer kept open, and the swap still needs attention', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(60)
  rig.watch.clock.advance(5 * DAY)
  await rig.pollNow()
  await rig.advance(1)
  await assertFinalState(rig, swap, invoice, { swap: 'PROCESSING', invoice: 'expired', events: [] })
  assert.equal(await rig.swaps.countNeedingAttention(), 1)
})

test('a chain that requires a memo: the status is requested with the memo', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice, STELLAR)
  assert.match(swap.depositMemo ?? '', /^\d+$/)
  rig.drive(swap, 'SUCCESS', true)
  await rig.advance(5)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
  const [event] = await rig.sentEvents()
  assert.equal(event?.body.swap.asset, STELLAR)
})

test('SUCCESS before the coins: the invoice is paid only when the coins are seen', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'SUCCESS')
  await rig.advance(1_000)
  await assertFinalState(rig, swap, invoice, { swap: 'SUCCESS', invoice: 'pending', events: [], keptOpen: true })
  rig.test.oneclick.deliver(swap.depositAddress)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
  const [event] = await rig.sentEvents()
  assert.deepEqual(event?.body.swap, {
    asset: BTC,
    blockchain: 'btc',
    amount_in_formatted: '0.00042581',
    status: 'SUCCESS',
  })
})

test('coins before SUCCESS: they pay the invoice regardless of the provider status', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'PROCESSING')
  await rig.advance(5)
  rig.test.oneclick.deliver(swap.depositAddress)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, {
    swap: 'PROCESSING',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
  const [event] = await rig.sentEvents()
  assert.equal(event?.body.swap.status, 'PROCESSING')
  await rig.advance(2 * HOUR)
  assert.equal(await rig.swaps.countNeedingAttention(), 0)
})

test('coins between two polls: the provider is polled at once, so that the event includes the swap', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  await rig.advance(HOUR / 6)
  rig.drive(swap, 'SUCCESS', true)
  await rig.pollNow()
  assert.equal((await rig.read(swap)).status, 'PENDING_DEPOSIT', 'no poll is due yet')
  await rig.watch.sync()
  await rig.pollNow()
  await rig.mine()
  const [event] = await rig.sentEvents()
  assert.equal(event?.type, 'invoice.paid')
  assert.deepEqual([event?.body.swap?.asset, event?.body.swap?.status], [BTC, 'SUCCESS'])
})

test('SUCCESS without coins: the invoice is kept open for an hour, then expires, and the swap needs attention', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const swap = await rig.start(invoice)
  rig.drive(swap, 'SUCCESS')
  await rig.advance(STUCK_AFTER_SECS)
  await assertFinalState(rig, swap, invoice, { swap: 'SUCCESS', invoice: 'pending', events: [], keptOpen: true })
  await rig.advance(10)
  await assertFinalState(rig, swap, invoice, { swap: 'SUCCESS', invoice: 'expired', events: [] })
  assert.equal(await rig.swaps.countNeedingAttention(), 1)
  rig.test.oneclick.deliver(swap.depositAddress)
  await rig.mine()
  await assertFinalState(rig, swap, invoice, { swap: 'SUCCESS', invoice: 'paid', events: ['invoice.paid'] })
  assert.equal(await rig.swaps.countNeedingAttention(), 0)
})

test('paid in the base coin with an unused or refunded swap: the event includes no swap', async t => {
  const rig = await SwapHarness.start(t)
  for (const outcome of ['PENDING_DEPOSIT', 'REFUNDED', 'FAILED']) {
    const invoice = await rig.invoice()
    rig.drive(await rig.start(invoice), outcome)
    await rig.advance(5)
    rig.watch.pay(invoice, 2_500_000n)
    await rig.mine()
    assert.equal(await rig.watch.status(invoice), 'paid')
    const paid = (await rig.sentEvents()).at(-1)
    assert.deepEqual([paid?.type, paid?.body.swap], ['invoice.paid', null], outcome)
  }
})

test('a replaced swap is still polled: its events are sent, and its deposit keeps the invoice open and pays it', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice()
  const first = await rig.start(invoice)
  const second = await rig.start(invoice)
  assert.equal((await rig.watch.read(invoice)).swapId, second.id)
  rig.test.oneclick.deposit(first.depositAddress, 1n)
  await rig.advance(1_000)
  const held = await rig.watch.read(invoice)
  assert.deepEqual([held.status, held.keptOpenBySwap], ['pending', true])
  const [event] = await rig.sentEvents()
  assert.deepEqual([event?.type, event?.body.swap.status], ['swap.incomplete_deposit', 'INCOMPLETE_DEPOSIT'])
  rig.drive(first, 'SUCCESS', true)
  await rig.advance(60)
  await rig.mine()
  const paid = (await rig.sentEvents()).at(-1)
  assert.deepEqual([paid?.type, paid?.body.swap.status], ['invoice.paid', 'SUCCESS'])
})

test('internal invoices change without an event', async t => {
  const rig = await SwapHarness.start(t)
  const invoice = await rig.invoice({ purpose: 'plan' })
  const swap = await rig.start(invoice)
  rig.drive(swap, 'REFUNDED')
  await rig.advance(5)
  await assertFinalState(rig, swap, invoice, { swap: 'REFUNDED', invoice: 'pending', events: [] })
})

test('without a late watch period, coins of a swap count as long as the swap is polled', async t => {
  const rig = await SwapHarness.start(t)
  const { store, clock } = rig.watch
  const usual = await rig.invoice()
  const unwatched = { ...usual, publicId: randomUUID(), diversifierIndex: 1_000n, watchUntil: usual.expiresAt }
  const invoice = await store.write(tx => tx.invoices.insert(unwatched))
  const swap = await rig.start(invoice)
  const { watchUntil } = await rig.watch.read(invoice)
  assert.equal(watchUntil, polledUntil(swap))
  assert.ok(watchUntil > clock.secs + 3 * DAY)
  clock.advance(watchUntil - clock.secs)
  assert.equal((await store.read(tx => tx.viewingKeys.watchedAt(clock.secs))).length, 1)
})
