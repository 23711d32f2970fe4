import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { tryDecryptTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import { Chain } from '../../src/chain/chain.ts'
import { demoViewingKey, operatorViewingKey } from '../../src/chain/keys.ts'
import { type ChainTransaction, rawTransaction } from '../../src/chain/transaction.ts'
import { Wallet, WalletError } from '../../src/chain/wallet.ts'
import { createClock, merchantAddress, merchantKey, paymentUri, SEED } from '../fixtures.ts'

const chain = new Chain({ seed: SEED, clock: createClock() })
const wallet = new Wallet(chain)

function decryptedNotes(transaction: ChainTransaction) {
  return tryDecryptTransaction([merchantKey], parseTransaction(rawTransaction(transaction))).map(({ note, memo }) => ({
    value: note.value,
    index: note.diversifierIndex,
    memo: new TextDecoder().decode(memo).replace(/\0+$/, ''),
  }))
}

function walletError(field: WalletError['field'], message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof WalletError, String(error))
    assert.equal(error.field, field)
    assert.match(error.message, message)
    return true
  }
}

test('only the viewing key of the payee decrypts a payment, with its amount, diversifier index and memo', () => {
  const transaction = wallet.pay({ uri: paymentUri(123_456n, 77n, 'thirty-six characters of an invoice') })
  assert.deepEqual(decryptedNotes(transaction), [
    { value: 123_456n, index: 77n, memo: 'thirty-six characters of an invoice' },
  ])
  assert.equal(transaction.actions.length, 2)
  assert.equal(transaction.id, txidToHex(transaction.txid))
  const operator = parseViewingKey(operatorViewingKey(SEED)).orchard!
  assert.deepEqual(tryDecryptTransaction([operator], parseTransaction(rawTransaction(transaction))), [])
})

test('amount and memo options override those of the URI, and an empty memo means no memo', () => {
  const uri = paymentUri(100n, 1n, 'asked')
  assert.deepEqual(decryptedNotes(wallet.pay({ uri, amount: 60n, memo: 'given' })), [
    { value: 60n, index: 1n, memo: 'given' },
  ])
  const [bare] = tryDecryptTransaction([merchantKey], parseTransaction(rawTransaction(wallet.pay({ uri, memo: '' }))))
  assert.equal(bare!.memo![0], 0xf6)
})

test('one transaction can pay several requests', () => {
  const amounts = [1n, 2n, 3n, 4n]
  const transaction = wallet.payMany(amounts.map(amount => ({ uri: paymentUri(amount, amount) })))
  assert.deepEqual(
    decryptedNotes(transaction)
      .map(({ value, index }) => [value, index])
      .sort(),
    amounts.map(amount => [amount, amount]),
  )
})

test('the payment has varying positions among the actions', () => {
  const positions = Array.from({ length: 12 }, () => {
    const transaction = parseTransaction(rawTransaction(wallet.pay({ uri: paymentUri(1n) })))
    return tryDecryptTransaction([merchantKey], transaction)[0]!.actionIndex
  })
  assert.deepEqual([...new Set(positions)].sort(), [0, 1])
})

test('an invalid payment is rejected with the name of the field and does not change the mempool', () => {
  const before = chain.mempool().length
  const mainnet = formatPaymentUri({ address: encodeAddress('main', orchardReceiver(merchantKey, 0n)), amount: 1n })
  assert.throws(() => wallet.pay({ uri: 'bitcoin:abc' }), walletError('uri', /zcash/i))
  assert.throws(() => wallet.pay({ uri: 'zcash:uregtest1nonsense?amount=1' }), walletError('uri', /./))
  assert.throws(() => wallet.pay({ uri: mainnet }), walletError('uri', /regtest address is needed; .* main/))
  assert.throws(() => wallet.pay({ uri: `zcash:${merchantAddress()}` }), walletError('amount_zat', /has no amount/))
  assert.throws(() => wallet.pay({ uri: paymentUri(1n), amount: -1n }), walletError('amount_zat', /must be 0 to/))
  assert.throws(() => wallet.pay({ uri: paymentUri(1n), memo: 'x'.repeat(513) }), walletError('memo', /513 bytes/))
  assert.throws(() => wallet.pay({ uri: paymentUri(1n) }, { pool: 'orchard' }), walletError('pool', /ironwood/))
  assert.equal(chain.mempool().length, before)
})

test('the demo viewing key is a regtest UFVK derived from the seed', () => {
  assert.match(demoViewingKey(SEED), /^uviewregtest1/)
  assert.equal(demoViewingKey(SEED), demoViewingKey(Uint8Array.from(SEED)))
  assert.notEqual(demoViewingKey(SEED), operatorViewingKey(SEED))
})

test('a dropped transaction can be rebroadcast unless it is in the mempool, mined or expired', () => {
  const transaction = wallet.pay({ uri: paymentUri(5n) })
  assert.throws(() => wallet.rebroadcast(transaction), /already in the mempool or in a block/)
  chain.mine()
  assert.throws(() => wallet.rebroadcast(transaction), /already in the mempool or in a block/)
  chain.reorg({ depth: 1, drop: [transaction.id] })
  wallet.rebroadcast(transaction)
  assert.equal(chain.find(transaction.id)!.location, 'mempool')
  chain.evict(transaction.id)
  chain.mine(40)
  assert.throws(() => wallet.rebroadcast(transaction), /must be above the height/)
})
