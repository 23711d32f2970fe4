import assert from 'node:assert/strict'
import { after } from 'node:test'
import { createChainRecorder } from '../../../src/services/chain/chain-sync.ts'
import {
  createChangeReporter,
  createInvoiceUpdater,
  type InvoiceHooks,
} from '../../../src/services/sale/invoice-state.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner, LATE_SECS } from '../../harness/chain-sync.ts'

after(closeNoteScanner)

/** Types of the events of webhooks, in order. */
async function eventTypes(harness: ChainSyncHarness): Promise<(string | null)[]> {
  return harness.events().then(events => events.map(event => event.type))
}

chainSyncTest(
  'partial payments add up: pending, detected, and paid with three confirmations of the last one',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 1000n })
    const first = harness.pay(invoice, 600n)
    await harness.sync()
    const part = await harness.read(invoice)
    assert.deepEqual([part.status, part.receivedZat, part.txid], ['pending', 600n, first])

    const second = harness.pay(invoice, 450n)
    await harness.sync()
    const full = await harness.read(invoice)
    assert.deepEqual([full.status, full.receivedZat, full.overpaidZat, full.txid], ['detected', 1050n, 50n, second])

    harness.sandbox.mine(2)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'detected')
    harness.clock.advance(30)
    harness.sandbox.mine(1)
    await harness.sync()
    const paid = await harness.read(invoice)
    assert.deepEqual([paid.status, paid.receivedZat, paid.paidAt], ['paid', 1050n, harness.clock.secs])
    assert.deepEqual(await eventTypes(harness), ['invoice.paid'])
  },
)

chainSyncTest('notes of one transaction to two invoices each count for their own invoice', async harness => {
  await harness.sync()
  const one = await harness.invoice({ amount: 500n })
  const other = await harness.invoice({ amount: 70n })
  const txid = harness.payTogether([
    [one, 200n],
    [one, 300n],
    [other, 70n],
  ])
  await harness.sync()
  const [first, second] = [await harness.read(one), await harness.read(other)]
  assert.deepEqual([first.status, first.receivedZat, first.txid], ['detected', 500n, txid])
  assert.deepEqual([second.status, second.receivedZat, second.txid], ['detected', 70n, txid])
})

chainSyncTest(
  'payments never seen in the mempool are found in blocks, read in one batch or one by one',
  async harness => {
    await harness.sync()
    const early = await harness.invoice({ amount: 10n })
    harness.pay(early, 4n)
    harness.sandbox.mine(1)
    harness.pay(early, 6n)
    harness.sandbox.mine(3)
    await harness.sync()
    assert.equal(await harness.status(early), 'paid')

    const late = await harness.invoice({ amount: 10n })
    harness.pay(late, 10n)
    for (const expected of ['detected', 'detected', 'paid']) {
      harness.sandbox.mine(1)
      await harness.sync()
      assert.equal(await harness.status(late), expected)
    }
  },
)

chainSyncTest('with 0 confirmations, a payment in the mempool is enough', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n, confirmations: 0 })
  harness.pay(invoice, 9n)
  await harness.sync()
  assert.equal(await harness.status(invoice), 'pending')
  harness.pay(invoice, 1n)
  await harness.sync()
  assert.equal(await harness.status(invoice), 'paid')
})

chainSyncTest('a coinbase output to the address of an invoice pays it (ZIP 213)', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
  harness.sandbox.mine(1, { payCoinbaseTo: harness.receiverOf(invoice) })
  await harness.sync()
  const after = await harness.read(invoice)
  assert.deepEqual(
    [after.status, after.txid],
    ['paid', harness.sandbox.block(harness.sandbox.height)!.transactions[0]!.id],
  )
  assert.ok(after.receivedZat > 10n)
})

chainSyncTest('a note of value 0 and a note to an unknown address are not payments', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n })
  harness.pay(invoice, 0n)
  harness.wallet.send([{ receiver: harness.receiverAt(2n ** 80n), value: 10n }])
  harness.sandbox.mine(3)
  await harness.sync()
  const after = await harness.read(invoice)
  assert.deepEqual([after.status, after.receivedZat, after.txid], ['pending', 0n, null])
})

chainSyncTest('a second payment of a paid invoice counts as overpaid without a second event', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n, confirmations: 1 })
  harness.pay(invoice, 10n)
  harness.sandbox.mine(1)
  await harness.sync()
  const { paidAt } = await harness.read(invoice)
  harness.clock.advance(100)
  harness.pay(invoice, 5n)
  await harness.sync()
  const after = await harness.read(invoice)
  assert.deepEqual([after.status, after.overpaidZat, after.paidAt], ['paid', 5n, paidAt])
  assert.deepEqual(await eventTypes(harness), ['invoice.paid'])
})

chainSyncTest('an unpaid invoice expires; a partly paid one becomes underpaid, with its event', async harness => {
  await harness.sync()
  const empty = await harness.invoice({ amount: 10n })
  const part = await harness.invoice({ amount: 10n })
  harness.pay(part, 9n)
  await harness.sync()
  harness.clock.advance(888)
  await harness.syncFully()
  assert.equal(harness.clock.secs, empty.expiresAt - 1)
  assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
  harness.clock.advance(1)
  assert.equal(await harness.invoiceExpiry.expireDue(10), 0, 'no sync has covered the expiry yet')
  await harness.sync()
  assert.equal(await harness.invoiceExpiry.expireDue(10), 0, 'a second sync has to confirm the first')
  await harness.syncFully()
  assert.equal(await harness.invoiceExpiry.expireDue(10), 2)
  assert.deepEqual([await harness.status(empty), await harness.status(part)], ['expired', 'underpaid'])
  const [event] = (await harness.events()).filter(({ type }) => type === 'invoice.underpaid')
  assert.deepEqual(JSON.parse(event!.body!), {
    type: 'invoice.underpaid',
    invoice_id: part.publicId,
    status: 'underpaid',
    amount_zat: 10,
    received_zat: 9,
    overpaid_zat: 0,
    txid: (await harness.read(part)).txid,
    swap: null,
  })
})

chainSyncTest(
  'an invoice with its full amount detected before expiry stays open until its payment is confirmed',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    harness.pay(invoice, 10n)
    await harness.sync()
    harness.clock.advance(5_000)
    await harness.syncFully()
    assert.equal(await harness.invoiceExpiry.expireDue(10), 0)
    assert.equal(await harness.status(invoice), 'detected')
    harness.sandbox.mine(3)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
)

chainSyncTest('late partial payments pay an expired invoice, each change with its event', async harness => {
  await harness.sync()
  const invoice = await harness.invoice({ amount: 10n })
  await harness.expire()
  assert.equal(await harness.status(invoice), 'expired')
  harness.clock.advance(86_400)
  harness.pay(invoice, 4n)
  await harness.sync()
  assert.equal(await harness.status(invoice), 'underpaid')
  harness.pay(invoice, 6n)
  await harness.sync()
  assert.equal(await harness.status(invoice), 'underpaid', 'it does not become open again')
  harness.sandbox.mine(3)
  await harness.sync()
  assert.equal(await harness.status(invoice), 'paid')
  assert.deepEqual(
    (await eventTypes(harness)).filter(type => type !== null),
    ['invoice.underpaid', 'invoice.paid'],
  )
})

chainSyncTest(
  'a late full payment pays an expired invoice with one event and no underpaid in between',
  async harness => {
    await harness.sync()
    const invoice = await harness.invoice({ amount: 10n })
    await harness.expire()
    harness.pay(invoice, 10n)
    await harness.sync()
    const unconfirmed = await harness.read(invoice)
    assert.deepEqual([unconfirmed.status, unconfirmed.receivedZat], ['expired', 10n])
    harness.sandbox.mine(3)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
    assert.deepEqual(
      (await eventTypes(harness)).filter(type => type !== null),
      ['invoice.paid'],
    )
  },
)

chainSyncTest('a payment counts until the last second of the late window', async harness => {
  await harness.sync()
  const intime = await harness.invoice({ amount: 10n })
  const toolate = await harness.invoice({ amount: 10n })
  await harness.expire()
  harness.clock.advance(LATE_SECS - 11)
  harness.pay(intime, 10n)
  await harness.sync()
  harness.clock.advance(1)
  harness.pay(toolate, 10n)
  harness.sandbox.mine(3)
  await harness.sync()
  assert.deepEqual([await harness.status(intime), await harness.status(toolate)], ['paid', 'expired'])
})

/** Restarts the process with another hook for changes of internal invoices. */
function startWithHook(harness: ChainSyncHarness, applyPayment: NonNullable<InvoiceHooks['applyPayment']>): void {
  const { infrastructure } = harness
  const updateInvoices = createInvoiceUpdater({ applyPayment, outbox: harness.services.outbox })
  const reportChanges = createChangeReporter(infrastructure)
  harness.startServices(
    {},
    { chainRecorder: createChainRecorder({ ...infrastructure, updateInvoices, reportChanges }) },
  )
}

chainSyncTest('a change of an internal invoice calls its hook in the same transaction', async harness => {
  const changes: string[] = []
  startWithHook(harness, async (tx, before, after) => {
    const [written] = await tx.invoices.byIds([after.id])
    changes.push(`${before.status} → ${after.status} (${written!.status})`)
  })
  await harness.sync()
  const plan = await harness.invoice({ amount: 10n, confirmations: 1, purpose: 'plan' })
  const sale = await harness.invoice({ amount: 10n, confirmations: 1 })
  harness.pay(plan, 10n)
  harness.pay(sale, 10n)
  await harness.sync()
  harness.sandbox.mine(1)
  await harness.sync()
  assert.deepEqual(changes, ['pending → detected (detected)', 'detected → paid (paid)'])
  assert.deepEqual(
    (await harness.events()).map(event => [event.invoiceId, event.type]),
    [[sale.id, 'invoice.paid']],
  )
})

chainSyncTest('an invoice whose hook fails is rolled back and set aside, and the block is recorded', async harness => {
  let broken = true
  startWithHook(harness, async () => {
    if (broken) throw new Error('no')
  })
  await harness.sync()
  const plan = await harness.invoice({ amount: 10n, confirmations: 1, purpose: 'plan' })
  harness.pay(plan, 10n)
  harness.sandbox.mine(1)
  const before = await harness.tip()
  await harness.sync()
  assert.deepEqual([await harness.tip(), await harness.status(plan)], [before + 1, 'pending'])
  assert.deepEqual(await harness.events(), [])
  broken = false
  await harness.services.retryInvoices()
  assert.equal(await harness.status(plan), 'paid')
})
