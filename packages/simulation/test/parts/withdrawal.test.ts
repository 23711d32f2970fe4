import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '@zatgate/server/domain/network-upgrade'
import { WithdrawalJudge } from '../../src/parts/withdrawal/judge.ts'
import type { WithdrawalRow } from '../../src/parts/withdrawal/ledger.ts'
import { expectedFiat, isAllowedStep } from '../../src/parts/withdrawal/rules.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { SimulatedPayouts } from '../../src/world/payout-provider.ts'
import { RateServer } from '../../src/world/rates.ts'
import { createFakeWorld, NOW_SECS } from './fake-world.ts'

const ID = '6f0e35a2-0000-4000-8000-000000000000'

const ORDER: WithdrawalRow = {
  invoice_id: 1n,
  public_id: ID,
  status: 'awaiting_deposit',
  amount_zat: 100_000_000n,
  received_zat: 0n,
  fiat_currency: 'USD',
  fiat_amount: '400.00',
  rate: '400.0000001',
  payout_due_at: null,
  paying_provider: null,
  closed_by: null,
  reference: null,
  reason: null,
  invoice_status: 'pending',
  invoice_amount: 100_000_000n,
  invoice_received: 0n,
  needs_attention: 0n,
  confirmations: 3n,
  expires_at: BigInt(NOW_SECS),
}
const DETECTED = {
  ...ORDER,
  status: 'deposit_detected',
  received_zat: 100_000_000n,
  invoice_received: 100_000_000n,
  invoice_status: 'detected',
}
const DUE = { ...DETECTED, status: 'payout_processing', invoice_status: 'paid', payout_due_at: BigInt(NOW_SECS) }
const CLAIMED = { ...DUE, paying_provider: 'simulated' }
const DEPOSIT = {
  place: 'mined',
  height: 10n,
  value_zat: 100_000_000n,
  seen_at: BigInt(NOW_SECS),
  time: BigInt(NOW_SECS),
}

/** Lets a judge see one committed state after the other. Each change raises its event unless `events` says otherwise. */
function judge(states: readonly WithdrawalRow[], options: { deposit?: object; tip?: number; events?: string[] } = {}) {
  const { world, broken, tables } = createFakeWorld()
  Object.assign(world, { params: consensusParams('test') })
  const withdrawals = new WithdrawalJudge(world, 0)
  tables['FROM payments'] = [options.deposit ?? DEPOSIT]
  tables['FROM headers'] = [{ height: BigInt(options.tip ?? 12) }]
  withdrawals.check()
  let seq = 0n
  let before = ORDER.status
  for (const state of states) {
    const changes = options.events ?? (state.status === before ? [] : [state.status])
    tables['FROM events'] = changes.map(status => ({ seq: ++seq, body: JSON.stringify({ withdrawal_id: ID, status }) }))
    tables['FROM withdrawals'] = [state]
    withdrawals.check()
    before = state.status
  }
  return { broken, withdrawals, world }
}

test('an order that is paid out as it should be breaks no rule', () => {
  const completed = { ...DUE, status: 'completed', closed_by: 'operator' as const, reference: 'by hand' }
  assert.deepEqual(judge([ORDER, DETECTED, DUE, completed]).broken, [])
})

test('a deposit with too few confirmations is found', () => {
  assert.deepEqual(judge([ORDER, DETECTED, DUE], { tip: 11 }).broken, [
    'no payout begins before the deposit is confirmed',
  ])
})

test('a deposit that was mined after the time of its rate is found', () => {
  const inTime = { ...DEPOSIT, time: BigInt(NOW_SECS + 750) }
  const late = { ...DEPOSIT, time: BigInt(NOW_SECS + 751) }
  assert.deepEqual(judge([ORDER, DETECTED, DUE], { deposit: inTime }).broken, [])
  assert.deepEqual(judge([ORDER, DETECTED, DUE], { deposit: late }).broken, [
    'a late deposit is not paid out at the old rate',
  ])
})

test('a payout that goes on after a reorganisation is found', () => {
  assert.deepEqual(judge([ORDER, DETECTED, DUE, { ...DUE, needs_attention: 1n }]).broken, [
    'only an order with its whole confirmed deposit is paid out',
  ])
})

test('a change without its event, and an event without a change, are found', () => {
  assert.deepEqual(judge([ORDER, DETECTED], { events: [] }).broken, [
    'a change of an order and withdrawal.updated are one commit',
  ])
  assert.deepEqual(
    judge([ORDER, { ...ORDER, needs_attention: 1n }], { events: ['awaiting_deposit'] }).broken.slice(0, 1),
    ['withdrawal.updated is raised once for a change'],
  )
})

test('an operator who closes an order that a provider is paying is found, except with an override', () => {
  const failed = { ...DUE, status: 'failed', closed_by: 'operator' as const }
  assert.deepEqual(judge([ORDER, DETECTED, DUE, CLAIMED, failed]).broken, [
    'an operator closes no order that a provider is paying',
  ])
})

test('an order that is settled by hand and paid by the provider is found', () => {
  const completed = { ...DUE, status: 'completed', closed_by: 'operator' as const, reference: 'by hand' }
  const { broken, withdrawals } = judge([ORDER, DETECTED, DUE, completed])
  const request = { id: ID, amountZat: 1n, fiatCurrency: 'USD', fiatAmount: '1', payoutTo: '' }
  withdrawals.paid({ request, end: { state: 'by_hand' }, pollsLeft: 0, paid: true, calls: [] })
  assert.deepEqual(broken, ['an order is paid once'])
})

test('a call of the provider for an order that is not claimed, and a second call at the same time, are found', () => {
  const request = { id: ID, amountZat: 100_000_000n, fiatCurrency: 'USD', fiatAmount: '400.00', payoutTo: '' }
  const unclaimed = judge([ORDER, DETECTED, DUE])
  unclaimed.withdrawals.called(request, null)
  assert.deepEqual(unclaimed.broken, ['an order is claimed before its provider is called'])
  const claimed = judge([ORDER, DETECTED, DUE, CLAIMED])
  const calls = [{ process: { name: 'process 2', alive: true }, sinceMs: claimed.world.scheduler.nowMs }]
  claimed.withdrawals.called(request, { request, end: { state: 'by_hand' }, pollsLeft: 0, paid: false, calls })
  assert.deepEqual(claimed.broken, ['two processes do not pay one order at the same time'])
})

test('the value of an order is rounded down, less the spread', () => {
  assert.equal(expectedFiat(100_000_000n, '400.0000001', 0), '400.00')
  assert.equal(expectedFiat(100_000_000n, '400.0000001', 50), '398.00')
  assert.equal(expectedFiat(1_999_999n, '0.5', 0), '0.00')
})

test('a canceled order changes only when coins arrive', () => {
  assert.equal(isAllowedStep('awaiting_deposit', 'canceled'), true)
  assert.equal(isAllowedStep('deposit_detected', 'canceled'), false)
  assert.equal(isAllowedStep('canceled', 'payout_processing'), false)
})

test('the simulated provider pays an order once, however often it is called', async () => {
  const { world } = createFakeWorld()
  const paid: string[] = []
  const listener = { called: () => {}, paid: () => paid.push(ID) }
  const operator = new SimulatedPayouts(world.scheduler, new Draw(3), listener)
  operator.heal()
  const request = { id: ID, amountZat: 1n, fiatCurrency: 'USD', fiatAmount: '1', payoutTo: 'a' }
  const first = await operator.provider.pay(request)
  assert.deepEqual(await operator.provider.pay(request), first)
  assert.equal(paid.length, first.state === 'paid' ? 1 : 0)
  assert.deepEqual(operator.orders.get(ID)?.calls, [])
})

test('each price of the simulated source tells its age', async () => {
  const { world } = createFakeWorld()
  const rates = new RateServer(world.scheduler, new Draw(1))
  const prices = [await rates.price(), await rates.price()]
  assert.equal(new Set(prices).size, 2)
  assert.equal(rates.trueAt(prices[0]!), world.scheduler.nowMs)
  rates.down = true
  await assert.rejects(() => rates.price())
})
