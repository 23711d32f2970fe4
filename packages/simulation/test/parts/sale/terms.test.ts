import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InvoiceRow } from '../../../src/parts/sale/ledger.ts'
import { requestOf, withMore } from '../../../src/parts/sale/terms.ts'
import { checkCanceled, checkStoredTerms, isEnough, restOf } from '../../../src/parts/sale/terms-judge.ts'
import { createFakeWorld } from '../fake-world.ts'
import { createJudge, eventOf, INVOICE, PAYMENT, ROW } from './laboratory.ts'

const TERMS = 'the terms of an invoice never change'

test('a tolerance is rounded down, and nothing never pays', () => {
  const of = (amount: bigint, bps: bigint | null) => ({ ...INVOICE, amount_zat: amount, tolerance_bps: bps })
  assert.deepEqual(
    [99n, 100n].map(sum => isEnough(of(100n, null), sum)),
    [false, true],
  )
  assert.deepEqual(
    [9_949n, 9_950n].map(sum => isEnough(of(9_999n, 50n), sum)),
    [false, true],
  )
  assert.deepEqual(
    [0n, 1n].map(sum => isEnough(of(100n, 10_000n), sum)),
    [false, true],
  )
  assert.deepEqual(restOf(of(100n, 100n), 98n), { due: 2n, excess: 0n })
  assert.deepEqual(restOf(of(100n, 100n), 99n), { due: 0n, excess: 0n })
  assert.deepEqual(restOf(of(100n, null), 130n), { due: 0n, excess: 30n })
  assert.deepEqual(restOf({ ...of(100n, null), open_amount: 1n }, 130n), { due: 0n, excess: 0n })
})

/** The rules that an invoice breaks after the row before. */
function brokenBy(invoice: InvoiceRow, before?: InvoiceRow, leaving: bigint | null = null): string[] {
  const { world, broken, tables } = createFakeWorld()
  tables['FROM accounts'] = [{ at: leaving }]
  checkStoredTerms(world, before, invoice)
  checkCanceled(world, before, invoice)
  return broken
}

test('an amount that is one zat off its price is found, in any currency', () => {
  const priced = (amount: string, currency: string, rate: string | null, zat: bigint) =>
    brokenBy({
      ...INVOICE,
      amount_zat: zat,
      price: JSON.stringify({ amount, currency }),
      rate: rate && JSON.stringify({ price: rate }),
    })
  for (const [amount, currency, rate, zat] of [
    ['25.00', 'eur', '400.0000001', 6_249_999n + 1n],
    ['0.01', 'USD', '3', 333_334n],
    ['650000', 'SATS', '0.0065', 100_000_000n],
    ['0.000000001', 'ZEC', null, 1n],
    ['0.5', 'ZEC', null, 50_000_000n],
  ] as const) {
    assert.deepEqual(priced(amount, currency, rate, zat), [])
    for (const wrong of [zat - 1n, zat + 1n])
      assert.deepEqual(priced(amount, currency, rate, wrong), ['a price is rounded up to the zat'])
  }
})

test('a change of the terms is found, except that metadata go with their account', () => {
  const before = { ...INVOICE, price: '{"amount":"1","currency":"ZEC"}', metadata: '{"a": 1.0}' }
  assert.deepEqual(brokenBy(before, before), [])
  for (const change of [
    { amount_zat: 101n },
    { address: 'another' },
    { price: null },
    { rate: '{}' },
    { tolerance_bps: 1n },
  ])
    assert.deepEqual(brokenBy({ ...before, ...change }, before), [TERMS])
  assert.deepEqual(brokenBy({ ...before, metadata: '{"a":1}' }, before), [TERMS])
  assert.deepEqual(brokenBy({ ...before, metadata: null }, before), [TERMS])
  assert.deepEqual(brokenBy({ ...before, metadata: null }, before, 7n), [])
  assert.deepEqual(brokenBy({ ...INVOICE, own_confirmations: 2n }), ['an invoice has the terms of its request'])
})

test('a canceled invoice that is open, had money, or is canceled no more is found', () => {
  const canceled = { ...INVOICE, status: 'expired', canceled_at: 5n }
  assert.deepEqual(brokenBy(canceled, INVOICE), [])
  assert.deepEqual(brokenBy({ ...canceled, status: 'underpaid', received_zat: 1n }, canceled), [])
  assert.deepEqual(brokenBy({ ...canceled, status: 'pending' }, INVOICE), ['a canceled invoice is closed'])
  assert.deepEqual(brokenBy(INVOICE, canceled), ['a canceled invoice is closed'])
  const unlawful = ['only an invoice without money is canceled']
  assert.deepEqual(brokenBy({ ...canceled, received_zat: 1n }, INVOICE), unlawful)
  assert.deepEqual(brokenBy({ ...canceled, kept_open: 1n }, INVOICE), unlawful)
  assert.deepEqual(brokenBy(canceled, { ...INVOICE, status: 'expired' }), unlawful)
})

test('a canceled invoice closes before its time, and a payment that still comes counts', async () => {
  const { commit, show, mine } = createJudge()
  commit({ invoices: [INVOICE] })
  const canceled = { ...INVOICE, status: 'expired', canceled_at: INVOICE.created_at }
  assert.deepEqual(commit({ invoices: [canceled] }), [])
  await show(PAYMENT)
  const seen = { ...canceled, received_zat: 100n, due_zat: 0n }
  assert.deepEqual(commit({ invoices: [seen], payments: [ROW] }), [])
  const mined = { ...ROW, location: 'mined', height: await mine() } as const
  const paid = { ...seen, status: 'paid' }
  assert.deepEqual(commit({ invoices: [paid], payments: [mined] }), [])
})

test('an event whose metadata are other bytes is found', async () => {
  const { commit, show } = createJudge()
  const invoice = { ...INVOICE, metadata: '{"a": 1.0}' }
  commit({ invoices: [invoice] })
  await show(PAYMENT)
  const seen = { ...invoice, status: 'detected', received_zat: 100n, due_zat: 0n }
  const received = eventOf(2n, 'invoice.payment_received', seen)
  const event = eventOf(3n, 'invoice.detected', seen)
  const withText = (text: string) => ({ ...event, body: event.body.replace('{', `{"metadata":${text},`) })
  assert.deepEqual(commit({ invoices: [seen], payments: [ROW], events: [received, withText('{"a":1}')] }), [
    'metadata comes back byte for byte',
    'metadata comes back byte for byte',
  ])
})

test('a request is read from its body: the price and the metadata as they are written', () => {
  const terms = { price: { amount: '25.00', currency: 'eur', isNumber: true }, metadata: '{ "b":1, "b": 1.0 }' }
  assert.deepEqual(requestOf(terms), { price: { amount: '25.00', currency: 'eur' }, metadata: terms.metadata })
  assert.deepEqual(requestOf(withMore(terms)).price, { amount: '25.001', currency: 'eur' })
  assert.deepEqual(requestOf({ minAmountZat: 5n }), { openAmount: true, minAmountZat: 5n })
  assert.deepEqual(requestOf(withMore({ amountZat: 5n, toleranceBps: 0, confirmations: 2 })), {
    amountZat: 6n,
    toleranceBps: 0,
    ownConfirmations: 2,
  })
})
