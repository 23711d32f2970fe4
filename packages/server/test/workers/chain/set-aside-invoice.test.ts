import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { closeNoteScanner } from '../../harness/chain-sync.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { paymentsOf } from '../../harness/payments.ts'
import { poisonRow, run } from '../../harness/poison.ts'
import { AMOUNT, openChainSync } from '../../harness/set-aside.ts'

after(closeNoteScanner)

async function open(engine: DatabaseEngine, t: TestContext) {
  const chain = await openChainSync(engine, t)
  const { harness, url } = chain
  await harness.syncFully()
  const invoices: Invoice[] = []
  for (let made = 0; made < 5; made++) invoices.push(await harness.invoice({ amount: AMOUNT }))
  return {
    ...chain,
    invoices,
    statuses: () => chain.statuses(invoices),
    retry: chain.retryInvoices,
    poison: ({ publicId }: Invoice) =>
      poisonRow(url, { table: 'invoices', column: 'public_id', value: publicId, on: 'UPDATE' }),
    /** Payments whose sum no column holds. Each invoice has two payments in one block. */
    async makeUnreadable({ id }: Invoice) {
      const tooMuch = 2n ** 62n + 2n ** 61n
      await run(url, [
        `UPDATE payment_totals SET value_zat = ${tooMuch} WHERE invoice_id = ${id}`,
        `INSERT INTO payment_totals (invoice_id, height, value_zat) VALUES (${id}, 0, ${tooMuch})`,
      ])
      return () =>
        run(url, [
          `DELETE FROM payment_totals WHERE invoice_id = ${id} AND height = 0`,
          `UPDATE payment_totals SET value_zat = ${2n * AMOUNT} WHERE invoice_id = ${id}`,
        ])
    },
  }
}

onBothDatabases(engine => {
  for (const position of [0, 4]) {
    const others = (status: string, own: string) => [0, 1, 2, 3, 4].map(index => (index === position ? own : status))

    test(`an invoice that cannot be written, at place ${position}, stops no block, and is paid when it is repaired`, async t => {
      const { harness, invoices, kinds, statuses, retry, poison } = await open(engine, t)
      const { sandbox, clock } = harness
      const bad = invoices[position] as Invoice
      const repair = await poison(bad)
      for (const invoice of invoices) harness.pay(invoice, AMOUNT)
      await harness.sync()
      sandbox.mine(1)
      await harness.sync()
      await retry()
      sandbox.mine(3, { empty: true })
      await harness.sync()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'pending'))
      assert.deepEqual(await kinds(), [['invoice', 1]])
      const lines = harness.logged.filter(({ details }) => details.kind === 'invoice' && details.failures === 1)
      assert.deepEqual(
        lines.map(({ level, details }) => [level, details.error]),
        [['error', 'poison']],
      )

      await harness.expire()
      await repair()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(
        await statuses(),
        invoices.map(() => 'paid'),
      )
      assert.deepEqual(await kinds(), [])
      const events = (await harness.query(tx => paymentsOf(tx, [bad.id]))).length
      assert.equal(events, 1)
    })

    test(`an invoice whose amounts cannot be stored, at place ${position}, stops no block, and is evaluated later`, async t => {
      const { harness, invoices, kinds, statuses, retry, makeUnreadable } = await open(engine, t)
      const { sandbox, clock } = harness
      for (const invoice of [...invoices, ...invoices]) harness.pay(invoice, AMOUNT)
      sandbox.mine(1)
      await harness.sync()
      const repair = await makeUnreadable(invoices[position] as Invoice)
      sandbox.mine(3, { empty: true })
      await harness.sync()
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      assert.deepEqual(await kinds(), [['invoice', 1]])
      await repair()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(
        await statuses(),
        invoices.map(() => 'paid'),
      )
      assert.deepEqual(await kinds(), [])
    })

    test(`invoices that were put off by a clock that was ahead are evaluated at once: another one, at place ${position}, cannot be written`, async t => {
      const { harness, invoices, statuses, retry, poison } = await open(engine, t)
      const { sandbox, clock } = harness
      const repair = await poison(invoices[position] as Invoice)
      for (const invoice of invoices) harness.pay(invoice, AMOUNT)
      sandbox.mine(4)
      clock.advance(8 * 3_600)
      await harness.sync()
      clock.advance(-8 * 3_600)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'pending'))

      clock.advance(8 * 3_600)
      await retry()
      clock.advance(-8 * 3_600)
      await repair()
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'paid'), 'no retry is further away than the longest wait')
    })

    test(`an unpaid invoice that cannot be written, at place ${position}, keeps no other from expiring`, async t => {
      const { harness, invoices, kinds, statuses, retry, poison } = await open(engine, t)
      const repair = await poison(invoices[position] as Invoice)
      await harness.expire()
      await retry()
      assert.deepEqual(await statuses(), others('expired', 'pending'))
      assert.deepEqual(await kinds(), [['invoice', 1]])
      assert.equal(await harness.invoiceExpiry.expireDue(100), 0, 'it is left out')
      await repair()
      harness.clock.advance(3_600)
      await retry()
      assert.deepEqual(
        await statuses(),
        invoices.map(() => 'expired'),
      )
    })
  }

  test('one invoice that cannot be written stops no block, however many others wait to be evaluated alone', async t => {
    const { harness, url, merchant, sell, invoices, kinds, statuses, retry, poison } = await open(engine, t)
    const { sandbox, account } = harness
    const bad = await sell(await merchant(34))
    await poison(bad)
    for (const invoice of [bad, ...invoices]) harness.pay(invoice, AMOUNT)
    const waiting = Array.from({ length: 1_000 }, (_, row) => `('invoice', 'gone ${row}', ${account.id}, 'x', 0, 1, 1)`)
    await run(url, [
      `INSERT INTO set_aside (kind, reference, account_id, error, failures, first_at, next_attempt_at)
       VALUES ${waiting.join(', ')}`,
    ])
    sandbox.mine(4)
    await harness.sync()
    assert.equal(await harness.tip(), sandbox.height)
    await retry()
    assert.deepEqual(
      await statuses(),
      invoices.map(() => 'paid'),
    )
    assert.deepEqual(await kinds(), [['invoice', 1]])
  })

  test('an invoice whose recorded payment waits to be evaluated is not canceled, and is paid later', async t => {
    const { harness, invoices, statuses, retry, poison } = await open(engine, t)
    invoices.length = 1
    const [bad] = invoices as [Invoice]
    const repair = await poison(bad)
    harness.pay(bad, AMOUNT)
    harness.sandbox.mine(4)
    await harness.sync()
    await repair()
    assert.deepEqual(await statuses(), ['pending'])
    const { cancellations } = harness.services
    await assert.rejects(cancellations.cancel(harness.account, bad.publicId), { code: 'invoice_not_cancelable' })
    const read = () => harness.query(tx => tx.invoices.byPublicId(bad.publicId))
    assert.equal((await read())?.canceledAt, null)
    harness.clock.advance(3_600)
    await retry()
    assert.deepEqual(await statuses(), ['paid'])
  })

  test('invoices without confirmations that waited beside one that cannot be written are paid without a block', async t => {
    const { harness, statuses, retry, poison, invoices } = await open(engine, t)
    invoices.length = 0
    for (let made = 0; made < 3; made++) invoices.push(await harness.invoice({ amount: AMOUNT, confirmations: 0 }))
    await harness.syncFully()
    const repair = await poison(invoices[0] as Invoice)
    for (const invoice of invoices) harness.pay(invoice, AMOUNT)
    await harness.syncFully()
    await retry()
    assert.deepEqual(await statuses(), ['pending', 'paid', 'paid'])
    await repair()
    harness.clock.advance(60)
    await harness.syncFully()
    await retry()
    assert.deepEqual(await statuses(), ['paid', 'paid', 'paid'])
  })
})
