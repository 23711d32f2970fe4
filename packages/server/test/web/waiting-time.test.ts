import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../src/ports/repository/invoice.ts'
import { checkoutPage } from '../../src/web/pages/checkout.ts'
import { viewingKeyPage } from '../../src/web/pages/viewing-key.ts'

const VIEWER = { email: 'shop@example.org', sandbox: false }

function detected(confirmations: number): Invoice {
  return {
    publicId: '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a',
    address: 'u1qqq',
    amountZat: 1n,
    receivedZat: 1n,
    status: 'detected',
    confirmations,
  } as Invoice
}

test('the buyer’s page says how long the confirmations take at the present block spacing', () => {
  const said = (confirmations: number, spacingSecs: number) =>
    String(checkoutPage({ invoice: detected(confirmations), further: false, spacingSecs }))
  assert.match(said(3, 75), /usually in about 4 minutes/)
  assert.match(said(3, 25), /usually in about 75 seconds/)
  assert.match(said(10, 25), /usually in about 4 minutes/)
  assert.match(said(0, 25), /usually at once/)
  assert.doesNotMatch(said(3, 25), /few minutes/)
})

test('the setting of the confirmations says how long they take now', () => {
  const said = (confirmations: number, spacingSecs: number) =>
    String(
      viewingKeyPage(VIEWER, {
        network: 'main',
        confirmations,
        firstAddress: null,
        demoKey: null,
        nextStep: false,
        spacingSecs,
      }),
    )
  assert.match(said(3, 75), /A block comes about every 75 seconds, so 3 take about 4 minutes/)
  assert.match(said(3, 25), /A block comes about every 25 seconds, so 3 take about 75 seconds/)
  assert.match(said(1, 25), /so 1 takes about 25 seconds/)
  assert.match(said(0, 25), /A block comes about every 25 seconds\./)
})
