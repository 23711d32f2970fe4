import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  conforms,
  conformsTo,
  conformsToEvent,
  greenfieldMissing,
  operationOf,
  RECORDINGS,
  readRecording,
} from '../harness/greenfield.ts'

const skip = greenfieldMissing

/** Recorded answers that are not as the document says, and why. */
const EXCEPTIONS: Readonly<Record<string, RegExp>> = {
  // The client sent one event as a text, which the stand-in echoed.
  'node-client 18': /specificEvents must be array/,
}

/** Version 1 of the store's payment methods, which the document no longer has. */
const OUTSIDE = ['prestashop 7', 'prestashop 8']

const JSON_TYPE = { 'content-type': 'application/json' }

test('the recorded answers conform', { skip }, () => {
  const outside: string[] = []
  for (const name of RECORDINGS)
    for (const { n, method, path, status, answer } of readRecording(name).requests) {
      const operation = operationOf(method, path.split('?')[0])
      if (operation === null) {
        outside.push(`${name} ${n}`)
        continue
      }
      const check = () =>
        conformsTo(operation, { status, headers: new Headers(answer ? JSON_TYPE : {}), text: answer ?? '' })
      const exception = EXCEPTIONS[`${name} ${n}`]
      if (exception) assert.throws(check, exception)
      else check()
    }
  assert.deepEqual(outside, OUTSIDE)
})

test('the recorded webhooks conform', { skip }, () => {
  const { examples } = readRecording('woocommerce').webhooks
  assert.ok(examples.length > 0)
  // One of the forged ones has the members of another type.
  for (const { step, body } of examples) if (!step.startsWith('forged')) conformsToEvent(body)
})

/** The recorded answer to an operation. */
function answerOf(operation: string): object {
  for (const { method, path, status, answer } of readRecording('php-library').requests)
    if (status === 200 && operationOf(method, path.split('?')[0]) === operation) return JSON.parse(answer)
  return assert.fail(`${operation} is not recorded`)
}

test('a broken answer does not conform', { skip }, () => {
  const invoice = answerOf('Invoices_GetInvoice')
  conforms('InvoiceData', invoice)
  for (const [change, expected] of [
    [{ amount: 25 }, /\/amount must be string/],
    [{ amount: '1e2' }, /\/amount must match format "decimal"/],
    [{ amount: null }, /\/amount must be string/],
    [{ createdTime: '1795632954' }, /\/createdTime must be number/],
    [{ createdTime: 1795632954.5 }, /\/createdTime must match format "int32"/],
    [{ status: 'Paid' }, /\/status must be equal to one of/],
    [{ archived: 'false' }, /\/archived must be boolean/],
    [{ received_zat: 5 }, /additional properties received_zat/],
    [{ checkout: { speedPolicy: 'Fast' } }, /\/checkout\/speedPolicy must be equal to one of/],
    [{ checkout: { fee: '1' } }, /\/checkout must NOT have additional properties fee/],
    [{ paymentMethods: [{ rate: 25 }] }, /\/paymentMethods\/0\/rate must be string/],
  ] as const)
    assert.throws(() => conforms('InvoiceData', { ...invoice, ...change }), expected)
  conforms('InvoiceData', { ...invoice, checkout: { speedPolicy: null, defaultPaymentMethod: null }, receipt: null })
  assert.throws(() => conforms('WebhookData', { id: '1', secret: 'kept' }), /additional properties secret/)
  conforms('WebhookDataCreateResult', { id: '1', secret: 'shown once' })
  const { body: event } = readRecording('woocommerce').webhooks.examples[0]
  assert.throws(() => conformsToEvent({ ...event, payment: { ...event.payment, value: 0.5 } }), /\/payment\/value/)
  assert.throws(() => conformsToEvent({ ...event, type: 'invoice.paid' }), /BTCPay has no event invoice.paid/)
})

test('an answer with another status, body or content type does not conform', { skip }, () => {
  const text = JSON.stringify(answerOf('Invoices_GetInvoice'))
  const headers = new Headers(JSON_TYPE)
  const bare = new Headers()
  const error = JSON.stringify({ code: 'invoice-not-found', message: 'The invoice was not found' })
  const fields = JSON.stringify([{ path: 'amount', message: 'must be positive' }])
  for (const answer of [
    { status: 200, headers, text },
    { status: 404, headers, text: error },
    { status: 422, headers, text: fields },
  ])
    conformsTo('Invoices_GetInvoice', answer)
  conformsTo('Invoices_ArchiveInvoice', { status: 200, headers: bare, text: '' })
  for (const [operation, answer] of [
    ['Invoices_GetInvoice', { status: 201, headers, text }],
    ['Invoices_GetInvoice', { status: 302, headers: bare, text: '' }],
    ['Invoices_GetInvoice', { status: 200, headers: bare, text }],
    ['Invoices_GetInvoice', { status: 404, headers, text: fields }],
    ['Invoices_GetInvoice', { status: 404, headers, text: '{"message":"no code"}' }],
    ['Invoices_GetInvoice', { status: 422, headers, text: error }],
    ['Invoices_GetInvoice', { status: 422, headers, text: '[]' }],
    ['Invoices_ArchiveInvoice', { status: 200, headers, text: '' }],
    ['Invoices_ArchiveInvoice', { status: 200, headers, text: '{}' }],
  ] as const)
    assert.throws(() => conformsTo(operation, answer), `${operation} ${answer.status} ${answer.text}`)
})
