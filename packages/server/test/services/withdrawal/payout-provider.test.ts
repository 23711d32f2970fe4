import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createManualPayout } from '../../../src/adapters/payout/manual.ts'
import type { Network } from '../../../src/domain/account.ts'
import type { PayoutResult } from '../../../src/ports/payout-provider.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { readEvents, sqliteStore } from '../../harness/databases.ts'
import { recordingLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { scriptedPayout } from '../../harness/scripted-payout.ts'

const AMOUNT = 100_000_000n

async function start(test: TestContext, chainNetwork: Network = 'regtest') {
  const clock = new ManualClock()
  const { store, file } = await sqliteStore(test)
  const provider = scriptedPayout()
  const harness = await createBillingHarness(test, { store, clock, provider, chainNetwork })
  const account = await harness.merchant()
  const order = async () => {
    const request = { amountZat: AMOUNT, fiatCurrency: 'USD', payoutTo: 'account 12345678', idempotencyKey: undefined }
    return harness.withdrawals.create(account, request)
  }
  const deposited = async () => {
    const ordered = await order()
    await harness.deposit(ordered.invoice, AMOUNT)
    await harness.mine()
    return ordered
  }
  const read = (id: string) => harness.payouts.read(id)
  return {
    clock,
    file,
    harness,
    provider,
    order,
    deposited,
    read,
    statuses: () => readEvents(file, account.id).map(e => e.status),
  }
}

test('an order is passed to the provider once, with all details, when its deposit is confirmed', async t => {
  const { harness, provider, order, deposited, read, statuses } = await start(t)
  await order()
  const { withdrawal } = await deposited()
  provider.results.push({ state: 'paid', reference: 'wire 7' })
  assert.equal(await harness.payouts.payDue(10), 1)
  assert.deepEqual(provider.calls, [
    {
      id: withdrawal.publicId,
      amountZat: AMOUNT,
      fiatCurrency: 'USD',
      fiatAmount: '99.00',
      payoutTo: 'account 12345678',
    },
  ])
  assert.equal((await read(withdrawal.publicId)).withdrawal.reference, 'wire 7')
  assert.equal(await harness.payouts.payDue(10), 0)
  assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing', 'completed'])
})

for (const result of [{ state: 'paid', reference: 'wire 7' } as const, new Error('down')])
  test(`the result of a lost order (${result instanceof Error ? 'an error' : result.state}) changes no other order with its row id`, async t => {
    const { clock, harness, file, provider, deposited, read, statuses } = await start(t)
    const { withdrawal } = await deposited()
    const other = '22222222-2222-4222-8222-222222222222'
    provider.results.push(async () => {
      const database = new DatabaseSync(file)
      database.prepare('UPDATE withdrawals SET public_id = ? WHERE public_id = ?').run(other, withdrawal.publicId)
      database.close()
      if (result instanceof Error) throw result
      return result
    })
    assert.equal(await harness.payouts.payDue(10), 1)
    const { status, reference, payoutDueAt } = (await read(other)).withdrawal
    assert.deepEqual({ status, reference }, { status: 'payout_processing', reference: null })
    assert.equal(payoutDueAt, clock.secs + 120)
    assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing'])
  })

test('a clock that is hours apart from the chain makes no payout, and delays none', async t => {
  const { clock, harness, provider, deposited } = await start(t, 'test')
  await deposited()
  for (const secs of [-86_400, 2 * 86_400]) {
    clock.advance(secs)
    assert.equal(await harness.payouts.payDue(10), 0)
  }
  clock.advance(-86_400)
  provider.results.push({ state: 'paid', reference: 'wire 7' })
  assert.equal(await harness.payouts.payDue(10), 1)
})

test('a payout whose deposit was confirmed by a clock that was ahead is due at once', async t => {
  const { clock, harness, provider, deposited } = await start(t)
  clock.advance(86_400)
  await deposited()
  clock.advance(-86_400)
  provider.results.push({ state: 'paid', reference: 'wire 7' })
  assert.equal(await harness.payouts.payDue(10), 1)
})

test('a provider that needs time is called again at the requested time, and a failing one after a minute', async t => {
  const { clock, harness, provider, deposited, read, statuses } = await start(t)
  const { withdrawal } = await deposited()
  provider.results.push({ state: 'processing', pollAfterSecs: 300 }, new Error('down'), {
    state: 'failed',
    reason: 'unknown account',
  })
  assert.equal(await harness.payouts.payDue(10), 1)
  clock.advance(299)
  assert.equal(await harness.payouts.payDue(10), 0)
  clock.advance(1)
  assert.equal(await harness.payouts.payDue(10), 1)
  clock.advance(59)
  assert.equal(await harness.payouts.payDue(10), 0)
  clock.advance(1)
  assert.equal(await harness.payouts.payDue(10), 1)
  assert.equal((await read(withdrawal.publicId)).withdrawal.reason, 'unknown account')
  assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing', 'failed'])
})

test('two processes pass an order once; after a crash during the call it is passed again', async t => {
  const { clock, harness, provider, deposited } = await start(t)
  await deposited()
  const dies = Promise.withResolvers<PayoutResult>()
  provider.results.push(() => dies.promise)
  const first = harness.payouts.payDue(10)
  assert.equal(await harness.payouts.payDue(10), 0)
  clock.advance(120)
  provider.results.push({ state: 'paid', reference: 'once' })
  assert.equal(await harness.payouts.payDue(10), 1)
  assert.deepEqual(new Set(provider.calls.map(({ id }) => id)).size, 1)
  dies.resolve({ state: 'paid', reference: 'twice' })
  assert.equal(await first, 1)
})

test('coins that arrive while the provider pays keep the order open: the reference is kept and it needs attention', async t => {
  const { harness, provider, deposited, read, statuses } = await start(t)
  const { withdrawal, invoice } = await deposited()
  provider.results.push(async () => {
    await harness.deposit(invoice, 1n)
    return { state: 'paid', reference: 'wire 8' }
  })
  await harness.payouts.payDue(10)
  const { status, reference } = (await read(withdrawal.publicId)).withdrawal
  assert.deepEqual([status, reference], ['needs_attention', 'wire 8'])
  assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing', 'needs_attention'])
})

test("the operator's closing takes precedence over a late result of the provider", async t => {
  const { harness, provider, deposited, read, statuses } = await start(t)
  const { withdrawal } = await deposited()
  provider.results.push(async () => {
    await harness.payouts.markPaidOut(withdrawal.publicId, 'by hand', { override: true })
    return { state: 'failed', reason: 'closed' }
  })
  await harness.payouts.payDue(10)
  const order = (await read(withdrawal.publicId)).withdrawal
  assert.deepEqual([order.status, order.reference, order.reason], ['completed', 'by hand', 'closed'])
  assert.deepEqual(statuses(), ['deposit_detected', 'payout_processing', 'completed'])
})

test('the manual provider gets an order once, without a time limit', async t => {
  const clock = new ManualClock()
  const { store } = await sqliteStore(t)
  const log = recordingLog()
  const harness = await createBillingHarness(t, { store, clock, provider: createManualPayout(log) })
  const account = await harness.merchant()
  const payoutTo = 'account 12345678'
  const ordered = await harness.withdrawals.create(account, {
    amountZat: AMOUNT,
    fiatCurrency: 'USD',
    payoutTo,
    idempotencyKey: undefined,
  })
  await harness.deposit(ordered.invoice, AMOUNT)
  await harness.mine()
  assert.equal(await harness.payouts.payDue(10), 1)
  clock.advance(86_400 * 365)
  assert.equal(await harness.payouts.payDue(10), 0)
  assert.equal(log.lines.length, 1)
  assert.ok(!JSON.stringify(log.lines).includes(payoutTo))
  const { withdrawal } = await harness.payouts.markPaidOut(ordered.withdrawal.publicId, 'paid')
  assert.equal(withdrawal.status, 'completed')
})
