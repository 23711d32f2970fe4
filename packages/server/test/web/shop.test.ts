import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EMPTY_STORE } from '../../src/domain/account/store-profile.ts'
import type { CheckoutState } from '../../src/domain/sale/checkout.ts'
import { shopHeader, shopOf } from '../../src/web/components/buyer/shop.ts'
import { checkoutLinks } from '../../src/web/components/sale/checkout-links.ts'
import { wayBack } from '../../src/web/components/sale/way-back.ts'
import { BUYER } from './buyer-view.ts'

const shop = shopOf({ ...EMPTY_STORE, name: 'Lighthouse', website: 'https://shop.example/' })
const invoice = { publicId: 'b0a0c1f4-0000-4000-8000-000000000000', orderId: null, successUrl: null, cancelUrl: null }

describe('the website of a shop', () => {
  test('opens from its name beside the page, but not within a frame or its preview', () => {
    assert.match(String(shopHeader(shop, true)), /<a href="https:\/\/shop\.example\/" target="_blank" rel="noopener/)
    assert.doesNotMatch(String(shopHeader(shop, false)), /href/)
    assert.doesNotMatch(String(shopHeader({ ...shop, name: null, logo: '/logo/1.png' }, true)), /href/)
  })

  test('is the way back where an invoice names none, and only once there is nothing to pay', () => {
    const links = checkoutLinks(invoice.publicId)
    const back = (state: CheckoutState, own = invoice) => String(wayBack({ ...BUYER, shop }, own, links, state))
    for (const state of ['paid', 'confirming', 'late', 'canceled', 'over'] as const)
      assert.match(back(state), /href="https:\/\/shop\.example\/".*Back to <bdi>Lighthouse \(shop\.example\)/, state)
    for (const state of ['payable', 'short'] as const) assert.equal(back(state), 'false', state)
    const own = { ...invoice, successUrl: 'https://shop.example/thanks' as never }
    assert.match(back('paid', own), /href="https:\/\/shop\.example\/thanks"/)
  })
})
