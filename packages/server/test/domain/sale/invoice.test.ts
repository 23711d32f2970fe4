import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from '../../../src/domain/raw-json.ts'
import {
  dueAmount,
  givenFields,
  INVOICE_FIELDS,
  isWithinTolerance,
  missingZat,
  overpaidAmount,
  remainingRequest,
  requiredZat,
  whyNotCancelable,
} from '../../../src/domain/sale/invoice.ts'
import { INVOICE_VIEWS, type InvoiceView, viewInvoice } from '../../../src/domain/sale/invoice-views.ts'
import { invoiceWith } from '../../harness/invoice.ts'

const ID = '0e4a1c9e-5d0f-4a39-9a3c-0d6c5e1f2a3b'
const INVOICE = invoiceWith({
  publicId: ID,
  address: 'u1address',
  amountZat: 2_100_000_000_000_000n,
  receivedZat: 5n,
  createdAt: 1_800_000_000,
  expiresAt: 1_800_000_900,
})
const AMOUNT = '"amount_zat":2100000000000000'
const URI = `"zip321_uri":"zcash:u1address?amount=21000000&memo=${Buffer.from(ID).toString('base64url')}"`

const VIEWS: Readonly<Record<InvoiceView, string>> = {
  created: `{"id":"${ID}","address":"u1address",${AMOUNT},${URI},"status":"pending","expires_at":1800000900}`,
  public:
    `{"id":"${ID}","status":"pending",${AMOUNT},"address":"u1address",${URI},"expires_at":1800000900,` +
    '"txid":null,"received_zat":5,"overpaid_zat":0}',
  merchant:
    `{"id":"${ID}","status":"pending",${AMOUNT},"address":"u1address",${URI},"expires_at":1800000900,` +
    '"txid":null,"received_zat":5,"overpaid_zat":0,"created_at":1800000000,"paid_at":null}',
  list:
    `{"id":"${ID}","status":"pending",${AMOUNT},"received_zat":5,"overpaid_zat":0,"address":"u1address","txid":null,` +
    '"created_at":1800000000,"expires_at":1800000900,"paid_at":null}',
  event: `{"status":"pending",${AMOUNT},"received_zat":5,"overpaid_zat":0,"txid":null}`,
}

for (const [view, body] of Object.entries(VIEWS))
  test(`the ${view} view of an invoice, byte for byte`, () => {
    assert.equal(JSON.stringify(viewInvoice(view as InvoiceView, INVOICE)), body)
  })

const PUBLIC_SALE = { order_id: '1001', description: 'T-shirt', price: { amount: '25.00', currency: 'eur' } }
const RATE = { currency: 'EUR', price: '40.5', sources: ['coinbase', 'kraken'], fetched_at: 1_800_000_000 }
const SALE = {
  orderId: '1001',
  description: 'T-shirt',
  price: PUBLIC_SALE.price,
  rate: RATE,
  toleranceBps: 50,
  ownConfirmations: 1,
  successUrl: 'https://shop.example/{order_id}',
  cancelUrl: 'https://shop.example/cart',
  autoRedirect: true,
  locale: 'de',
  metadata: '{"b": 1.0, "a": 9007199254740993, "a": 2}',
}

test('what a sale has follows the other members; a buyer sees its order, description and price alone', () => {
  const sale = { ...INVOICE, ...SALE }
  const shown = Object.keys(VIEWS).map(view => [view, stringify(viewInvoice(view as InvoiceView, sale))] as const)
  const merchant =
    `"rate":${JSON.stringify(RATE)},"tolerance_bps":50,"confirmations":1,"success_url":"${SALE.successUrl}",` +
    `"cancel_url":"${SALE.cancelUrl}","auto_redirect":true,"locale":"de","metadata":${SALE.metadata}}`
  for (const [view, body] of shown) {
    if (view === 'public') assert.ok(body.endsWith(`,${JSON.stringify(PUBLIC_SALE).slice(1)}`), body)
    else assert.ok(body.endsWith(merchant), body)
    assert.ok(body.includes('"price":{"amount":"25.00","currency":"eur"}'), body)
  }
})

test("a buyer sees no member that is the merchant's", () => {
  const ofMerchant = [
    ...['rate', 'open_amount', 'min_amount_zat', 'tolerance_bps', 'confirmations', 'success_url', 'cancel_url'],
    ...['auto_redirect', 'locale', 'webhook_url', 'canceled_at', 'marked_as', 'marked_at', 'metadata', 'link_id'],
    ...['created_at', 'paid_at'],
  ]
  const views: Readonly<Record<InvoiceView, readonly string[]>> = INVOICE_VIEWS
  for (const name of ofMerchant) {
    assert.ok(views.merchant.includes(name), name)
    assert.ok(!views.public.includes(name), name)
  }
})

test('the amount of an open invoice is what arrived; its payment request has none, and nothing is overpaid', () => {
  const open = { ...INVOICE, amountZat: 3n, openAmount: true, minAmountZat: 3n, receivedZat: 5n }
  const { amount_zat, zip321_uri } = viewInvoice('public', open)
  assert.deepEqual([amount_zat, zip321_uri], [5, URI.slice(14, -1).replace('amount=21000000&', '')])
  assert.equal(overpaidAmount(open, 5n), 0n)
  assert.deepEqual([dueAmount(open, 2n), dueAmount(open, 3n)], [1n, 0n])
})

test('a part payment leaves a request for the rest; a paid and an open invoice have their own', () => {
  const amountOf = (fields: Parameters<typeof invoiceWith>[0]) =>
    new URL(remainingRequest(invoiceWith({ amountZat: 2_000_000n, ...fields }))).searchParams.get('amount')
  assert.equal(amountOf({ receivedZat: 1_990_000n }), '0.0001')
  assert.equal(amountOf({ receivedZat: 2_000_000n }), '0.02')
  assert.equal(amountOf({ openAmount: true }), null)
})

test('the table has each column once', () => {
  const columns = Object.values(INVOICE_FIELDS).map(({ column }) => column)
  assert.equal(new Set(columns).size, columns.length)
})

test('the fields that a request gives are those that are not null', () => {
  assert.deepEqual(givenFields({ ...INVOICE, orderId: '1001' }), { orderId: '1001' })
})

const PLAIN = { openAmount: null, toleranceBps: null }

test('the amount left to pay is never negative', () => {
  const left = [0n, 99n, 100n, 101n].map(received => dueAmount({ ...PLAIN, amountZat: 100n }, received))
  assert.deepEqual(left, [100n, 1n, 0n, 0n])
})

test('a tolerance is rounded down, is no part of what is left to pay, and never makes an invoice paid by nothing', () => {
  const terms = (toleranceBps: number, amountZat = 1_999n) => ({ ...PLAIN, amountZat, toleranceBps })
  assert.deepEqual(
    [0, 1, 10, 5_000, 10_000].map(bps => requiredZat(terms(bps))),
    [1_999n, 1_999n, 1_998n, 1_000n, 1n],
  )
  assert.equal(requiredZat(terms(9_999, 1n)), 1n)
  assert.deepEqual([dueAmount(terms(10), 1_997n), dueAmount(terms(10), 1_998n)], [2n, 0n])
  assert.deepEqual(
    [1_997n, 1_998n, 1_999n].map(sum => isWithinTolerance(terms(10), sum)),
    [false, true, false],
  )
  assert.deepEqual(
    [1_999n, 2_000n].map(sum => overpaidAmount(terms(10), sum)),
    [0n, 1n],
  )
})

test('something is missing while late money counts, unless the invoice is paid, canceled or marked', () => {
  const late = { status: 'underpaid', dueZat: 4n, watchUntil: 100, canceledAt: null, markedAs: null } as const
  assert.equal(missingZat(late, 100), 4n)
  assert.equal(missingZat(late, 101), null)
  assert.equal(missingZat({ ...late, dueZat: 0n }, 100), null)
  assert.equal(missingZat({ ...late, status: 'paid' }, 100), null, 'a reorganisation asks the buyer for nothing')
  assert.equal(missingZat({ ...late, canceledAt: 50 }, 100), null)
  assert.equal(missingZat({ ...late, markedAs: 'settled' }, 100), null, 'the merchant counts it as paid')
})

test('an invoice is canceled only before any money has arrived or may be on its way', () => {
  const pending = { status: 'pending', receivedZat: 0n, keptOpenBySwap: false } as const
  assert.equal(whyNotCancelable(pending), null)
  assert.match(whyNotCancelable({ ...pending, receivedZat: 1n }) ?? '', /payment/)
  assert.match(whyNotCancelable({ ...pending, keptOpenBySwap: true }) ?? '', /swap/)
  for (const status of ['detected', 'paid', 'underpaid', 'expired'] as const)
    assert.match(whyNotCancelable({ ...pending, status }) ?? '', new RegExp(status))
})
