import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCount, formatRest } from '../../../src/domain/count.ts'
import { dailyTotalChanges } from '../../../src/domain/sale/daily-total.ts'

const DAY = 86_400
const sale = (accountId: number, paidAt: number | null, receivedZat: bigint, purpose = 'sale') => ({
  ...{ accountId, paidAt, receivedZat, purpose },
})

test('an invoice counts on the day it was paid, with what it received then and later', () => {
  const paid = [sale(2, null, 5n), sale(2, DAY + 7, 9n)] as const
  const more = [sale(1, 3 * DAY, 9n), sale(1, 3 * DAY, 10n)] as const
  const less = [sale(1, 2 * DAY + 1, 9n), sale(1, 2 * DAY + 1, 0n)] as const
  const open = [sale(1, null, 0n), sale(1, null, 4n)] as const
  const plan = [sale(1, null, 0n, 'plan'), sale(1, DAY, 4n, 'plan')] as const
  const same = [sale(3, DAY, 4n), sale(3, DAY, 4n)] as const
  const changes = [paid, more, less, open, plan, same, paid].map(([before, after]) => ({ before, after }))
  assert.deepEqual(dailyTotalChanges(changes), [
    { accountId: 1, day: 2 * DAY, receivedZat: -9n, refundedZat: 0n, invoices: 0 },
    { accountId: 1, day: 3 * DAY, receivedZat: 1n, refundedZat: 0n, invoices: 0 },
    { accountId: 2, day: DAY, receivedZat: 18n, refundedZat: 0n, invoices: 2 },
  ])
})

test('a count that stopped is shown as such', () => {
  assert.deepEqual([formatCount(0), formatCount(1_000), formatCount(1_001)], ['0', '1,000', '1,000+'])
  assert.deepEqual(
    [formatRest(10, 10), formatRest(12, 10), formatRest(1_000, 10), formatRest(1_001, 10)],
    ['', 'and 2 more', 'and 990 more', 'and more'],
  )
})
