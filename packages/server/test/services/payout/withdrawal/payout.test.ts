import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BillingHarness, createBillingHarness } from '../../../harness/billing.ts'
import { type DatabaseEngine, onBothDatabases } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { poisonRow } from '../../../harness/poison.ts'

const AMOUNT = 100_000_000n
const PAYOUT_TO = 'account 12345678'
const NOT_OPEN = { code: 'withdrawal_not_open', kind: 'conflict' }

async function start(t: TestContext, engine: DatabaseEngine) {
  const clock = new ManualClock()
  const { url, open, events } = await engine.createDatabase(t)
  const openHarness = async () => createBillingHarness(t, { store: await open(), clock })
  const harness = await openHarness()
  const account = await harness.merchant()

  async function deposited() {
    const request = { amountZat: AMOUNT, fiatCurrency: 'USD', payoutTo: PAYOUT_TO, idempotencyKey: undefined }
    const { withdrawal, invoice } = await harness.withdrawals.create(account, request)
    await harness.deposit(invoice, AMOUNT)
    return { id: withdrawal.publicId, invoice }
  }

  return {
    url,
    clock,
    harness,
    account,
    openHarness,
    /** An order whose deposit is in the mempool. */
    deposited,
    /** An order to pay out. Returns its public id. */
    async confirmed(): Promise<string> {
      const { id } = await deposited()
      await harness.mine()
      return id
    },
    read: async (id: string) => (await harness.payouts.read(id)).withdrawal,
    statuses: async () => (await events(account.id)).map(({ status }) => status),
    /** Kinds of the audit entries about the operator's commands, oldest first. */
    async commands(): Promise<string[]> {
      const entries = await harness.store.read(tx => tx.audit.list({ accountId: account.id }, 100))
      return entries.flatMap(({ kind }) => (/settled|failed/.test(kind) ? [kind] : [])).reverse()
    },
  }
}

const CLOSINGS = [
  ['settle', 'completed', (harness: BillingHarness, id: string) => harness.payouts.markPaidOut(id, 'wire 1')],
  ['fail', 'failed', (harness: BillingHarness, id: string) => harness.payouts.markFailed(id, 'sent back')],
] as const

onBothDatabases(engine => {
  const check = (name: string, work: (setup: Awaited<ReturnType<typeof start>>) => Promise<void>) =>
    test(name, async t => work(await start(t, engine)))

  check('the operator reads what to pay out, to whom and whose it is', async setup => {
    const { harness, account, confirmed, read } = setup
    const [first, second] = [await confirmed(), await confirmed()]
    const { withdrawal, payoutTo, email } = await harness.payouts.read(first.toUpperCase())
    assert.deepEqual(
      [withdrawal.status, withdrawal.fiatAmount, payoutTo, email],
      ['payout_processing', '99.00', PAYOUT_TO, account.email],
    )
    const listed = await harness.payouts.list(10)
    assert.deepEqual(
      listed.map(order => [order.withdrawal.publicId, order.payoutTo]),
      [
        [second, PAYOUT_TO],
        [first, PAYOUT_TO],
      ],
    )
    assert.equal((await harness.payouts.list(1)).length, 1)
    assert.deepEqual(await harness.payouts.countWaiting(), { payouts: 2, withdrawals: 0 })
    const { sealedPayoutTo, invoiceId } = await read(first)
    await harness.store.write(tx => tx.withdrawals.reseal(invoiceId, sealedPayoutTo, new Uint8Array(0)))
    assert.equal((await harness.payouts.read(first)).payoutTo, 'deleted with the account')
  })

  check(
    'an order waits for its payout without a time limit, and nothing but a person or coins ends it',
    async setup => {
      const { clock, harness, confirmed, read, statuses } = setup
      const id = await confirmed()
      clock.advance(365 * 86_400)
      await harness.mine(100)
      await harness.seeThrough()
      assert.equal((await read(id)).status, 'payout_processing')
      assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing'])
    },
  )

  check('a confirmation whose order cannot be written confirms nothing, and is repeated', async setup => {
    const { url, clock, harness, deposited, read, statuses } = setup
    const { id, invoice } = await deposited()
    const repair = await poisonRow(url, { table: 'withdrawals', column: 'public_id', value: id, on: 'UPDATE' })
    await harness.mine()
    const [found] = await harness.store.read(tx => tx.invoices.byIds([invoice.id]))
    assert.deepEqual([found?.status, (await read(id)).status], ['detected', 'deposit_detected'])
    assert.deepEqual(await statuses(), ['deposit_detected'])
    await repair()
    clock.advance(60)
    await harness.retryInvoices()
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing'])
  })

  for (const [name, status, close] of CLOSINGS) {
    check(`${name} twice: the second is refused and changes nothing`, async setup => {
      const { clock, harness, confirmed, read, statuses, commands } = setup
      const id = await confirmed()
      assert.equal((await close(harness, id)).status, status)
      const closed = await read(id)
      clock.advance(60)
      for (const [, , again] of CLOSINGS) await assert.rejects(again(harness, id), NOT_OPEN)
      assert.deepEqual(await read(id), closed)
      assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing', status])
      assert.equal((await commands()).length, 1)
    })

    for (const table of ['audit_entries', 'events'])
      check(`${name} changes nothing when its row in ${table} cannot be written`, async setup => {
        const { url, harness, account, confirmed, read, statuses, commands } = setup
        const id = await confirmed()
        const before = await read(id)
        const row = { table, column: 'account_id', value: String(account.id), on: 'INSERT' } as const
        const repair = await poisonRow(url, row)
        await assert.rejects(close(harness, id))
        assert.deepEqual(await read(id), before)
        assert.deepEqual([(await statuses()).length, await commands()], [2, []])
        await repair()
        assert.equal((await close(harness, id)).status, status)
        assert.deepEqual([(await statuses()).length, (await commands()).length], [3, 1])
      })
  }

  check('of two operators in two processes who settle and fail an order at once, one succeeds', async setup => {
    const { harness, openHarness, confirmed, read, statuses, commands } = setup
    const other = await openHarness()
    for (let round = 1; round <= 8; round++) {
      const id = await confirmed()
      const results = await Promise.allSettled([
        harness.payouts.markPaidOut(id, 'wire 1'),
        other.payouts.markPaidOut(id, 'wire 2'),
        other.payouts.markFailed(id, 'sent back'),
      ])
      assert.deepEqual(results.map(result => result.status).sort(), ['fulfilled', 'rejected', 'rejected'])
      for (const result of results) if (result.status === 'rejected') assert.equal(result.reason.code, NOT_OPEN.code)
      const winner = results.find(result => result.status === 'fulfilled')?.value
      assert.deepEqual(await read(id), winner)
      assert.equal((winner?.reference === null) !== (winner?.reason === null), true)
      assert.equal((await statuses()).length, 3 * round)
      assert.equal((await commands()).length, round)
    }
  })

  check('coins that arrive while the operator settles are in the closed order, or reopen it', async setup => {
    const { harness, openHarness, deposited, read } = setup
    const other = await openHarness()
    for (let round = 0; round < 8; round++) {
      const { id, invoice } = await deposited()
      await harness.mine()
      const [settled] = await Promise.allSettled([
        other.payouts.markPaidOut(id, 'wire 1'),
        harness.deposit(invoice, 5n),
      ])
      const { status, receivedZat, receivedAtCloseZat } = await read(id)
      assert.deepEqual([status, receivedZat], ['needs_attention', AMOUNT + 5n])
      // Unconfirmed coins refuse the settlement, so it was first.
      assert.equal(receivedAtCloseZat, settled.status === 'fulfilled' ? AMOUNT : null)
    }
  })
})
