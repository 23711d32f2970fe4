import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDailyTotals } from '../../../src/parts/sale/totals-judge.ts'
import { createFakeWorld } from '../fake-world.ts'

const TOTAL = { account_id: 1n, day: 86_400n, received_zat: 500n, invoices: 2n }

test('totals of a day that differ from its paid sales are found, and so are those without any', () => {
  const { world, broken, tables } = createFakeWorld()
  const check = (kept: readonly object[], counted: readonly object[]) => {
    broken.length = 0
    tables['FROM daily_totals'] = kept
    tables["purpose = 'sale'"] = counted
    checkDailyTotals(world)
    return broken.length
  }
  assert.equal(check([], []), 0)
  assert.equal(check([TOTAL], [TOTAL]), 0)
  assert.equal(check([TOTAL], []), 1)
  assert.equal(check([], [TOTAL]), 1)
  for (const change of [{ received_zat: 499n }, { invoices: 1n }, { day: 0n }, { account_id: 2n }])
    assert.equal(check([{ ...TOTAL, ...change }], [TOTAL]), 1)
})
