import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { checkoutLinks } from '../../src/web/components/sale/checkout-links.ts'
import { chooseAssetPage } from '../../src/web/pages/sale/swap-choice.ts'
import { BUYER, withoutMarks } from './buyer-view.ts'

test('the swap page of a part-paid invoice says that a swap pays the whole amount', () => {
  const invoice = { publicId: 'id', amountZat: 200_000_000n } as Invoice
  const links = checkoutLinks('id')
  const page = (receivedZat: bigint) =>
    withoutMarks(String(chooseAssetPage({ ...BUYER, invoice: { ...invoice, receivedZat }, links, assets: [] })))
  assert.match(page(50_000_000n), /0\.5 ZEC has arrived already\. A swap pays the whole 2 ZEC once more\./)
  assert.doesNotMatch(page(0n), /arrived already/)
})
