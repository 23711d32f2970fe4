import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '@zatgate/server/domain/chain/network-upgrade'
import { WithdrawalJudge } from '../../src/parts/withdrawal/judge.ts'
import type { WithdrawalRow } from '../../src/parts/withdrawal/ledger.ts'
import { expectedFiat, isAllowedStep } from '../../src/parts/withdrawal/rules.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { RateServer } from '../../src/world/rates.ts'
import { createFakeWorld, eventRow, NOW_SECS } from './fake-world.ts'

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
const DUE = { ...DETECTED, status: 'payout_processing', invoice_status: 'paid' }
const COMPLETED = { ...DUE, status: 'completed', reference: 'by hand' }
const DEPOSIT = {
  location: 'mined',
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
    tables['FROM events'] = changes.map(status => eventRow(++seq, 'withdrawal.updated', { withdrawal_id: ID, status }))
    tables['FROM withdrawals'] = [state]
    withdrawals.check()
    before = state.status
  }
  return { broken, withdrawals, world }
}

test('an order that is paid out as it should be breaks no rule', () => {
  const { broken, withdrawals } = judge([ORDER, DETECTED, DUE, COMPLETED])
  withdrawals.answered(ID)
  assert.deepEqual(broken, [])
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

test('an order that two operators have settled by one change is found', () => {
  const { broken, withdrawals } = judge([ORDER, DETECTED, DUE, COMPLETED])
  withdrawals.answered(ID)
  withdrawals.answered(ID)
  assert.deepEqual(broken, ['an order is closed by one command'])
})

test('an order that is settled before its deposit is confirmed is found', () => {
  const attention = { ...DETECTED, status: 'needs_attention' }
  assert.deepEqual(
    judge([ORDER, DETECTED, attention, { ...COMPLETED, invoice_status: 'detected' }], { tip: 11 }).broken,
    ['no payout is settled before the deposit is confirmed'],
  )
})

test('coins that an ended order has not noticed are found, and an order that is reopened without them', () => {
  const more = { received_zat: 100_000_005n, invoice_received: 100_000_005n }
  assert.deepEqual(judge([ORDER, DETECTED, DUE, COMPLETED, { ...COMPLETED, ...more }]).broken, [
    'no deposit of an ended order is forgotten',
  ])
  assert.deepEqual(judge([ORDER, { ...ORDER, status: 'expired', invoice_status: 'expired', ...more }]).broken, [
    'no deposit of an ended order is forgotten',
  ])
  const reopened = { ...COMPLETED, status: 'needs_attention' }
  assert.deepEqual(judge([ORDER, DETECTED, DUE, COMPLETED, { ...reopened, ...more }]).broken, [])
  assert.deepEqual(judge([ORDER, DETECTED, DUE, COMPLETED, reopened]).broken, ['only more coins reopen a closed order'])
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

test('each price of the simulated source tells its age', async () => {
  const { world } = createFakeWorld()
  const rates = new RateServer(world.scheduler, new Draw(1))
  const prices = [(await rates.price('USD')).price, (await rates.price('EUR')).price]
  assert.equal(new Set(prices).size, 2)
  assert.deepEqual(rates.given(prices[1]!), { currency: 'EUR', trueMs: world.scheduler.nowMs })
  assert.equal(rates.given('400'), null)
  rates.down = true
  await assert.rejects(() => rates.price('USD'))
})
