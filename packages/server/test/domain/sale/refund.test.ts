import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  canceled,
  mayGiveAddress,
  namedAddressKind,
  type Refund,
  refundAmount,
  refundableExcess,
  refundableZat,
  refundMemo,
  refundPayment,
  refundPaymentUri,
  seen,
  sent,
  withAddress,
  withoutUnseenAddress,
} from '../../../src/domain/sale/refund.ts'
import { invoiceWith } from '../../harness/invoice.ts'

const AWAITING: Refund = {
  id: 1,
  publicId: '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f',
  linkId: '7f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f',
  accountId: 1,
  invoiceId: 1,
  status: 'awaiting_address',
  amountZat: 5n,
  price: null,
  rate: null,
  reason: null,
  address: null,
  addressFromBuyer: false,
  seenAt: null,
  txid: null,
  createdAt: 100,
  updatedAt: 100,
}
const READY = withAddress(AWAITING, 'u1first', 110)
const TXID = 'ab'.repeat(32)
const SENT = sent(READY, TXID, 120)
const CANCELED = canceled(READY, 120)

test('the buyer gives the address, and may change it until the merchant has seen it', () => {
  assert.deepEqual(
    [READY.status, READY.address, READY.addressFromBuyer, READY.updatedAt],
    ['ready', 'u1first', true, 110],
  )
  assert.equal(withAddress(READY, 'u1first', 115), READY, 'the same address changes nothing')
  assert.equal(withAddress(READY, 'u1second', 115).address, 'u1second')
  const shown = seen(READY, 118)
  assert.deepEqual([shown.seenAt, seen(shown, 119)], [118, shown])
  for (const fixed of [shown, SENT, CANCELED, { ...READY, addressFromBuyer: false }]) {
    assert.ok(!mayGiveAddress(fixed))
    assert.throws(() => withAddress(fixed, 'u1second', 119), { code: 'refund_address_fixed' })
  }
})

test('only an address of the buyer is seen', () => {
  for (const refund of [AWAITING, { ...READY, addressFromBuyer: false }]) assert.equal(seen(refund, 130), refund)
})

test('a list has no address that the buyer can still change', () => {
  assert.equal(withoutUnseenAddress(READY).address, null)
  for (const fixed of [seen(READY, 118), { ...READY, addressFromBuyer: false }])
    assert.equal(withoutUnseenAddress(fixed), fixed)
})

test('a refund is paid by a request once it is ready, with the order in its memo', () => {
  const ofOrder = (refund: Refund) => ({ refund, invoice: invoiceWith({ orderId: '7' }) })
  const memo = Buffer.from('Refund of order 7').toString('base64url')
  assert.equal(refundPaymentUri(ofOrder(READY)), `zcash:u1first?amount=0.00000005&memo=${memo}`)
  for (const refund of [AWAITING, SENT, CANCELED, withoutUnseenAddress(READY)])
    assert.equal(refundPaymentUri(ofOrder(refund)), null)
  const two = refundPayment([ofOrder(READY), ofOrder({ ...READY, address: 'u1second', amountZat: 7n })])
  assert.deepEqual(two, {
    uri: `zcash:?address=u1first&amount=0.00000005&memo=${memo}&address.1=u1second&amount.1=0.00000007&memo.1=${memo}`,
    totalZat: 12n,
  })
})

test('a refund is sent once it has an address, by one transaction, and canceled until then', () => {
  assert.deepEqual([SENT.status, SENT.txid], ['sent', TXID])
  assert.equal(sent(SENT, TXID, 130), SENT)
  assert.throws(() => sent(SENT, 'cd'.repeat(32), 130), {
    code: 'refund_closed',
    extra: { detail: 'another transaction has paid it' },
  })
  assert.throws(() => sent(AWAITING, TXID, 130), { code: 'refund_closed' })
  assert.throws(() => sent(CANCELED, TXID, 130), { code: 'refund_closed' })
  assert.throws(() => canceled(SENT, 130), { code: 'refund_closed' })
  assert.equal(canceled(CANCELED, 130), CANCELED)
  assert.equal(canceled(AWAITING, 130).status, 'canceled')
})

test('what is left never exceeds what is confirmed, and nothing is refunded twice', () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 1_000n),
      fc.array(fc.option(fc.bigInt(1n, 400n), { nil: undefined })),
      (confirmed, asked) => {
        let held = 0n
        for (const zat of asked) {
          try {
            held += refundAmount(zat, refundableZat(confirmed, held))
          } catch (error) {
            assert.equal((error as { code: string }).code, 'refund_exceeds_received')
          }
          assert.ok(held <= confirmed)
        }
      },
    ),
  )
  assert.equal(refundAmount(undefined, 7n), 7n)
  assert.throws(() => refundAmount(undefined, 0n), { code: 'refund_exceeds_received' })
  assert.throws(() => refundAmount(0n, 7n), { code: 'invalid_amount_zat' })
  assert.equal(refundableExcess({ overpaidZat: 4n }, 0n, 10n), 4n)
  assert.equal(refundableExcess({ overpaidZat: 4n }, 3n, 7n), 1n)
  assert.equal(refundableExcess({ overpaidZat: 4n }, 4n, 6n), 0n, 'its refund is ordered')
  assert.equal(refundableExcess({ overpaidZat: 4n }, 0n, 3n), 3n, 'not all is confirmed')
  assert.equal(refundableZat(5n, 9n), 0n, 'a reorganisation removed a payment')
})

test('an address that cannot be refunded to is named by its kind', () => {
  for (const [address, kind] of [
    ['t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC', /transparent/],
    ['tmSXkNcAzVWqcKvBSNQQLwg2hMHWcEPdK1p', /transparent/],
    ['tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte', /TEX/],
    ['zs1z7rejlpsa98s2rrrfkwmaxu53e4ue0ulcrw0h4x5g8jl04tak0d3mm47vdtahatqrlkngh9slya', /Sapling/],
    ['uview1qq', /viewing key/],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', /Bitcoin/],
    ['0x52908400098527886E0F7030069857D2E4169EE7', /Ethereum/],
    ['zcash:u1abc?amount=1', /payment request/],
    ['6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f', /invoice/],
  ] as const)
    assert.match(namedAddressKind(address) ?? '', kind, address)
  assert.equal(namedAddressKind('u1abc'), null)
})

test('the memo names the order', () => {
  assert.deepEqual([refundMemo({ orderId: '1001' }), refundMemo({ orderId: null })], ['Refund of order 1001', 'Refund'])
})
