import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { polledUntil, STUCK_AFTER_SECS } from '../../../../src/domain/sale/swap.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { assertFinalState, assertPaid, BTC, STELLAR, SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

const HOUR = 3_600
const DAY = 86_400

test('no deposit: the invoice expires without an event, and the address is polled until long after its deadline', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  await harness.advance(899)
  assert.equal(await harness.chainSync.status(invoice), 'pending')
  await harness.advance(1)
  await assertFinalState(harness, swap, invoice, { swap: 'PENDING_DEPOSIT', invoice: 'expired', events: [] })
  const requests = harness.test.sent.length
  await harness.advance(HOUR)
  const afterAnHour = harness.test.sent.length
  assert.ok(afterAnHour - requests > 40 && afterAnHour - requests < 60, `${afterAnHour - requests} polls`)
  await harness.advance(DAY)
  const inADay = harness.test.sent.length - afterAnHour
  assert.ok(inADay >= 23 && inADay <= 25, `${inADay} polls`)
  harness.chainSync.clock.advance(5 * DAY)
  await harness.pollNow()
  assert.equal(await harness.chainSync.store.read(tx => tx.swaps.nextPollAtMs()), null)
})

test('a deposit returns from KNOWN to PENDING: another swap can start, and the invoice expires on time', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'KNOWN_DEPOSIT_TX')
  await harness.advance(5)
  await assertFinalState(harness, swap, invoice, {
    swap: 'KNOWN_DEPOSIT_TX',
    invoice: 'pending',
    events: [],
    keptOpen: true,
  })
  harness.drive(swap, 'PENDING_DEPOSIT')
  await harness.advance(5)
  const next = await harness.start(invoice)
  await harness.advance(900)
  await assertFinalState(harness, next, invoice, { swap: 'PENDING_DEPOSIT', invoice: 'expired', events: [] })
})

test('incomplete deposit: one event is sent, a top-up completes it, and the coins pay the invoice', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.test.oneclick.deposit(swap.depositAddress, swap.minAmountIn - 1n)
  await harness.advance(60)
  await assertFinalState(harness, swap, invoice, {
    swap: 'INCOMPLETE_DEPOSIT',
    invoice: 'pending',
    events: ['swap.incomplete_deposit'],
    keptOpen: true,
  })
  harness.test.oneclick.deposit(swap.depositAddress, 1n)
  await harness.advance(30)
  assert.equal((await harness.read(swap)).status, 'PROCESSING')
  harness.drive(swap, 'INCOMPLETE_DEPOSIT')
  await harness.advance(30)
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(30)
  await harness.mine()
  await assertFinalState(harness, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['swap.incomplete_deposit', 'invoice.paid'],
    keptOpen: true,
  })
})

test('incomplete deposit without top-up: the invoice is kept open until the refund at the deadline, then expires', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.test.oneclick.deposit(swap.depositAddress, swap.minAmountIn / 2n)
  await harness.advance(HOUR)
  assert.equal(await harness.chainSync.status(invoice), 'pending')
  harness.chainSync.clock.advance(3 * DAY)
  await harness.pollNow()
  await harness.advance(1)
  await assertFinalState(harness, swap, invoice, {
    swap: 'REFUNDED',
    invoice: 'expired',
    events: ['swap.incomplete_deposit', 'swap.refunded'],
  })
})

test('excess deposit: the swap is executed', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.test.oneclick.deposit(swap.depositAddress, swap.amountIn * 2n)
  await harness.advance(5)
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(5)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
  assert.equal((await harness.chainSync.read(invoice)).overpaidZat, 0n)
})

test('late deposit: a deposit long after expiry still pays the invoice when the coins arrive', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  await harness.advance(HOUR)
  await assertFinalState(harness, swap, invoice, { swap: 'PENDING_DEPOSIT', invoice: 'expired', events: [] })
  harness.test.oneclick.deposit(swap.depositAddress, swap.amountIn)
  await harness.advance(HOUR)
  assert.equal((await harness.read(swap)).status, 'PROCESSING')
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(60)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
})

test('refunded: one event is sent, the invoice stays pending, and another swap can start', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(5)
  harness.drive(swap, 'REFUNDED')
  await harness.advance(120)
  await assertFinalState(harness, swap, invoice, { swap: 'REFUNDED', invoice: 'pending', events: ['swap.refunded'] })
  const [event] = await harness.sentEvents()
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
  const next = await harness.start(invoice)
  assert.notEqual(next.depositAddress, swap.depositAddress)
})

test('failed: one event is sent, the invoice stays pending and expires on time', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'FAILED')
  await harness.advance(5)
  await assertFinalState(harness, swap, invoice, { swap: 'FAILED', invoice: 'pending', events: ['swap.failed'] })
  await harness.advance(900)
  await assertFinalState(harness, swap, invoice, { swap: 'FAILED', invoice: 'expired', events: ['swap.failed'] })
})

test('stuck in PROCESSING: the invoice is kept open without a time limit, and the swap needs attention after an hour', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(STUCK_AFTER_SECS)
  assert.equal(await harness.swaps.countNeedingAttention(), 0)
  await harness.advance(120)
  await assertFinalState(harness, swap, invoice, { swap: 'PROCESSING', invoice: 'pending', events: [], keptOpen: true })
  assert.equal(await harness.swaps.countNeedingAttention(), 1)
  assert.deepEqual(
    (await harness.swaps.needingAttention(10, invoice.accountId)).map(({ publicId }) => publicId),
    [swap.publicId],
  )
  assert.deepEqual(await harness.swaps.needingAttention(10, invoice.accountId + 1), [])
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(60)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
  assert.equal(await harness.swaps.countNeedingAttention(), 0)
})

test('stuck in PROCESSING until polling ends: the invoice is no longer kept open, and the swap still needs attention', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(60)
  harness.chainSync.clock.advance(5 * DAY)
  await harness.pollNow()
  await harness.advance(1)
  await assertFinalState(harness, swap, invoice, { swap: 'PROCESSING', invoice: 'expired', events: [] })
  assert.equal(await harness.swaps.countNeedingAttention(), 1)
})

test('a chain that requires a memo: the status is requested with the memo', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  const swap = await harness.start(invoice, STELLAR)
  assert.match(swap.depositMemo ?? '', /^\d+$/)
  harness.drive(swap, 'SUCCESS', true)
  await harness.advance(5)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
  const [event] = await harness.sentEvents()
  assert.equal(event?.body.swap.asset, STELLAR)
})

test('SUCCESS before the coins: the invoice is paid only when the coins are seen', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'SUCCESS')
  await harness.advance(1_000)
  await assertFinalState(harness, swap, invoice, { swap: 'SUCCESS', invoice: 'pending', events: [], keptOpen: true })
  harness.test.oneclick.deliver(swap.depositAddress)
  await harness.mine()
  await assertPaid(harness, swap, invoice)
  const [event] = await harness.sentEvents()
  assert.deepEqual(event?.body.swap, {
    asset: BTC,
    blockchain: 'btc',
    amount_in_formatted: '0.00042581',
    status: 'SUCCESS',
  })
})

test('coins before SUCCESS: they pay the invoice regardless of the provider status', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'PROCESSING')
  await harness.advance(5)
  harness.test.oneclick.deliver(swap.depositAddress)
  await harness.mine()
  await assertFinalState(harness, swap, invoice, {
    swap: 'PROCESSING',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
  const [event] = await harness.sentEvents()
  assert.equal(event?.body.swap.status, 'PROCESSING')
  await harness.advance(2 * HOUR)
  assert.equal(await harness.swaps.countNeedingAttention(), 0)
})

test('coins between two polls: the provider is polled at once, so that the event includes the swap', async t => {
  const { harness, swap } = await SwapHarness.startSwap(t)
  await harness.advance(HOUR / 6)
  harness.drive(swap, 'SUCCESS', true)
  await harness.pollNow()
  assert.equal((await harness.read(swap)).status, 'PENDING_DEPOSIT', 'no poll is due yet')
  await harness.chainSync.sync()
  await harness.pollNow()
  await harness.mine()
  const [event] = await harness.sentEvents()
  assert.equal(event?.type, 'invoice.paid')
  assert.deepEqual([event?.body.swap?.asset, event?.body.swap?.status], [BTC, 'SUCCESS'])
})

test('SUCCESS without coins: the invoice is kept open for an hour, then expires, and the swap needs attention', async t => {
  const { harness, invoice, swap } = await SwapHarness.startSwap(t)
  harness.drive(swap, 'SUCCESS')
  await harness.advance(STUCK_AFTER_SECS)
  await assertFinalState(harness, swap, invoice, { swap: 'SUCCESS', invoice: 'pending', events: [], keptOpen: true })
  await harness.advance(10)
  await assertFinalState(harness, swap, invoice, { swap: 'SUCCESS', invoice: 'expired', events: [] })
  assert.equal(await harness.swaps.countNeedingAttention(), 1)
  harness.test.oneclick.deliver(swap.depositAddress)
  await harness.mine()
  await assertFinalState(harness, swap, invoice, { swap: 'SUCCESS', invoice: 'paid', events: ['invoice.paid'] })
  assert.equal(await harness.swaps.countNeedingAttention(), 0)
})

test('paid in the base coin with an unused or refunded swap: the event includes no swap', async t => {
  const harness = await SwapHarness.start(t)
  for (const outcome of ['PENDING_DEPOSIT', 'REFUNDED', 'FAILED']) {
    const invoice = await harness.invoice()
    harness.drive(await harness.start(invoice), outcome)
    await harness.advance(5)
    harness.chainSync.pay(invoice, 2_500_000n)
    await harness.mine()
    assert.equal(await harness.chainSync.status(invoice), 'paid')
    const paid = (await harness.sentEvents()).at(-1)
    assert.deepEqual([paid?.type, paid?.body.swap], ['invoice.paid', null], outcome)
  }
})

test('a replaced swap is still polled: its events are sent, and its deposit keeps the invoice open and pays it', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice()
  const first = await harness.start(invoice)
  const second = await harness.start(invoice)
  assert.equal((await harness.chainSync.read(invoice)).swapId, second.id)
  harness.test.oneclick.deposit(first.depositAddress, 1n)
  await harness.advance(1_000)
  const held = await harness.chainSync.read(invoice)
  assert.deepEqual([held.status, held.keptOpenBySwap], ['pending', true])
  const [event] = await harness.sentEvents()
  assert.deepEqual([event?.type, event?.body.swap.status], ['swap.incomplete_deposit', 'INCOMPLETE_DEPOSIT'])
  harness.drive(first, 'SUCCESS', true)
  await harness.advance(60)
  await harness.mine()
  const paid = (await harness.sentEvents()).at(-1)
  assert.deepEqual([paid?.type, paid?.body.swap.status], ['invoice.paid', 'SUCCESS'])
})

test('internal invoices change without an event', async t => {
  const harness = await SwapHarness.start(t)
  const invoice = await harness.invoice({ purpose: 'plan' })
  const swap = await harness.start(invoice)
  harness.drive(swap, 'REFUNDED')
  await harness.advance(5)
  await assertFinalState(harness, swap, invoice, { swap: 'REFUNDED', invoice: 'pending', events: [] })
  assert.deepEqual(await harness.chainSync.store.read(tx => tx.events.listAfter(invoice.accountId, 0, 9)), [])
})

test('without a late watch period, coins of a swap count as long as the swap is polled', async t => {
  const harness = await SwapHarness.start(t)
  const { store, clock } = harness.chainSync
  const defaults = await harness.invoice()
  const unwatched = { ...defaults, publicId: randomUUID(), diversifierIndex: 1_000n, watchUntil: defaults.expiresAt }
  const invoice = await store.write(tx => tx.invoices.insert(unwatched))
  const swap = await harness.start(invoice)
  const { watchUntil } = await harness.chainSync.read(invoice)
  assert.equal(watchUntil, polledUntil(swap))
  assert.ok(watchUntil > clock.secs + 3 * DAY)
  clock.advance(watchUntil - clock.secs)
  assert.equal((await store.read(tx => tx.viewingKeys.watchedAt(clock.secs))).length, 1)
})
