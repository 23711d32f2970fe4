import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  dueAmount,
  givenFields,
  INVOICE_FIELDS,
  type InvoiceView,
  parseGiven,
  viewInvoice,
} from '../../../src/domain/sale/invoice.ts'
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
  list:
    `{"id":"${ID}","status":"pending",${AMOUNT},"received_zat":5,"overpaid_zat":0,"address":"u1address","txid":null,` +
    '"created_at":1800000000,"expires_at":1800000900,"paid_at":null}',
  event: `{"status":"pending",${AMOUNT},"received_zat":5,"overpaid_zat":0,"txid":null}`,
}

for (const [view, body] of Object.entries(VIEWS))
  test(`the ${view} view of an invoice, byte for byte`, () => {
    assert.equal(JSON.stringify(viewInvoice(view as InvoiceView, INVOICE)), body)
  })

for (const [view, body] of Object.entries(VIEWS))
  test(`the ${view} view of an invoice with an order, whose members follow the others`, () => {
    const ordered = { ...INVOICE, orderId: '1001', description: 'T-shirt' }
    const members = ',"order_id":"1001","description":"T-shirt"}'
    assert.equal(JSON.stringify(viewInvoice(view as InvoiceView, ordered)), body.replace(/}$/, members))
  })

test('the table has each column once', () => {
  const columns = Object.values(INVOICE_FIELDS).map(({ column }) => column)
  assert.equal(new Set(columns).size, columns.length)
})

test('a request gives its fields, and nothing else', () => {
  const given = parseGiven({ amount_zat: 2_100_000_000_000_000, expires_in_secs: 60 })
  assert.deepEqual(given, { amountZat: 2_100_000_000_000_000n })
  assert.deepEqual(givenFields(INVOICE), given)
})

test('the amount left to pay is never negative', () => {
  const left = [0n, 99n, 100n, 101n].map(received => dueAmount({ amountZat: 100n }, received))
  assert.deepEqual(left, [100n, 1n, 0n, 0n])
})
