import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { openTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { makePaymentUri } from '@zatgate/zcash/zip321'
import { Chain } from '../src/chain.ts'
import { demoViewingKey, operatorViewingKey } from '../src/keys.ts'
import { type ChainTransaction, rawTransaction } from '../src/transaction.ts'
import { Wallet, WalletError } from '../src/wallet.ts'
import { merchantAddress, merchantKey, paymentUri, SEED, TestClock } from './fixtures.ts'

const chain = new Chain({ seed: SEED, clock: new TestClock() })
const wallet = new Wallet(chain)

function opened(transaction: ChainTransaction) {
  return openTransaction([merchantKey], parseTransaction(rawTransaction(transaction))).map(({ note, memo }) => ({
    value: note.value,
    index: note.diversifierIndex,
    memo: new TextDecoder().decode(memo).replace(/\0+$/, ''),
  }))
}

function refusal(field: WalletError['field'], message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof WalletError, String(error))
    assert.equal(error.field, field)
    assert.match(error.message, message)
    return true
  }
}

test('a payment opens with the viewing key of the payee: amount, diversifier index and memo, and nothing else does', () => {
  const transaction = wallet.pay({ uri: paymentUri(123_456n, 77n, 'thirty-six characters of an invoice') })
  assert.deepEqual(opened(transaction), [{ value: 123_456n, index: 77n, memo: 'thirty-six characters of an invoice' }])
  assert.equal(transaction.actions.length, 2)
  assert.equal(transaction.id, txidToHex(transaction.txid))
  const operator = parseViewingKey(operatorViewingKey(SEED)).orchard!
  assert.deepEqual(openTransaction([operator], parseTransaction(rawTransaction(transaction))), [])
})

test('amount and memo of the payer take the place of what the URI asks for; an empty memo means none', () => {
  const uri = paymentUri(100n, 1n, 'asked')
  assert.deepEqual(opened(wallet.pay({ uri, amount: 60n, memo: 'given' })), [{ value: 60n, index: 1n, memo: 'given' }])
  const [bare] = openTransaction([merchantKey], parseTransaction(rawTransaction(wallet.pay({ uri, memo: '' }))))
  assert.equal(bare!.memo![0], 0xf6)
})

test('one transaction can pay several requests', () => {
  const amounts = [1n, 2n, 3n, 4n]
  const transaction = wallet.payTogether(amounts.map(amount => ({ uri: paymentUri(amount, amount) })))
  assert.deepEqual(
    opened(transaction)
      .map(({ value, index }) => [value, index])
      .sort(),
    amounts.map(amount => [amount, amount]),
  )
})

test('the payment is not always at the same place among the actions', () => {
  const places = Array.from({ length: 12 }, () => {
    const transaction = parseTransaction(rawTransaction(wallet.pay({ uri: paymentUri(1n) })))
    return openTransaction([merchantKey], transaction)[0]!.action
  })
  assert.deepEqual([...new Set(places)].sort(), [0, 1])
})

test('what cannot be paid is refused with the field to change, and leaves the mempool as it was', () => {
  const before = chain.mempool().length
  const mainnet = makePaymentUri({ address: encodeAddress('main', orchardReceiver(merchantKey, 0n)), amount: 1n })
  assert.throws(() => wallet.pay({ uri: 'bitcoin:abc' }), refusal('uri', /zcash/i))
  assert.throws(() => wallet.pay({ uri: 'zcash:uregtest1nonsense?amount=1' }), refusal('uri', /./))
  assert.throws(() => wallet.pay({ uri: mainnet }), refusal('uri', /regtest address is needed; .* main/))
  assert.throws(() => wallet.pay({ uri: `zcash:${merchantAddress()}` }), refusal('amount_zat', /has no amount/))
  assert.throws(() => wallet.pay({ uri: paymentUri(1n), amount: -1n }), refusal('amount_zat', /must be 0 to/))
  assert.throws(() => wallet.pay({ uri: paymentUri(1n), memo: 'x'.repeat(513) }), refusal('memo', /513 bytes/))
  assert.throws(() => wallet.pay({ uri: paymentUri(1n) }, { pool: 'orchard' }), refusal('pool', /ironwood/))
  assert.equal(chain.mempool().length, before)
})

test('the demo viewing key is a regtest UFVK that the seed repeats', () => {
  assert.match(demoViewingKey(SEED), /^uviewregtest1/)
  assert.equal(demoViewingKey(SEED), demoViewingKey(Uint8Array.from(SEED)))
  assert.notEqual(demoViewingKey(SEED), operatorViewingKey(SEED))
})

test('a dropped transaction can be broadcast again, unchanged, and only while it is nowhere and alive', () => {
  const transaction = wallet.pay({ uri: paymentUri(5n) })
  assert.throws(() => wallet.broadcastAgain(transaction), /already in the mempool or in a block/)
  chain.mine()
  assert.throws(() => wallet.broadcastAgain(transaction), /already in the mempool or in a block/)
  chain.reorg({ depth: 1, drop: [transaction.id] })
  wallet.broadcastAgain(transaction)
  assert.equal(chain.find(transaction.id)!.place, 'mempool')
  chain.evict(transaction.id)
  chain.mine(40)
  assert.throws(() => wallet.broadcastAgain(transaction), /must be above the height/)
})
