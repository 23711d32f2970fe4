import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import type { SwapStatus } from '../../src/domain/sale/swap.ts'
import type { Swap } from '../../src/ports/repository/sale/swap.ts'
import { checkoutLinks } from '../../src/web/components/sale/checkout-links.ts'
import { swapNotice } from '../../src/web/components/sale/swap-notice.ts'
import { checkoutPage } from '../../src/web/pages/sale/checkout.ts'
import { invoiceWith } from '../harness/invoice.ts'
import { BUYER, readerText } from './buyer-view.ts'

const ID = 'a3bb189e-8bf9-4888-9912-ace4e6543002'
const EXPIRES_AT = 1_000
const WATCH_UNTIL = 2_000

/** The text of the page of a closed invoice with a swap that it was not paid by. */
function textOf(invoice: Pick<Invoice, 'status' | 'receivedZat'>, status: SwapStatus, now: number): string {
  const sold = invoiceWith({
    publicId: ID,
    amountZat: 100n,
    expiresAt: EXPIRES_AT,
    watchUntil: WATCH_UNTIL,
    ...invoice,
  })
  const offer = { publicId: ID, amountIn: 500n, decimals: 2, symbol: 'BTC', blockchain: 'btc', deadline: 900 }
  const deposit = { deposited: 100n, refunded: null, refundReason: null, txid: null }
  const swap = { ...offer, refundTo: 'b', depositAddress: 'd', depositMemo: null, deposit, status } as unknown as Swap
  const page = checkoutPage({
    ...BUYER,
    invoice: sold,
    links: checkoutLinks(ID),
    swap,
    notice: swapNotice(BUYER.text, sold, swap, now),
    spacingSecs: 75,
    isChainSeen: true,
    now,
  })
  return readerText(page.text)
}

test('a deposit that is too small is not asked for its rest once the invoice is closed', () => {
  for (const now of [EXPIRES_AT + 1, WATCH_UNTIL + 1]) {
    const text = textOf({ status: 'expired', receivedZat: 0n }, 'INCOMPLETE_DEPOSIT', now)
    assert.match(text, /Send nothing more/)
    assert.doesNotMatch(text, /Send the rest/)
  }
})

test('while a deposit may still pay the rest of a closed invoice, nothing asks for it', () => {
  for (const status of ['KNOWN_DEPOSIT_TX', 'PROCESSING', 'SUCCESS'] as const) {
    const text = textOf({ status: 'underpaid', receivedZat: 40n }, status, EXPIRES_AT + 1)
    assert.match(text, /Do not pay again now/)
    assert.doesNotMatch(text, /Pay the rest|Open in your wallet|Or pay by hand/)
  }
  for (const status of ['REFUNDED', 'FAILED'] as const)
    assert.match(textOf({ status: 'underpaid', receivedZat: 40n }, status, EXPIRES_AT + 1), /Open in your wallet/)
})
