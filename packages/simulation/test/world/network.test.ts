import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNetwork, START_SECS, transaction } from './laboratory.ts'

test('a block takes the transactions out of the mempool and grows the trees', () => {
  const network = createNetwork()
  const payment = transaction('payment')
  assert.equal(network.broadcast(payment), true)
  const before = network.tip
  const block = network.mine(START_SECS)
  assert.equal(block.prevHash, before.hash)
  assert.equal(block.treeSizes.ironwood, before.treeSizes.ironwood + 1)
  assert.deepEqual([network.mempool.size, network.minedAt(payment.txid)], [0, 10])
})

test('a reorganisation returns transactions to the mempool, and its blocks have other hashes', () => {
  const network = createNetwork()
  const [kept, lost] = [transaction('kept'), transaction('lost')]
  network.broadcast(kept)
  network.broadcast(lost)
  const { hash } = network.mine(START_SECS)
  network.removeBlocks(1, ({ txid }) => txid === kept.txid)
  assert.equal(network.height, 9)
  assert.deepEqual([...network.mempool.keys()], [kept.txid])
  assert.notEqual(network.mine(START_SECS, []).hash, hash)
})

test('of two transactions that spend the same notes, one is accepted and one is mined', () => {
  const network = createNetwork()
  const first = transaction('first')
  const second = transaction('second', { spends: first.spends })
  assert.deepEqual([network.broadcast(first), network.broadcast(second)], [true, false])
  network.mine(START_SECS, [second, first])
  assert.deepEqual([network.minedAt(second.txid), network.minedAt(first.txid)], [10, null])
  assert.equal(network.mempool.size, 0)
  assert.equal(network.broadcast(first), false)
})

test('a transaction leaves the mempool at its expiry height, and is not mined above it', () => {
  const network = createNetwork()
  const payment = transaction('payment', { expiryHeight: 11 })
  network.broadcast(payment)
  network.mine(START_SECS, [])
  assert.equal(network.mempool.size, 1)
  network.mine(START_SECS, [])
  assert.equal(network.mempool.size, 0)
  network.mine(START_SECS, [payment])
  assert.equal(network.minedAt(payment.txid), null)
})

test('new value enters Orchard below NU6.3 and Ironwood from there on', () => {
  const network = createNetwork(11)
  assert.deepEqual([network.poolAt(10), network.poolAt(11)], ['orchard', 'ironwood'])
  const early = transaction('early')
  const orchard = transaction('orchard', { notes: [{ ...early.notes[0]!, pool: 'orchard' }] })
  assert.deepEqual([network.broadcast(early), network.broadcast(orchard)], [false, true])
  network.mine(START_SECS, [])
  assert.equal(network.mempool.size, 0, 'a transaction of the old pool can not be mined any more')
})

test('a fork leaves the best chain and the mempool as they are', () => {
  const network = createNetwork()
  const payment = transaction('payment')
  network.broadcast(payment)
  const { branch } = network
  const fork = network.fork(2, 3, START_SECS)
  assert.equal(network.branch, branch)
  assert.deepEqual([...network.mempool.keys()], [payment.txid])
  assert.equal(fork.length, branch.length + 1)
  assert.deepEqual([fork[7], fork[8] === branch[8]], [branch[7], false])
})
