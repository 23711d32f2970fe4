import assert from 'node:assert/strict'
import { after } from 'node:test'
import { closeViewer, LATE_SECS, type WatchRig, watching } from '../../support/watch-rig.ts'

after(closeViewer)

/** Types of the events with a body, and the null rows, in their order. */
async function eventTypes(rig: WatchRig): Promise<(string | null)[]> {
  return rig.events().then(events => events.map(event => event.type))
}

watching('part payments add up: pending, detected, and paid with three blocks on the last', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 1000n })
  const first = rig.pay(invoice, 600n)
  await rig.look()
  const part = await rig.read(invoice)
  assert.deepEqual([part.status, part.receivedZat, part.txid], ['pending', 600n, first])

  const second = rig.pay(invoice, 450n)
  await rig.look()
  const full = await rig.read(invoice)
  assert.deepEqual([full.status, full.receivedZat, full.overpaidZat, full.txid], ['detected', 1050n, 50n, second])

  rig.sandbox.mine(2)
  await rig.look()
  assert.equal(await rig.status(invoice), 'detected')
  rig.clock.advance(30)
  rig.sandbox.mine(1)
  await rig.look()
  const paid = await rig.read(invoice)
  assert.deepEqual([paid.status, paid.receivedZat, paid.paidAt], ['paid', 1050n, rig.clock.secs])
  assert.deepEqual(await eventTypes(rig), [null, null, 'invoice.paid'])
})

watching('two notes of one transaction to one invoice both count, and one to another goes to the other', async rig => {
  await rig.look()
  const one = await rig.invoice({ amount: 500n })
  const other = await rig.invoice({ amount: 70n })
  const txid = rig.payTogether([
    [one, 200n],
    [one, 300n],
    [other, 70n],
  ])
  await rig.look()
  const [first, second] = [await rig.read(one), await rig.read(other)]
  assert.deepEqual([first.status, first.receivedZat, first.txid], ['detected', 500n, txid])
  assert.deepEqual([second.status, second.receivedZat, second.txid], ['detected', 70n, txid])
})

watching('blocks never seen as mempool are enough, read in one batch or one by one', async rig => {
  await rig.look()
  const early = await rig.invoice({ amount: 10n })
  rig.pay(early, 4n)
  rig.sandbox.mine(1)
  rig.pay(early, 6n)
  rig.sandbox.mine(3)
  await rig.look()
  assert.equal(await rig.status(early), 'paid')

  const late = await rig.invoice({ amount: 10n })
  rig.pay(late, 10n)
  for (const expected of ['detected', 'detected', 'paid']) {
    rig.sandbox.mine(1)
    await rig.look()
    assert.equal(await rig.status(late), expected)
  }
})

watching('with no confirmations asked for, the mempool is enough', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 0 })
  rig.pay(invoice, 9n)
  await rig.look()
  assert.equal(await rig.status(invoice), 'pending')
  rig.pay(invoice, 1n)
  await rig.look()
  assert.equal(await rig.status(invoice), 'paid')
})

watching('a coinbase output to the address of an invoice pays it like any other (ZIP 213)', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.sandbox.mine(1, { payCoinbaseTo: rig.receiverOf(invoice) })
  await rig.look()
  const after = await rig.read(invoice)
  assert.deepEqual([after.status, after.txid], ['paid', rig.sandbox.block(rig.sandbox.height)!.transactions[0]!.id])
  assert.ok(after.receivedZat > 10n)
})

watching('a note of nothing and a note to nobody we know are no payments', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  rig.pay(invoice, 0n)
  rig.wallet.send([{ receiver: rig.receiverAt(2n ** 80n), value: 10n }])
  rig.sandbox.mine(3)
  await rig.look()
  const after = await rig.read(invoice)
  assert.deepEqual([after.status, after.receivedZat, after.txid], ['pending', 0n, null])
})

watching('a paid invoice that is paid once more is overpaid, and stays paid without a second event', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.pay(invoice, 10n)
  rig.sandbox.mine(1)
  await rig.look()
  const { paidAt } = await rig.read(invoice)
  rig.clock.advance(100)
  rig.pay(invoice, 5n)
  await rig.look()
  const after = await rig.read(invoice)
  assert.deepEqual([after.status, after.overpaidZat, after.paidAt], ['paid', 5n, paidAt])
  assert.deepEqual(await eventTypes(rig), ['invoice.paid', null])
})

watching('an invoice that nobody pays expires; one paid in part becomes underpaid, with its event', async rig => {
  await rig.look()
  const empty = await rig.invoice({ amount: 10n })
  const part = await rig.invoice({ amount: 10n })
  rig.pay(part, 9n)
  await rig.look()
  rig.clock.advance(893)
  await rig.see()
  assert.equal(rig.clock.secs, empty.expiresAt - 1)
  assert.equal(await rig.payments.closeDue(10), 0)
  rig.clock.advance(1)
  assert.equal(await rig.payments.closeDue(10), 0, 'the clock alone decides nothing')
  await rig.look()
  assert.equal(await rig.payments.closeDue(10), 0, 'what one look claims, the next confirms')
  await rig.see()
  assert.equal(await rig.payments.closeDue(10), 2)
  assert.deepEqual([await rig.status(empty), await rig.status(part)], ['expired', 'underpaid'])
  const [event] = (await rig.events()).filter(({ type }) => type === 'invoice.underpaid')
  assert.deepEqual(JSON.parse(event!.body!), {
    type: 'invoice.underpaid',
    invoice_id: part.publicId,
    status: 'underpaid',
    amount_zat: 10,
    received_zat: 9,
    overpaid_zat: 0,
    txid: (await rig.read(part)).txid,
    swap: null,
  })
})

watching('an invoice fully seen before its end is held open until its payment settles', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  rig.pay(invoice, 10n)
  await rig.look()
  rig.clock.advance(5_000)
  await rig.see()
  assert.equal(await rig.payments.closeDue(10), 0)
  assert.equal(await rig.status(invoice), 'detected')
  rig.sandbox.mine(3)
  await rig.look()
  assert.equal(await rig.status(invoice), 'paid')
})

watching('held open, then its payment vanishes: it expires once that can no longer be mined', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  const txid = rig.pay(invoice, 10n, { expiryHeight: rig.sandbox.height + 5 })
  await rig.mempool()
  rig.clock.advance(5_000)
  rig.sandbox.evict(txid)
  await rig.look()
  assert.equal(await rig.status(invoice), 'detected')
  await rig.outlast()
  assert.equal(await rig.status(invoice), 'pending')
  rig.sandbox.mine(3)
  await rig.see()
  assert.deepEqual([await rig.payments.closeDue(10), await rig.status(invoice)], [0, 'pending'])
  rig.sandbox.mine(1)
  await rig.look()
  assert.deepEqual([await rig.payments.closeDue(10), await rig.status(invoice)], [1, 'expired'])
})

watching('late money pays an expired invoice, part by part, each with its event', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  await rig.expire()
  assert.equal(await rig.status(invoice), 'expired')
  rig.clock.advance(86_400)
  rig.pay(invoice, 4n)
  await rig.look()
  assert.equal(await rig.status(invoice), 'underpaid')
  rig.pay(invoice, 6n)
  await rig.look()
  assert.equal(await rig.status(invoice), 'underpaid', 'never open again')
  rig.sandbox.mine(3)
  await rig.look()
  assert.equal(await rig.status(invoice), 'paid')
  assert.deepEqual(
    (await eventTypes(rig)).filter(type => type !== null),
    ['invoice.underpaid', 'invoice.paid'],
  )
})

watching('the full amount, late, pays an expired invoice with one event and no underpaid in between', async rig => {
  await rig.look()
  const invoice = await rig.invoice({ amount: 10n })
  await rig.expire()
  rig.pay(invoice, 10n)
  await rig.look()
  const unconfirmed = await rig.read(invoice)
  assert.deepEqual([unconfirmed.status, unconfirmed.receivedZat], ['expired', 10n])
  rig.sandbox.mine(3)
  await rig.look()
  assert.equal(await rig.status(invoice), 'paid')
  assert.deepEqual(
    (await eventTypes(rig)).filter(type => type !== null),
    ['invoice.paid'],
  )
})

watching('money counts to the last second of the late window and no longer', async rig => {
  await rig.look()
  const intime = await rig.invoice({ amount: 10n })
  const toolate = await rig.invoice({ amount: 10n })
  await rig.expire()
  rig.clock.advance(LATE_SECS - 6)
  rig.pay(intime, 10n)
  await rig.look()
  rig.clock.advance(1)
  rig.pay(toolate, 10n)
  rig.sandbox.mine(3)
  await rig.look()
  assert.deepEqual([await rig.status(intime), await rig.status(toolate)], ['paid', 'expired'])
})

watching('a change of an invoice that is no sale is told to whom it serves, in the same transaction', async rig => {
  const told: string[] = []
  rig.begin({
    settle: async (rows, before, after) => {
      const [written] = await rows.invoices.byIds([after.id])
      told.push(`${before.status} → ${after.status} (${written!.status})`)
    },
  })
  await rig.look()
  const plan = await rig.invoice({ amount: 10n, confirmations: 1, purpose: 'plan' })
  const sale = await rig.invoice({ amount: 10n, confirmations: 1 })
  rig.pay(plan, 10n)
  rig.pay(sale, 10n)
  await rig.look()
  rig.sandbox.mine(1)
  await rig.look()
  assert.deepEqual(told, ['pending → detected (detected)', 'detected → paid (paid)'])
  assert.deepEqual(
    (await rig.events()).map(event => [event.invoiceId, event.type]).filter(([, type]) => type !== null),
    [[sale.id, 'invoice.paid']],
  )
})

watching('a hook that fails takes the whole transaction with it, and the next look does it all again', async rig => {
  let broken = true
  rig.begin({
    settle: async () => {
      if (broken) throw new Error('no')
    },
  })
  await rig.look()
  const plan = await rig.invoice({ amount: 10n, confirmations: 1, purpose: 'plan' })
  rig.pay(plan, 10n)
  rig.sandbox.mine(1)
  const before = await rig.tip()
  await assert.rejects(rig.look(), /no/)
  assert.deepEqual([await rig.tip(), await rig.status(plan)], [before, 'pending'])
  broken = false
  await rig.look()
  assert.deepEqual([await rig.tip(), await rig.status(plan)], [before + 1, 'paid'])
})
