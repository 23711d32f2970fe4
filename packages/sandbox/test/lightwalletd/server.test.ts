import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { tryDecryptCompactBlock, tryDecryptTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import { Chain } from '../../src/chain/chain.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { Lightwalletd } from '../../src/lightwalletd/server.ts'
import { merchantKey, paymentUri, SEED } from '../fixtures.ts'
import { chain, client, clock, connect, range, wallet } from './harness.ts'
import { collect } from './suite/assertions.ts'

test('the key of the payee decrypts a payment from the compact block in both pools', async () => {
  // An Orchard payment in block 2, below NU6.3, and Ironwood blocks above it.
  wallet.pay({ uri: paymentUri(1n) })
  chain.mine(4)
  const orchard = (await collect(range(2, 2)))[0]!
  assert.deepEqual(
    tryDecryptCompactBlock([merchantKey], orchard).map(({ pool, note }) => [pool, note.value]),
    [['orchard', 1n]],
  )
  const { txid } = wallet.pay({ uri: paymentUri(250n, 9n) })
  chain.mine()
  const block = await client.getBlock({ height: BigInt(chain.height) })
  assert.deepEqual(
    block.vtx.map(({ index }) => index),
    [0n, 1n],
  )
  const [found] = tryDecryptCompactBlock([merchantKey], block)
  assert.deepEqual(found!.txid, txid)
  assert.deepEqual([found!.pool, found!.note.value, found!.note.diversifierIndex], ['ironwood', 250n, 9n])
})

describe('the mempool without a cache', () => {
  test('streams the mempool, then new transactions, and ends at the next block', async () => {
    const there = wallet.pay({ uri: paymentUri(11n, 1n, 'first') })
    const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
    const first = (await stream.next()).value!
    assert.equal(first.height, 0n)
    const [payment] = tryDecryptTransaction([merchantKey], parseTransaction(first.data))
    assert.equal(payment!.note.value, 11n)
    assert.equal(new TextDecoder().decode(payment!.memo).replaceAll('\0', ''), 'first')
    const later = wallet.pay({ uri: paymentUri(12n) })
    assert.deepEqual(parseTransaction((await stream.next()).value!.data).txid, later.txid)
    chain.mine()
    assert.equal((await stream.next()).done, true)
    assert.notDeepEqual(there.txid, later.txid)
  })

  test('stream also ends when a block is removed, with or without replacement', async () => {
    for (const blocks of [0, 1]) {
      const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
      wallet.pay({ uri: paymentUri(1n) })
      await stream.next()
      chain.reorg({ depth: 1, blocks })
      assert.equal((await stream.next()).done, true)
      chain.mine()
    }
  })

  test('is sent in full on each new stream', async () => {
    wallet.pay({ uri: paymentUri(13n) })
    wallet.pay({ uri: paymentUri(14n) })
    for (let i = 0; i < 2; i++) {
      const leave = new AbortController()
      const stream = client.getMempoolStream({}, { signal: leave.signal })[Symbol.asyncIterator]()
      const txids = [(await stream.next()).value!, (await stream.next()).value!].map(
        raw => parseTransaction(raw.data).txid,
      )
      assert.deepEqual(
        txids,
        chain.mempool().map(({ txid }) => txid),
      )
      leave.abort()
    }
  })
})

test('GetTransaction returns height 2^64 − 1 for a transaction that is only on a fork', async () => {
  const { id, txid } = wallet.pay({ uri: paymentUri(1n) })
  chain.mine()
  chain.reorg({ depth: 1, drop: [id] })
  assert.equal((await client.getTransaction({ hash: txid })).height, 2n ** 64n - 1n)
})

test('a server of a testnet chain reports testnet, and payments below NU6.3 are Orchard notes', async () => {
  const testnet = new Chain({ seed: SEED, clock, network: 'test' })
  const server = await Lightwalletd.start(testnet)
  const address = encodeAddress('test', orchardReceiver(merchantKey, 1n))
  const { id } = new Wallet(testnet).pay({ uri: formatPaymentUri({ address, amount: 5n }) })
  testnet.mine()
  const own = connect(server.url)
  const info = await own.getLightdInfo({})
  assert.deepEqual([info.chainName, info.consensusBranchId], ['test', '5437f330'])
  const found = tryDecryptCompactBlock([merchantKey], await own.getBlock({ height: BigInt(testnet.height) }))
  assert.deepEqual(
    found.map(({ txid, pool, note }) => [txidToHex(txid), pool, note.value]),
    [[id, 'orchard', 5n]],
  )
  await server.close()
})
