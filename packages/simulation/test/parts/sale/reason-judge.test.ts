import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InvoiceRow } from '../../../src/parts/sale/ledger.ts'
import { ReasonJudge } from '../../../src/parts/sale/reason-judge.ts'
import { createFakeWorld } from '../fake-world.ts'
import { INVOICE } from './laboratory.ts'

const ID = '01234567-89ab-4000-8000-000000000000'
const RULE = 'a status has the reason that is logged'

/** The rules that a logged reason breaks after a commit with this row. */
function broken(row: Partial<InvoiceRow>, because: string, { useCases = 1, syncedThrough = 0n } = {}): string[] {
  const { world, tables, broken } = createFakeWorld()
  Object.assign(world, { useCases })
  tables['FROM watchers'] = [{ least: syncedThrough }]
  const judge = new ReasonJudge(world)
  const invoice = { ...INVOICE, public_id: ID, ...row }
  judge.noteChange(invoice)
  judge.noteLog({ invoice: '01234567', status: invoice.status, because }, 'the status of an invoice changed')
  return broken
}

const PAID = { status: 'paid', received_zat: 100n }
const CASES: readonly [row: Partial<InvoiceRow>, right: string, wrong: string][] = [
  [PAID, 'confirmed', 'within_tolerance'],
  [{ ...PAID, received_zat: 99n }, 'within_tolerance', 'confirmed'],
  [{ status: 'detected' }, 'unconfirmed', 'before_expiry'],
  [{ status: 'expired' }, 'expired', 'canceled'],
  [{ status: 'expired', canceled_at: 1n }, 'canceled', 'expired'],
  [{ status: 'pending' }, 'before_expiry', 'swap_keeps_open'],
]
for (const [row, right, wrong] of CASES)
  test(`of an invoice that is ${row.status}, ${right} is the reason, and ${wrong} is not`, () => {
    assert.deepEqual(broken(row, right), [])
    assert.deepEqual(broken(row, wrong), [RULE])
  })

test('past its expiry, an invoice is pending for its swap or a dropped payment', () => {
  const past = { syncedThrough: INVOICE.expires_at }
  const isOpenFor = (row: Partial<InvoiceRow>, because: string) =>
    broken({ status: 'pending', ...row }, because, past).length === 0
  assert.ok(isOpenFor({ kept_open: 1n }, 'swap_keeps_open'))
  assert.ok(!isOpenFor({ kept_open: 1n }, 'dropped_payment_keeps_open'))
  assert.ok(isOpenFor({}, 'dropped_payment_keeps_open'))
  assert.ok(!isOpenFor({}, 'swap_keeps_open'))
})

test('a commit of several use cases may have removed the payments again', () => {
  assert.deepEqual(broken(PAID, 'payments_removed', { useCases: 2 }), [])
  assert.deepEqual(broken(PAID, 'payments_removed'), [RULE])
})
