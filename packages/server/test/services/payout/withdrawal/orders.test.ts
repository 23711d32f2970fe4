import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createVault } from '../../../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../../../src/adapters/system/random.ts'
import type { Account } from '../../../../src/domain/account/account.ts'
import { rateUnavailableError } from '../../../../src/domain/rate.ts'
import { createSecrets } from '../../../../src/services/encryption-key.ts'
import type { WithdrawalWithInvoice } from '../../../../src/services/payout/withdrawal.ts'
import { type BillingHarness, type BillingHarnessOptions, createBillingHarness } from '../../../harness/billing.ts'
import { readEvents, sqliteStore } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const IBAN = 'DE89370400440532013000'
const AMOUNT = 250_000_000n

async function start(test: TestContext, options: Partial<BillingHarnessOptions> = {}) {
  const clock = new ManualClock()
  const { store, file } = await sqliteStore(test)
  const harness = await createBillingHarness(test, { store, clock, ...options })
  const account = await harness.merchant()
  const order = (changes: Partial<Parameters<BillingHarness['withdrawals']['create']>[1]> = {}) =>
    harness.withdrawals.create(account, {
      amountZat: AMOUNT,
      fiatCurrency: 'EUR',
      payoutTo: IBAN,
      idempotencyKey: undefined,
      ...changes,
    })
  const statuses = (of: Account = account) => readEvents(file, of.id).flatMap(({ status }) => (status ? [status] : []))
  const status = async ({ withdrawal }: WithdrawalWithInvoice) =>
    (await harness.withdrawals.read(account, withdrawal.publicId)).withdrawal.status
  return { clock, file, harness, account, order, statuses, status }
}

test('an order keeps the rate at its creation, less the spread, until its address expires', async t => {
  const { clock, order } = await start(t)
  const { withdrawal, invoice, maskedPayoutTo } = await order()
  assert.equal(withdrawal.status, 'awaiting_deposit')
  assert.deepEqual([withdrawal.rate, withdrawal.fiatAmount], ['100', '247.50'])
  assert.equal(invoice.expiresAt, clock.secs + 900)
  assert.equal(invoice.purpose, 'withdrawal')
  assert.equal(maskedPayoutTo, 'DE••••3000')
  assert.equal((await order({ fiatCurrency: 'JPY' })).withdrawal.fiatAmount, '247')
})

test('a new order is answered as it was written, without reading it; a repeat of its key reads it', async t => {
  const { store } = await sqliteStore(t)
  let reads = 0
  const read: typeof store.read = work => {
    reads++
    return store.read(work)
  }
  const { harness, account, order } = await start(t, { store: { ...store, read } })
  await order()
  reads = 0
  const made = await order({ idempotencyKey: 'k' })
  assert.equal(reads, 0)
  const stored = await harness.withdrawals.read(account, made.withdrawal.publicId)
  const plain = ({ withdrawal, ...rest }: WithdrawalWithInvoice) => {
    return { ...rest, withdrawal: { ...withdrawal, sealedPayoutTo: Buffer.from(withdrawal.sealedPayoutTo) } }
  }
  assert.deepEqual(plain(made), plain(stored))
  assert.deepEqual(plain(await order({ idempotencyKey: 'k' })), plain(stored))
  assert.equal(reads, 2)
})

test('from deposit to payout, each step sends one event with the ordered amounts', async t => {
  const { file, harness, account, order, status } = await start(t)
  const ordered = await order()
  await harness.deposit(ordered.invoice, AMOUNT)
  assert.equal(await status(ordered), 'deposit_detected')
  await harness.mine(2)
  assert.equal(await status(ordered), 'deposit_detected')
  await harness.mine(1)
  assert.equal(await status(ordered), 'payout_processing')
  await harness.mine(1)
  const withdrawal = await harness.payouts.markPaidOut(ordered.withdrawal.publicId, 'SEPA 2026-4711')
  assert.deepEqual([withdrawal.status, withdrawal.reference], ['completed', 'SEPA 2026-4711'])
  assert.deepEqual(
    readEvents(file, account.id),
    ['deposit_detected', 'payout_processing', 'completed'].map(status => ({
      type: 'withdrawal.updated',
      invoice_id: null,
      withdrawal_id: ordered.withdrawal.publicId,
      status,
      amount_zat: 250_000_000,
      fiat_currency: 'EUR',
      fiat_amount: '247.50',
    })),
  )
  assert.deepEqual(readEvents(file, harness.operator.id), [])
})

test('an order without a deposit in time expires; late coins need attention', async t => {
  const { clock, harness, order, statuses } = await start(t)
  const { invoice } = await order()
  clock.advance(900)
  await harness.seeThrough()
  assert.deepEqual(statuses(), ['expired'])
  await harness.deposit(invoice, AMOUNT)
  assert.deepEqual(statuses(), ['expired', 'needs_attention'])
})

test('a partial deposit does not count until expiry, and then needs attention', async t => {
  const { clock, harness, order, statuses } = await start(t)
  const { invoice } = await order()
  await harness.deposit(invoice, AMOUNT - 1n)
  await harness.mine()
  assert.deepEqual(statuses(), [])
  clock.advance(900)
  await harness.seeThrough()
  assert.deepEqual(statuses(), ['needs_attention'])
})

test('a deposit in parts is complete; an excess needs attention at once, also after the deposit was accepted', async t => {
  const { harness, order, statuses } = await start(t)
  const parts = await order()
  await harness.deposit(parts.invoice, AMOUNT - 5n)
  await harness.deposit(parts.invoice, 5n)
  await harness.mine()
  const much = await order()
  await harness.deposit(much.invoice, AMOUNT + 1n)
  await harness.deposit(parts.invoice, 1n)
  assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing', 'needs_attention', 'needs_attention'])
})

test('after a deposit vanishes, the order awaits a deposit again', async t => {
  const { harness, order, statuses } = await start(t)
  const { invoice } = await order()
  await harness.vanish(await harness.deposit(invoice, AMOUNT))
  await harness.deposit(invoice, AMOUNT)
  assert.deepEqual(statuses(), ['deposit_detected', 'awaiting_deposit', 'deposit_detected'])
})

test('an order can be canceled only before any deposit; coins that arrive later need attention', async t => {
  const { harness, account, order, statuses } = await start(t)
  const { withdrawal, invoice } = await order()
  assert.equal((await harness.withdrawals.cancel(account, withdrawal.publicId)).withdrawal.status, 'canceled')
  const refused = { code: 'withdrawal_not_cancelable', kind: 'conflict' }
  await assert.rejects(harness.withdrawals.cancel(account, withdrawal.publicId), refused)
  await harness.deposit(invoice, 1n)
  assert.deepEqual(statuses(), ['canceled', 'needs_attention'])

  const begun = await order()
  await harness.deposit(begun.invoice, 1n)
  await assert.rejects(harness.withdrawals.cancel(account, begun.withdrawal.publicId), refused)
})

test('the operator can close only orders with a deposit; more coins reopen them', async t => {
  const { harness, order, statuses } = await start(t)
  const open = await order()
  const refused = { code: 'withdrawal_not_open', kind: 'conflict' }
  await assert.rejects(harness.payouts.markPaidOut(open.withdrawal.publicId, 'ref'), refused)
  await assert.rejects(harness.payouts.markFailed(open.withdrawal.publicId, 'no'), refused)
  await harness.deposit(open.invoice, AMOUNT + 7n)
  const failed = await harness.payouts.markFailed(open.withdrawal.publicId, 'sent back')
  assert.deepEqual(
    [failed.status, failed.reason],
    ['failed', '2.50000007 ZEC arrived, the order is for 2.5 ZEC; sent back'],
  )
  await harness.mine()
  assert.deepEqual(statuses(), ['needs_attention', 'failed'])
  await harness.deposit(open.invoice, 1n)
  assert.deepEqual(statuses(), ['needs_attention', 'failed', 'needs_attention'])
  await assert.rejects(harness.payouts.markPaidOut(open.withdrawal.publicId, ' '), { code: 'invalid_reference' })
  await assert.rejects(harness.payouts.markFailed(open.withdrawal.publicId, 'x'.repeat(201)), {
    code: 'invalid_reason',
  })
  await assert.rejects(harness.payouts.read('nonsense'), { code: 'no_such_withdrawal' })
  assert.deepEqual(await harness.payouts.countWaiting(), { payouts: 0, withdrawals: 1 })
})

test('coins removed by a reorganisation are not paid out: the order needs attention, and is settled once they are confirmed', async t => {
  const { harness, order, statuses } = await start(t)
  const { withdrawal, invoice } = await order()
  await harness.deposit(invoice, AMOUNT)
  await harness.mine()
  await harness.reorg(3)
  assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing', 'needs_attention'])
  const early = { code: 'deposit_not_confirmed', kind: 'conflict' }
  await assert.rejects(harness.payouts.markPaidOut(withdrawal.publicId, 'wire'), early)
  await harness.mine(2)
  await assert.rejects(harness.payouts.markPaidOut(withdrawal.publicId, 'wire'), early)
  await harness.mine(1)
  assert.equal((await harness.payouts.markPaidOut(withdrawal.publicId, 'wire')).status, 'completed')
})

test('with several servers, coins are not paid out before two of them show the block', async t => {
  const { harness, order } = await start(t)
  const { withdrawal, invoice } = await order()
  const agree = (height: number) => harness.store.write(tx => tx.chain.setWitnessedHeight(height))
  await harness.deposit(invoice, AMOUNT * 2n)
  await agree(0)
  await harness.mine()
  const early = { code: 'deposit_not_confirmed', kind: 'conflict' }
  await assert.rejects(harness.payouts.markPaidOut(withdrawal.publicId, 'wire'), early)
  await agree((await harness.store.query(tx => tx.chain.tip()))!.height)
  assert.equal((await harness.payouts.markPaidOut(withdrawal.publicId, 'wire')).status, 'completed')
})

test('an order with unconfirmed coins can be failed, and can be settled when they are gone', async t => {
  const { harness, order } = await start(t)
  const much = await order()
  const txid = await harness.deposit(much.invoice, AMOUNT * 2n)
  await assert.rejects(harness.payouts.markPaidOut(much.withdrawal.publicId, 'wire'), { code: 'deposit_not_confirmed' })
  await harness.vanish(txid)
  assert.equal((await harness.payouts.markPaidOut(much.withdrawal.publicId, 'wire')).receivedZat, 0n)
  const other = await order()
  await harness.deposit(other.invoice, AMOUNT * 2n)
  assert.equal((await harness.payouts.markFailed(other.withdrawal.publicId, 'sent back')).status, 'failed')
})

test('a reopened order keeps the notes of its earlier closing', async t => {
  const { harness, order } = await start(t)
  const { withdrawal, invoice } = await order()
  await harness.deposit(invoice, AMOUNT)
  await harness.mine()
  await harness.payouts.markPaidOut(withdrawal.publicId, 'wire 1')
  await harness.deposit(invoice, 5n)
  await harness.mine()
  const closed = await harness.payouts.markPaidOut(withdrawal.publicId, 'wire 2')
  assert.equal(closed.reference, 'wire 1; wire 2')
})

test('an order belongs to its account: an order of another account is not found', async t => {
  const { harness, account, order } = await start(t)
  const first = await order()
  const second = await order()
  const stranger = await harness.merchant()
  for (const id of [first.withdrawal.publicId, 'nonsense', first.invoice.publicId]) {
    await assert.rejects(harness.withdrawals.read(stranger, id), { code: 'no_such_withdrawal' })
    await assert.rejects(harness.withdrawals.cancel(stranger, id), { code: 'no_such_withdrawal' })
  }
  const ids = (orders: WithdrawalWithInvoice[]) => orders.map(({ withdrawal }) => withdrawal.publicId)
  assert.deepEqual(ids(await harness.withdrawals.list(stranger, { limit: 10 })), [])
  assert.deepEqual(ids(await harness.withdrawals.list(account, { limit: 10 })), ids([second, first]))
  const page = { limit: 10, before: second.withdrawal.publicId }
  assert.deepEqual(ids(await harness.withdrawals.list(account, page)), ids([first]))
  await assert.rejects(harness.withdrawals.list(stranger, page), { code: 'invalid_before' })
  assert.equal(ids(await harness.withdrawals.list(account, { limit: 1 })).length, 1)
})

test('an order requires a current rate; a repeated idempotency key does not', async t => {
  let fresh = true
  const rates = {
    rate: async (currency: string) => {
      if (!fresh) throw rateUnavailableError('down')
      return { currency, price: '30.5', fetchedAt: 0, sources: ['one'] }
    },
    report: () => [],
  }
  const { order } = await start(t, { rates })
  const created = await order({ idempotencyKey: 'k' })
  fresh = false
  await assert.rejects(order(), { code: 'rate_unavailable', message: 'rate unavailable', kind: 'unavailable' })
  assert.equal((await order({ idempotencyKey: 'k' })).withdrawal.publicId, created.withdrawal.publicId)
  for (const change of [{ amountZat: AMOUNT + 1n }, { payoutTo: 'other' }, { fiatCurrency: 'USD' }])
    await assert.rejects(order({ idempotencyKey: 'k', ...change }), { code: 'idempotency_key_reused' })
})

test('a repeated idempotency key returns its order after a change of the encryption key', async t => {
  const { clock, harness, account, order } = await start(t)
  const created = await order({ idempotencyKey: 'k' })
  const encryptionKeys = [randomBytes(32), ...harness.infrastructure.config.encryptionKeys]
  const changed = await createBillingHarness(t, { store: harness.store, clock, encryptionKeys })
  const repeat = (payoutTo: string) =>
    changed.withdrawals.create(account, { amountZat: AMOUNT, fiatCurrency: 'EUR', payoutTo, idempotencyKey: 'k' })
  assert.equal((await repeat(IBAN)).withdrawal.publicId, created.withdrawal.publicId)
  await assert.rejects(repeat('other'), { code: 'idempotency_key_reused' })
})

test('the stored idempotency hash does not allow guessing bank accounts from a copy of the database', async t => {
  const { file, order } = await start(t)
  await order({ idempotencyKey: 'k' })
  const db = new DatabaseSync(file, { readOnly: true })
  t.after(() => db.close())
  const [row] = db.prepare('SELECT body_hash FROM idempotency_keys').all()
  const guess = JSON.stringify(['withdrawal', AMOUNT.toString(), 'EUR', IBAN])
  assert.notDeepEqual(row?.body_hash, new Uint8Array(createHash('sha256').update(guess).digest()))
})

test('twenty concurrent repeats create one order', async t => {
  const { harness, account, order } = await start(t)
  const created = await Promise.all(Array.from({ length: 20 }, () => order({ idempotencyKey: 'k' })))
  assert.equal(new Set(created.map(({ withdrawal }) => withdrawal.publicId)).size, 1)
  assert.equal((await harness.withdrawals.list(account, { limit: 10 })).length, 1)
})

test('an order that cannot be paid out is refused with the name of the field', async t => {
  const { order } = await start(t)
  for (const [change, code] of [
    [{ fiatCurrency: 'CHF' }, 'invalid_fiat_currency'],
    [{ payoutTo: ' ' }, 'invalid_payout_to'],
    [{ payoutTo: 'x'.repeat(513) }, 'invalid_payout_to'],
    [{ payoutTo: 'a\nb' }, 'invalid_payout_to'],
    [{ amountZat: 10_000n }, 'invalid_amount_zat'],
  ] as const)
    await assert.rejects(order(change), { code })
  await order({ payoutTo: 'x'.repeat(512) })
  assert.equal((await order({ amountZat: 10_102n })).withdrawal.fiatAmount, '0.01')
})

test('payout details are stored encrypted only, and a new encryption key re-encrypts them', async t => {
  const { file, harness, order } = await start(t)
  const { withdrawal } = await order()
  const database = new DatabaseSync(file, { readOnly: true })
  t.after(() => database.close())
  const rowOf = () =>
    database.prepare('SELECT * FROM withdrawals').get() as Record<string, string | number | Uint8Array | null>
  const before = Buffer.from(rowOf().payout_to as Uint8Array)
  for (const value of Object.values(rowOf()))
    assert.ok(!Buffer.from(value instanceof Uint8Array ? value : String(value)).includes(IBAN.slice(4, 12)))

  const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const both = createVault([fresh, old], systemRandom)
  await createSecrets({ store: harness.store, vault: both }).reseal()
  assert.ok(!before.equals(Buffer.from(rowOf().payout_to as Uint8Array)))
  const place = { table: 'withdrawals', column: 'payout_to', row: withdrawal.invoiceId }
  const opened = createVault([fresh], systemRandom).open(rowOf().payout_to as Uint8Array, place)
  assert.equal(Buffer.from(opened).toString(), IBAN)
  await assert.rejects(createSecrets({ store: harness.store, vault: createVault([old], systemRandom) }).check())
})
