import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Fields } from '../../src/domain/field.ts'
import { fieldSchema, requestMembers } from '../../src/http/schema.ts'

const FIELDS = {
  amountZat: { column: 'amount_zat', type: 'zat', request: { minimum: 1 }, wire: 'amount_zat', meaning: 'Amount.' },
  orderId: {
    column: 'order_id',
    type: 'text',
    nullable: true,
    initial: null,
    optional: true,
    request: { maxLength: 3 },
    wire: 'order_id',
    meaning: 'Order.',
  },
  paidAt: { column: 'paid_at', type: 'time', nullable: true, initial: null, wire: 'paid_at', meaning: 'Time.' },
} as const satisfies Fields

test('a request may leave a field out, and keeps to its bounds', () => {
  const body = Compile(Type.Object(requestMembers(FIELDS), { additionalProperties: false }))
  const accepted = (value: unknown) => body.Check(value)
  assert.deepEqual([{}, { amount_zat: 1, order_id: 'abc' }].map(accepted), [true, true])
  const refused = [{ amount_zat: 0 }, { amount_zat: 1, order_id: 'abcd' }, { amount_zat: 1, paid_at: 1 }]
  assert.deepEqual(refused.map(accepted), [false, false, false])
})

test('a response shows null, except for a field that the request left out', () => {
  const members = Object.fromEntries(Object.values(FIELDS).map(field => [field.wire, fieldSchema(field)]))
  const body = Compile(Type.Object(members))
  assert.ok(body.Check({ amount_zat: 0, paid_at: null }))
  assert.ok(!body.Check({ amount_zat: 0, order_id: null, paid_at: null }))
  assert.ok(!body.Check({ amount_zat: 0, order_id: 'abc' }))
})
