import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openStore } from '../../../../src/store/open.ts'
import { createBillingHarness } from '../../../harness/billing.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '../../../harness/postgres.ts'

const DAY = 86_400
const bin = findPostgres()
const options = { skip: bin ? false : NO_POSTGRES }
let postgres: TestPostgres

before(async () => {
  if (bin) postgres = await startPostgres(bin)
})
after(() => postgres?.stop())

/** Two processes on one database, each with its own service. */
async function twoProcesses(t: { after(work: () => Promise<void>): void }) {
  const url = await postgres.freshDatabase()
  const clock = new ManualClock()
  const open = async () => {
    const store = await openStore(url)
    t.after(() => store.close())
    return createBillingHarness(t, { store, clock })
  }
  return { clock, one: await open(), other: await open() }
}

test('two processes that grant, expire and remind at once do each once', options, async t => {
  const { clock, one, other } = await twoProcesses(t)
  const accounts = await Promise.all(Array.from({ length: 6 }, () => one.merchant()))
  for (const account of accounts) {
    const bought = await Promise.all([one, other].map(harness => harness.billing.subscribe(account, 'Pro')))
    for (const invoice of bought) await one.deposit(invoice, invoice.amountZat)
  }
  await one.mine()
  const end = clock.secs + 60 * DAY
  for (const { id } of accounts) assert.equal((await one.account(id)).planExpiresAt, end)

  clock.advance(58 * DAY)
  await Promise.all([one, other, one, other].map(harness => harness.billing.sendRenewalReminders(10)))
  const mails = await one.store.write(tx => tx.mails.claimNotices(clock.secs, 50, () => end))
  assert.deepEqual(mails.map(({ to }) => to).sort(), accounts.map(({ email }) => email).sort())

  clock.advance(2 * DAY)
  const newEvents = () =>
    one.store.read(async tx => {
      const lists = await Promise.all(accounts.map(({ id }) => tx.events.listAfter(id, 0, 100)))
      return lists.flat().length
    })
  const before = await newEvents()
  await Promise.all([one, other, one, other].map(harness => harness.billing.expirePlans(10)))
  assert.equal((await newEvents()) - before, accounts.length)
  for (const { id } of accounts) assert.equal((await other.account(id)).plan, 'Free')
})

test('an order completed by one process is the same in the other', options, async t => {
  const { one, other } = await twoProcesses(t)
  const account = await one.merchant()
  const request = { amountZat: 10_000_000n, fiatCurrency: 'USD', payoutTo: 'a bank account', idempotencyKey: 'k' }
  const created = await Promise.all(
    [one, other, one, other].map(harness => harness.withdrawals.create(account, request)),
  )
  const [{ withdrawal, invoice } = assert.fail()] = created
  assert.equal(new Set(created.map(order => order.withdrawal.publicId)).size, 1)
  await one.deposit(invoice, invoice.amountZat)
  await Promise.allSettled([
    one.mine(),
    other.withdrawals.cancel(account, withdrawal.publicId),
    other.withdrawals.cancel(account, withdrawal.publicId),
  ])
  const closed = await Promise.allSettled(
    [one, other].map(harness => harness.payouts.markPaidOut(withdrawal.publicId, 'paid')),
  )
  assert.deepEqual(closed.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.equal((await other.withdrawals.read(account, withdrawal.publicId)).withdrawal.status, 'completed')
})

test('of a concurrent cancel and deposit one is first, and no payment is lost', options, async t => {
  const { one, other } = await twoProcesses(t)
  const account = await one.merchant()
  for (let round = 0; round < 10; round++) {
    const request = {
      amountZat: 10_000_000n,
      fiatCurrency: 'USD',
      payoutTo: 'a bank account',
      idempotencyKey: undefined,
    }
    const { withdrawal, invoice } = await one.withdrawals.create(account, request)
    const [canceled] = await Promise.allSettled([
      other.withdrawals.cancel(account, withdrawal.publicId),
      one.deposit(invoice, invoice.amountZat),
    ])
    const { status } = (await one.withdrawals.read(account, withdrawal.publicId)).withdrawal
    assert.equal(status, canceled.status === 'fulfilled' ? 'needs_attention' : 'deposit_detected')
  }
})
