import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkoutLinks } from '../../src/web/components/sale/checkout-links.ts'
import { viewingKeyPage } from '../../src/web/pages/account/viewing-key.ts'
import { checkoutPage } from '../../src/web/pages/sale/checkout.ts'
import { invoiceWith } from '../harness/invoice.ts'
import { BUYER, readerText } from './buyer-view.ts'

const USER = { email: 'shop@example.org', sandbox: false, deletionDueAt: null }

test('the checkout page shows how long the confirmations take at the current block spacing', () => {
  const links = checkoutLinks('id')
  const view = { ...BUYER, links, isChainSeen: true, now: 0 }
  const render = (confirmations: number, spacingSecs: number, confirmed = 0) =>
    readerText(
      String(
        checkoutPage({
          ...view,
          invoice: invoiceWith({ receivedZat: 5_000n, status: 'detected', confirmations }),
          spacingSecs,
          confirmed,
        }),
      ),
    )
  assert.match(render(3, 75), /usually confirms it in about 4 minutes/)
  assert.match(render(3, 25), /usually confirms it in about 75 seconds/)
  assert.match(render(10, 25), /usually confirms it in about 4 minutes/)
  assert.match(render(0, 25), /It is confirmed at once/)
  assert.doesNotMatch(render(3, 25), /few minutes/)
  assert.match(render(3, 75, 2), /Confirmed 2 of 3.*usually confirms it in about 75 seconds/)
  assert.match(render(3, 75, 3), /usually confirms it in about 75 seconds/, 'a further payment is still confirmed')
  assert.doesNotMatch(render(0, 75), /Confirmed/)
})

test('the confirmations setting shows how long they take at the current block spacing', () => {
  const render = (confirmations: number, spacingSecs: number) =>
    String(
      viewingKeyPage(USER, {
        network: 'main',
        confirmations,
        firstAddress: null,
        demoKey: null,
        showNextStep: false,
        spacingSecs,
      }),
    )
  assert.match(render(3, 75), /A block is mined about every 75 seconds, so 3 blocks take about 4 minutes/)
  assert.match(render(3, 25), /A block is mined about every 25 seconds, so 3 blocks take about 75 seconds/)
  assert.match(render(1, 25), /so 1 block takes about 25 seconds/)
  assert.match(render(0, 25), /A block is mined about every 25 seconds\./)
})
