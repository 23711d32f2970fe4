import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { WithdrawalOrder, WithdrawalStatus, WithdrawalStep } from '../../../src/domain/payout/withdrawal.ts'
import {
  attentionReason,
  depositCutoff,
  fiatAmount,
  IllegalStepError,
  maskPayoutTo,
  statusAfter,
  WITHDRAWAL_STATUSES,
} from '../../../src/domain/payout/withdrawal.ts'

const order = (status: WithdrawalStatus): WithdrawalOrder => ({
  status,
  amountZat: 100n,
  receivedZat: 0n,
  receivedAtCloseZat: null,
})
const deposit = (receivedZat: bigint, confirmed = false, closed = false, late = false) => {
  return { step: 'deposit', receivedZat, confirmed, closed, late } as const
}

test('an order goes from its deposit to the payout', () => {
  assert.equal(statusAfter(order('awaiting_deposit'), deposit(100n)), 'deposit_detected')
  assert.equal(statusAfter(order('deposit_detected'), deposit(100n, true)), 'payout_processing')
  assert.equal(statusAfter(order('payout_processing'), { step: 'settle' }), 'completed')
})

test('a deposit that is too small at the end, too large, or late needs attention', () => {
  assert.equal(statusAfter(order('awaiting_deposit'), deposit(99n)), 'awaiting_deposit')
  assert.equal(statusAfter(order('awaiting_deposit'), deposit(99n, true, true)), 'needs_attention')
  assert.equal(statusAfter(order('awaiting_deposit'), deposit(101n)), 'needs_attention')
  assert.equal(statusAfter(order('expired'), deposit(100n, true, true)), 'needs_attention')
  assert.equal(statusAfter(order('canceled'), deposit(1n)), 'needs_attention')
  assert.equal(statusAfter(order('payout_processing'), deposit(200n, true)), 'needs_attention')
  assert.equal(statusAfter(order('payout_processing'), deposit(100n, true)), 'payout_processing')
  assert.equal(statusAfter(order('payout_processing'), deposit(100n, false)), 'needs_attention')
  assert.equal(statusAfter(order('completed'), deposit(200n, true)), 'needs_attention')
})

test('an order that needs attention says why', () => {
  const reason = (status: WithdrawalStatus, step: ReturnType<typeof deposit>) => attentionReason(order(status), step)
  assert.equal(reason('awaiting_deposit', deposit(101n)), '0.00000101 ZEC arrived, the order is for 0.000001 ZEC')
  assert.equal(
    reason('awaiting_deposit', deposit(99n, true, true)),
    '0.00000099 ZEC arrived before its end, the order is for 0.000001 ZEC',
  )
  assert.equal(reason('canceled', deposit(1n)), '0.00000001 ZEC arrived after the order was canceled')
  assert.equal(
    reason('completed', deposit(200n, true)),
    '0.000002 ZEC arrived in all, more than when the order was closed',
  )
  assert.equal(
    reason('payout_processing', deposit(100n, false)),
    'the deposit is not confirmed: a reorganisation may have removed it',
  )
})

test('a late deposit needs attention once it is confirmed; an order in or after its payout does not change', () => {
  const late = (receivedZat: bigint, confirmed: boolean) => deposit(receivedZat, confirmed, false, true)
  assert.equal(statusAfter(order('awaiting_deposit'), late(100n, true)), 'needs_attention')
  assert.equal(statusAfter(order('deposit_detected'), late(100n, true)), 'needs_attention')
  assert.equal(statusAfter(order('deposit_detected'), late(100n, false)), 'deposit_detected')
  assert.equal(statusAfter(order('deposit_detected'), late(40n, false)), 'awaiting_deposit')
  for (const status of ['payout_processing', 'completed', 'failed', 'needs_attention'] as const)
    assert.equal(statusAfter(order(status), late(100n, true)), status)
})

test('a deposit is in time up to ten block spacings after the order’s expiry', () => {
  assert.equal(depositCutoff(1_000, 75), 1_750)
  assert.equal(depositCutoff(1_000, 25), 1_250)
})

test('a closed order needs attention only when more is received than at its closing', () => {
  const closed: WithdrawalOrder = { ...order('completed'), receivedAtCloseZat: 150n }
  assert.equal(statusAfter(closed, deposit(150n, true)), 'completed')
  assert.equal(statusAfter(closed, deposit(151n, true)), 'needs_attention')
})

test('an order without a deposit expires at its end, and a vanished deposit returns it to waiting', () => {
  assert.equal(statusAfter(order('awaiting_deposit'), deposit(0n, false, true)), 'expired')
  assert.equal(statusAfter(order('deposit_detected'), deposit(0n)), 'awaiting_deposit')
})

test('cancel is allowed only before a deposit, settle and fail only after one', () => {
  for (const status of WITHDRAWAL_STATUSES) {
    const allowed = (step: WithdrawalStep['step'], statuses: WithdrawalStatus[]) => {
      const move = () => statusAfter(order(status), { step } as WithdrawalStep)
      if (statuses.includes(status)) assert.doesNotThrow(move)
      else assert.throws(move, IllegalStepError, `${status} ${step}`)
    }
    allowed('cancel', ['awaiting_deposit'])
    allowed('settle', ['payout_processing', 'needs_attention'])
    allowed('fail', ['payout_processing', 'needs_attention'])
  }
})

test('in any order of steps, refused steps change nothing, only settle and fail close a paid order, and no deposit is overlooked', () => {
  const zat = fc.bigInt(0n, 200n)
  const facts = fc.record({
    step: fc.constant('deposit' as const),
    receivedZat: fc.oneof(zat, fc.constant(100n)),
    confirmed: fc.boolean(),
    closed: fc.boolean(),
    late: fc.boolean(),
  })
  const words = fc.constantFrom<WithdrawalStep>({ step: 'cancel' }, { step: 'settle' }, { step: 'fail' })
  fc.assert(
    fc.property(fc.array(fc.oneof(facts, words), { maxLength: 25 }), path => {
      let now = order('awaiting_deposit')
      for (const step of path) {
        const before = now
        if (step.step === 'deposit') now = { ...now, receivedZat: step.receivedZat }
        try {
          now = { ...now, status: statusAfter(now, step) }
        } catch (error) {
          assert.ok(error instanceof IllegalStepError && step.step !== 'deposit')
          assert.deepEqual(now, before)
          continue
        }
        if (step.step === 'settle' || step.step === 'fail') now = { ...now, receivedAtCloseZat: now.receivedZat }
        const moved = now.status !== before.status
        if (moved && now.status === 'completed') assert.equal(step.step, 'settle')
        if (moved && now.status === 'failed') assert.equal(step.step, 'fail')
        if (moved && now.status === 'canceled') assert.equal(step.step, 'cancel')
        if (now.status === 'canceled' || now.status === 'expired') assert.equal(now.receivedZat, 0n)
        if (now.status === 'completed' || now.status === 'failed')
          assert.ok(now.receivedZat <= (now.receivedAtCloseZat ?? -1n))
        if (now.status === 'payout_processing') assert.equal(now.receivedZat, now.amountZat)
        if (moved && now.status === 'payout_processing') assert.ok(step.step === 'deposit' && !step.late)
        if (before.status === 'needs_attention' && moved) assert.notEqual(step.step, 'deposit')
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the payout amount is exact, less the spread, rounded down', () => {
  assert.equal(fiatAmount(100_000_000n, '123.456789', 0, 2), '123.45')
  assert.equal(fiatAmount(100_000_000n, '100', 150, 2), '98.50')
  assert.equal(fiatAmount(1n, '100', 0, 2), '0.00')
  assert.equal(fiatAmount(2_100_000_000_000_000n, '1000.01', 0, 2), '21000210000.00')
  assert.equal(fiatAmount(50_000_000n, '15001', 0, 0), '7500')
})

test('a masked payout destination shows only its ends', () => {
  assert.equal(maskPayoutTo('DE89370400440532013000'), 'DE••••3000')
  assert.equal(maskPayoutTo('short'), '••••')
})
