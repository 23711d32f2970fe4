import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderWords, planOfPrice, refundPlan } from '../../../src/domain/sale/greenfield-refund.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { zatFor } from '../../../src/domain/sale/price.ts'
import { invoiceWith } from '../../harness/invoice.ts'

const price = { amount: '25.00', currency: 'EUR' }
const rate = { currency: 'EUR', price: '333.33', sources: ['kraken'], fetched_at: 1 }
const amountZat = zatFor(price, rate)

/** Paid in full, unless said otherwise. */
const sale = (fields: Partial<Invoice> = {}) =>
  invoiceWith({ price, rate, amountZat, receivedZat: amountZat, status: 'paid', ...fields })

test('the whole price gives back the whole payment, to the zat', () => {
  for (const plan of [planOfPrice(sale(), price), refundPlan(sale(), 'Fiat', null, 0)])
    assert.equal('converted' in plan && plan.converted.amountZat, amountZat)
})

test('an overpaid invoice gives back what it asked for, and the rest as what is overpaid', () => {
  const over = sale({ receivedZat: amountZat + 7n, overpaidZat: 7n })
  const zatOf = (variant: 'Fiat' | 'RateThen' | 'OverpaidAmount') => {
    const plan = refundPlan(over, variant, null, 0)
    return 'converted' in plan ? plan.converted.amountZat : null
  }
  assert.deepEqual([zatOf('Fiat'), zatOf('RateThen'), zatOf('OverpaidAmount')], [amountZat, amountZat, 7n])
})

test("only today's rate and other currencies are converted later", () => {
  assert.deepEqual(refundPlan(sale(), 'CurrentRate', null, 0), { price: { amount: '25', currency: 'EUR' } })
  const dollars = { amount: '5', currency: 'USD' }
  assert.deepEqual(refundPlan(sale(), 'Custom', dollars, 0), { price: dollars })
  assert.deepEqual(refundPlan(sale(), 'Custom', dollars, 12.5), { price: { amount: '4.375', currency: 'USD' } })
})

test('a part of the price is a part of the payment, and never more', () => {
  const plan = planOfPrice(sale(), { amount: '24.99', currency: 'eur' })
  assert.ok('converted' in plan && plan.converted.amountZat < amountZat)
})

test('the words of a name may be orders, with and without the signs around them, up to the reason', () => {
  assert.deepEqual(orderWords('Refund of order #15; for 16'), ['Refund', 'of', 'order', '#15', '15'])
  assert.deepEqual(orderWords('Bestellung (A-7).'), ['Bestellung', '(A-7).', 'A-7'])
  assert.deepEqual(orderWords(''), [])
  assert.equal(orderWords('a b '.repeat(50) + [...Array(99).keys()].join(' ')).length, 20)
})
