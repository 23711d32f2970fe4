import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  confirmationsOf,
  greenfieldPayment,
  greenfieldState,
  invoiceAmount,
  invoiceRate,
  isPaymentMethod,
  markableStatuses,
  speedPolicyOf,
  valueInCurrency,
} from '../../../src/domain/sale/greenfield-invoice.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { invoiceWith } from '../../harness/invoice.ts'

const stateOf = (fields: Partial<Invoice>) => {
  const { status, additionalStatus } = greenfieldState(invoiceWith(fields))
  return `${status} ${additionalStatus}`
}

test('each state has its name in BTCPay', () => {
  const states: readonly [Partial<Invoice>, string][] = [
    [{}, 'New None'],
    [{ receivedZat: 1n }, 'New PaidPartial'],
    [{ status: 'detected', receivedZat: 5_000n }, 'Processing None'],
    [{ status: 'detected', receivedZat: 5_001n, overpaidZat: 1n }, 'Processing PaidOver'],
    [{ status: 'paid', receivedZat: 5_000n }, 'Settled None'],
    [{ status: 'paid', receivedZat: 5_001n, overpaidZat: 1n }, 'Settled PaidOver'],
    [{ status: 'paid', receivedZat: 5_000n, lateAt: 9 }, 'Settled PaidLate'],
    [{ status: 'paid', receivedZat: 5_001n, overpaidZat: 1n, lateAt: 9 }, 'Settled PaidOver'],
    [{ status: 'underpaid', receivedZat: 1n }, 'Expired PaidPartial'],
    [{ status: 'expired' }, 'Expired None'],
    [{ status: 'expired', canceledAt: 9 }, 'Invalid Marked'],
    [{ status: 'underpaid', canceledAt: 9, receivedZat: 1n }, 'Invalid Marked'],
    [{ status: 'paid', canceledAt: 9, lateAt: 10, receivedZat: 5_000n }, 'Settled PaidLate'],
  ]
  for (const [fields, state] of states) assert.equal(stateOf(fields), state)
})

test('late money that is not confirmed is never shown as paid', () => {
  assert.equal(stateOf({ status: 'expired', receivedZat: 5_000n, lateAt: 9 }), 'Expired PaidPartial')
})

test('what the merchant said comes first, except that a payment on the chain is no statement', () => {
  assert.equal(stateOf({ markedAs: 'settled' }), 'Settled Marked')
  assert.equal(stateOf({ markedAs: 'settled', status: 'expired' }), 'Settled Marked')
  assert.equal(stateOf({ markedAs: 'settled', status: 'paid', receivedZat: 5_000n }), 'Settled None')
  assert.equal(stateOf({ markedAs: 'invalid', status: 'paid', receivedZat: 5_000n }), 'Invalid Marked')
  assert.equal(stateOf({ markedAs: 'settled', canceledAt: 9, status: 'expired' }), 'Settled Marked')
})

test('an invoice is marked as what it is not', () => {
  const markable = (status: 'New' | 'Settled' | 'Invalid' | 'Expired') =>
    markableStatuses({ status, additionalStatus: 'None' }).join(' ')
  assert.deepEqual(
    ['New', 'Expired', 'Settled', 'Invalid'].map(status => markable(status as 'New')),
    ['Settled Invalid', 'Settled Invalid', 'Invalid', 'Settled'],
  )
})

const RATE = { currency: 'EUR', price: '333.333333333333', sources: ['kraken'], fetched_at: 1 }
const priced = (amount: string, currency: string, amountZat: bigint, price = RATE.price) =>
  invoiceWith({ price: { amount, currency }, rate: { ...RATE, price }, amountZat })

test('amounts are shown as they were given, and the whole amount is worth the whole price', () => {
  const invoice = priced('25.00', 'eur', 7_500_001n)
  assert.deepEqual([invoiceAmount(invoice), valueInCurrency(invoice, 7_500_001n)], ['25.00', '25'])
  assert.equal(valueInCurrency(invoice, 3_000_000n), '10')
  assert.equal(valueInCurrency(invoice, 1n), '0')
  assert.equal(valueInCurrency(priced('500', 'JPY', 5n, '10000'), 12_345n), '1')
  assert.equal(valueInCurrency(invoiceWith(), 5_000n), '0.00005')
  assert.equal(invoiceAmount(invoiceWith({ openAmount: true })), '0')
})

test('the rate is that of 1 ZEC in the currency of the invoice', () => {
  assert.equal(invoiceRate(priced('1', 'EUR', 1n)), '333.333333333333')
  assert.equal(invoiceRate(priced('1', 'SATS', 1n, '0.005')), '500000')
  assert.equal(invoiceRate(invoiceWith()), '1')
})

test('the payment method is named in many ways, and no other is', () => {
  for (const name of ['ZEC', 'zec', 'ZEC-CHAIN', 'ZEC_CHAIN', 'zec-chain', 'ZEC-OnChain'])
    assert.ok(isPaymentMethod(name), name)
  for (const name of ['', 'BTC', 'ZEC-LN', 'ZECX', 'XZEC-CHAIN']) assert.ok(!isPaymentMethod(name), name)
})

test('a policy asks for at least the confirmations of the account', () => {
  assert.deepEqual([confirmationsOf('HighSpeed', 0), confirmationsOf('HighSpeed', 3)], [0, 3])
  assert.deepEqual([confirmationsOf('LowSpeed', 3), confirmationsOf('LowSpeed', 10)], [6, 10])
  assert.deepEqual([0, 1, 2, 5, 6, 100].map(speedPolicyOf), [
    'HighSpeed',
    'MediumSpeed',
    'LowMediumSpeed',
    'LowMediumSpeed',
    'LowSpeed',
    'LowSpeed',
  ])
})

test('a payment is settled with its confirmations, and invalid once it has left the chain for good', () => {
  const payment = {
    txid: 'ab'.repeat(32),
    pool: 'orchard',
    outputIndex: 1,
    valueZat: 5_000n,
    location: { at: 'mined', height: 8 },
    seq: 1,
    seenAt: 7,
    inSnapshot: false,
    expiryHeight: null,
    lastSeenHeight: 8,
  } as const
  const invoice = invoiceWith()
  const statusAt = (tip: number, fields: object = {}, of = invoice) =>
    greenfieldPayment({ ...payment, ...fields }, of, tip).status
  assert.deepEqual(greenfieldPayment(payment, invoice, 10), {
    id: `${payment.txid}-1`,
    receivedDate: 7,
    value: '0.00005',
    fee: '0',
    status: 'Settled',
    destination: invoice.address,
  })
  assert.equal(statusAt(9), 'Processing')
  assert.equal(statusAt(10, { awaitsWitness: true }), 'Processing')
  assert.equal(statusAt(10, { location: { at: 'dropped' } }), 'Invalid')
  const mempool = { location: { at: 'mempool' } }
  assert.equal(statusAt(10, mempool, invoiceWith({ status: 'paid' })), 'Processing')
  assert.equal(statusAt(10, mempool, invoiceWith({ status: 'detected', confirmations: 0 })), 'Processing')
  assert.equal(statusAt(10, mempool, invoiceWith({ status: 'paid', confirmations: 0 })), 'Settled')
  assert.notEqual(greenfieldPayment({ ...payment, pool: 'ironwood' }, invoice, 10).id, `${payment.txid}-1`)
})
