import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invoiceEventBody, withoutTexts } from '../../../src/domain/notify/event.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { mayEraseTexts } from '../../../src/domain/sale/invoice-text.ts'
import { invoiceWith } from '../../harness/invoice.ts'

const END = 1_800_086_400
const CREATED = 1_800_000_000

const mayErase = (fields: Partial<Invoice>, before = CREATED + 1, now = END + 1) =>
  mayEraseTexts(invoiceWith(fields), before, now)

test('texts of a closed sale from before the time can be erased once its late window is over', () => {
  const closed: readonly Partial<Invoice>[] = [
    { status: 'expired' },
    { status: 'underpaid', receivedZat: 1n },
    { status: 'paid', receivedZat: 5_000n, paidAt: CREATED },
  ]
  for (const fields of closed) {
    assert.equal(mayErase(fields), true, fields.status)
    assert.equal(mayErase(fields, CREATED), false, `${fields.status}, created at the time`)
    assert.equal(mayErase(fields, CREATED + 1, END), false, `${fields.status}, still watched`)
  }
})

test('they stay while a payment may change the invoice, and those of the service itself stay', () => {
  const kept: readonly Partial<Invoice>[] = [
    { status: 'pending' },
    { status: 'detected', receivedZat: 5_000n },
    { status: 'expired', receivedZat: 5_000n },
    { status: 'expired', keptOpenBySwap: true },
    { status: 'expired', purpose: 'plan' },
  ]
  for (const fields of kept) assert.equal(mayErase(fields), false, JSON.stringify(fields.status))
})

test('an event loses description and metadata, and no other byte', () => {
  const sale = {
    orderId: 'a "description":"x" "metadata":{}',
    price: { amount: '25.00', currency: 'eur' },
    rate: { currency: 'EUR', price: '40.50', sources: ['kraken'], fetched_at: CREATED },
    amountZat: 2_100_000_000_000_000n,
    successUrl: 'https://shop.example/ok?a=\u2028',
  }
  const texts = { description: 'T-shirt "grün"', metadata: '{"description": 1, "n": 1e400, "metadata":{"a":[]}}' }
  const swap = { asset: 'USDC', blockchain: 'eth', amountInFormatted: '25.1', status: 'SUCCESS' }
  for (const withSwap of [null, swap]) {
    const plain = invoiceEventBody('invoice.paid', invoiceWith(sale), withSwap)
    assert.equal(withoutTexts(plain), plain)
    for (const some of [texts, { ...texts, metadata: null }, { ...texts, description: null }])
      assert.equal(withoutTexts(invoiceEventBody('invoice.paid', invoiceWith({ ...sale, ...some }), withSwap)), plain)
  }
})
