import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  CODE_BUDGETS,
  CODE_REQUEST_RETENTION_SECS,
  grant,
  isSpent,
  requestBudgets,
  widerNetworks,
  windowOf,
} from '../../../src/domain/account/code-budget.ts'

const summary = (isKnown: boolean) =>
  requestBudgets(isKnown).map(({ per, max, windowSecs }) => `${max} per ${per} in ${windowSecs} s`)

test('requests of unknown browsers are limited by email, client and network, those of known ones by browser and email', () => {
  assert.deepEqual(summary(false), [
    '10 per email in 3600 s',
    '20 per email in 86400 s',
    '100 per client in 3600 s',
    '200 per network56 in 3600 s',
    '400 per network48 in 3600 s',
  ])
  assert.deepEqual(summary(true), [
    '10 per browser in 3600 s',
    '20 per browser in 86400 s',
    '20 per email in 3600 s',
    '40 per email in 86400 s',
  ])
})

test('strangers have at most 100 guesses a day for one email', () => {
  assert.equal(CODE_BUDGETS.email_day.max * CODE_BUDGETS.attempts.max, 100)
})

test('requests are stored as long as a budget counts them', () => {
  for (const { windowSecs } of Object.values(CODE_BUDGETS)) assert.ok(windowSecs <= CODE_REQUEST_RETENTION_SECS)
})

test('a budget grants no more than it has, and is reported once, when its last is taken', () => {
  const budget = { ...CODE_BUDGETS.account, max: 10 }
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 12 }), counts => {
      let used = 0
      let reports = 0
      for (const count of counts) {
        const wasSpent = isSpent(budget, used)
        const { granted, isLast } = grant(budget, used, count)
        assert.equal(granted, Math.min(count, 10 - used))
        used += granted
        assert.equal(isLast, !wasSpent && isSpent(budget, used))
        if (isLast) reports += 1
      }
      assert.ok(used <= 10)
      assert.ok(reports <= 1)
    }),
  )
  assert.deepEqual(grant(budget, 12, 1), { granted: 0, isLast: false }, 'a lowered limit')
})

test('the window of a service-wide budget begins at full hours or days', () => {
  assert.deepEqual(windowOf(CODE_BUDGETS.requests, 7_201), { startsAt: 7_200, endsAt: 10_800 })
  assert.deepEqual(windowOf(CODE_BUDGETS.wrong_codes, 86_400), { startsAt: 86_400, endsAt: 172_800 })
})

test('an IPv6 client belongs to a /56 and a /48', () => {
  assert.deepEqual(widerNetworks('2001:db8:1:2ff/64'), { network56: '2001:db8:1:200/56', network48: '2001:db8:1/48' })
  assert.equal(widerNetworks('192.0.2.1'), null)
})
