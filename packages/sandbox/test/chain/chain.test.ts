import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { orchardReceiver } from '@zatgate/zcash/address'
import { tryDecryptTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import fc from 'fast-check'
import { Chain } from '../../src/chain/chain.ts'
import type { ChainEvent } from '../../src/chain/chain-state.ts'
import { ChainError } from '../../src/chain/error.ts'
import { type ChainTransaction, rawTransaction } from '../../src/chain/transaction.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { createClock, merchantKey, paymentUri, SEED } from '../fixtures.ts'

function start(options: ConstructorParameters<typeof Chain>[0] = {}) {
  const clock = createClock()
  const chain = new Chain({ seed: SEED, clock, ...options })
  return { chain, clock, wallet: new Wallet(chain) }
}

function ids(transactions: readonly { id: string }[] | undefined): string[] {
  return (transactions ?? []).map(({ id }) => id)
}

describe('blocks', () => {
  test('mining includes the mempool in the first block; later blocks have only a coinbase transaction', () => {
    const { chain, wallet } = start()
    const paid = [wallet.pay({ uri: paymentUri(1n) }), wallet.pay({ uri: paymentUri(2n) })]
    const before = chain.height
    assert.equal(chain.mine(3), before + 3)
    const [coinbase, ...others] = chain.block(before + 1)!.transactions
    assert.equal(coinbase!.coinbase, true)
    assert.deepEqual(ids(others), ids(paid))
    assert.deepEqual(
      [2, 3].map(i => chain.block(before + i)!.transactions.length),
      [1, 1],
    )
    assert.deepEqual(chain.mempool(), [])
  })

  test('each block contains the hash of the previous block, and all hashes differ', () => {
    const { chain } = start()
    chain.mine(20)
    const blocks = Array.from({ length: chain.height + 1 }, (_, height) => chain.block(height)!)
    for (const { height, prevHash } of blocks.slice(1)) assert.deepEqual(prevHash, blocks[height - 1]!.hash)
    assert.equal(new Set(blocks.map(({ hash }) => txidToHex(hash))).size, blocks.length)
  })

  test('block times follow the clock and never decrease', () => {
    const { chain, clock } = start()
    const first = chain.tip.time
    clock.advance(75)
    chain.mine()
    assert.equal(chain.tip.time, first + 75)
    clock.advance(-500)
    chain.mine()
    assert.equal(chain.tip.time, first + 75)
  })

  test('each tree grows by the number of actions of its pool in each block', () => {
    const { chain, wallet } = start({ nu63Height: 4 })
    wallet.pay({ uri: paymentUri(1n) })
    chain.mine(1)
    assert.deepEqual(chain.tip.treeSizes, { orchard: 2, ironwood: 0 })
    chain.mine(2)
    const opened = chain.tip.treeSizes
    assert.equal(opened.ironwood > 0, true)
    wallet.payMany([1n, 2n, 3n].map(amount => ({ uri: paymentUri(amount) })))
    chain.mine(1)
    assert.deepEqual(chain.tip.treeSizes, { orchard: 2, ironwood: opened.ironwood + 3 })
  })

  test('a coinbase transaction parses as coinbase, and its note can be decrypted by the payee', () => {
    const { chain } = start()
    chain.mine(1, { payCoinbaseTo: orchardReceiver(merchantKey, 3n) })
    const coinbase = parseTransaction(rawTransaction(chain.tip.transactions[0]!))
    assert.equal(coinbase.coinbase, true)
    assert.equal(coinbase.expiryHeight, chain.height)
    assert.equal(coinbase.ironwood.length, 2)
    assert.equal(tryDecryptTransaction([merchantKey], coinbase).length, 1)
  })

  test('with foreignPerBlock every mined block has transactions that the merchant cannot decrypt', () => {
    const { chain } = start({ foreignPerBlock: 2 })
    chain.mine()
    const foreign = chain.tip.transactions.slice(1)
    assert.equal(foreign.length, 2)
    for (const transaction of foreign) {
      assert.deepEqual(tryDecryptTransaction([merchantKey], parseTransaction(rawTransaction(transaction))), [])
    }
  })
})

describe('the pools', () => {
  test('a payment is a version 5 Orchard transaction below NU6.3 and a version 6 Ironwood transaction from there on', () => {
    const { chain, wallet } = start({ nu63Height: 3 })
    assert.equal(parseTransaction(rawTransaction(wallet.pay({ uri: paymentUri(1n) }))).version, 5)
    assert.throws(() => wallet.pay({ uri: paymentUri(1n) }, { pool: 'ironwood' }), /block, 2, accepts .* orchard/)
    chain.mine()
    assert.equal(chain.paymentPool, 'ironwood')
    assert.equal(parseTransaction(rawTransaction(wallet.pay({ uri: paymentUri(1n) }))).version, 6)
    assert.throws(() => wallet.pay({ uri: paymentUri(1n) }, { pool: 'orchard' }), /block, 3, accepts .* ironwood/)
  })

  test('transactions of the wrong pool leave the mempool when NU6.3 activates or a reorganisation deactivates it', () => {
    const { chain, wallet } = start({ nu63Height: 4 })
    const old = wallet.pay({ uri: paymentUri(1n) })
    chain.mine(2, { empty: true })
    assert.equal(chain.find(old.id), undefined)
    const young = wallet.pay({ uri: paymentUri(1n) })
    chain.mine()
    chain.reorg({ depth: 2, blocks: 0 })
    assert.deepEqual(chain.mempool(), [])
    assert.equal(chain.find(young.id)!.location, 'fork')
  })
})

describe('NU7', () => {
  const branchOf = (transaction: ChainTransaction) => parseTransaction(rawTransaction(transaction)).branchId

  test('transactions have the branch id of the next block, coinbase transactions that of their own block', () => {
    const { chain, wallet } = start({ nu63Height: 3, nu7Height: 5 })
    const branches: (number | undefined)[] = []
    while (chain.height < 6) {
      const payment = wallet.pay({ uri: paymentUri(1n) })
      chain.mine()
      const [coinbase, mined] = chain.tip.transactions
      assert.equal(mined!.id, payment.id)
      assert.equal(branchOf(coinbase!), branchOf(mined!))
      assert.equal(branchOf(mined!), chain.branchAt(chain.height))
      branches.push(branchOf(mined!))
    }
    assert.deepEqual(branches, [0x5437f330, 0x37a5165b, 0x37a5165b, 0x77190ad9, 0x77190ad9])
    assert.equal(parseTransaction(rawTransaction(chain.tip.transactions[1]!)).version, 6)
  })

  test('unmined transactions of another branch leave the mempool at NU7 and when a reorganisation crosses it', () => {
    const { chain, wallet } = start({ nu7Height: 4 })
    const evicted: string[] = []
    chain.subscribe(event => event.kind === 'evicted' && evicted.push(`${event.id} ${event.reason}`))
    const old = wallet.pay({ uri: paymentUri(1n) })
    chain.mine(2, { empty: true })
    const young = wallet.pay({ uri: paymentUri(1n) })
    chain.mine()
    chain.reorg({ depth: 2, blocks: 0 })
    assert.deepEqual(evicted, [`${old.id} wrong_branch`, `${young.id} wrong_branch`])
    assert.throws(() => wallet.rebroadcast(young), /block, 3, accepts transactions of branch 37a5165b, not 77190ad9/)
  })

  test('a wallet transaction expires after 40 blocks before NU7 and after 120 blocks from NU7 on', () => {
    const { chain, wallet } = start({ nu7Height: 4 })
    const expiresIn = () => wallet.pay({ uri: paymentUri(1n) }).expiryHeight - chain.height
    assert.equal(expiresIn(), 40)
    chain.mine()
    assert.deepEqual([chain.height, expiresIn()], [2, 40])
    chain.mine()
    assert.deepEqual([chain.height, expiresIn()], [3, 120])
  })

  test('NU7 is off on regtest by default, has a fixed height on testnet, and must not precede NU6.3', () => {
    assert.equal(start().chain.nu7Height, null)
    assert.equal(start({ network: 'test' }).chain.nu7Height, 4_465_026)
    assert.throws(() => start({ nu63Height: 4, nu7Height: 3 }), /NU7 must not activate before NU6.3/)
  })
})

describe('expiry', () => {
  test('an unmined transaction leaves the mempool when the block at its expiry height is mined', () => {
    const { chain, wallet } = start()
    const { id, expiryHeight } = wallet.pay({ uri: paymentUri(1n) })
    assert.equal(expiryHeight, chain.height + 40)
    chain.mine(39, { empty: true })
    assert.deepEqual(ids(chain.mempool()), [id])
    chain.mine(1, { empty: true })
    assert.deepEqual(chain.mempool(), [])
    assert.equal(chain.find(id), undefined)
  })

  test('a transaction can be mined at its expiry height; height 0 never expires; a past height is rejected', () => {
    const { chain, wallet } = start()
    const last = wallet.pay({ uri: paymentUri(1n) }, { expiryHeight: chain.height + 1 })
    const forever = wallet.pay({ uri: paymentUri(1n) }, { expiryHeight: 0 })
    assert.throws(() => wallet.pay({ uri: paymentUri(1n) }, { expiryHeight: chain.height }), ChainError)
    chain.mine()
    assert.equal(chain.find(last.id)!.location, chain.height)
    assert.equal(chain.find(forever.id)!.location, chain.height)
  })
})

describe('reorganisations', () => {
  test('replace the last blocks at the same heights and return their transactions to the mempool', () => {
    const { chain, wallet } = start()
    const payment = wallet.pay({ uri: paymentUri(1n) })
    chain.mine(3)
    const old = [1, 0].map(back => chain.block(chain.height - back)!.hash)
    const { height } = chain
    assert.equal(chain.reorg({ depth: 3 }), height)
    assert.deepEqual(ids(chain.mempool()), [payment.id])
    for (const [i, back] of [1, 0].entries()) assert.notDeepEqual(chain.block(height - back)!.hash, old[i])
    chain.mine()
    assert.equal(chain.find(payment.id)!.location, height + 1)
  })

  test('drop the given transactions and reject unknown and coinbase transactions', () => {
    const { chain, wallet } = start()
    const [gone, stays] = [wallet.pay({ uri: paymentUri(1n) }), wallet.pay({ uri: paymentUri(2n) })]
    chain.mine()
    const coinbase = chain.tip.transactions[0]!
    assert.throws(() => chain.reorg({ depth: 1, drop: ['00'.repeat(32)] }), /neither in the replaced blocks/)
    assert.throws(() => chain.reorg({ depth: 1, drop: [coinbase.id] }), /coinbase/)
    chain.reorg({ depth: 1, drop: [gone.id, gone.id] })
    assert.deepEqual(ids(chain.mempool()), [stays.id])
    assert.equal(chain.find(gone.id)!.location, 'fork')
  })

  test('can mine the same transactions again in another block', () => {
    const { chain, wallet } = start()
    const payment = wallet.pay({ uri: paymentUri(1n) })
    chain.mine()
    const { hash } = chain.tip
    chain.reorg({ depth: 1, remine: true })
    assert.notDeepEqual(chain.tip.hash, hash)
    assert.equal(chain.find(payment.id)!.location, chain.height)
  })

  test('accept a depth from 1 to the height', () => {
    const { chain } = start()
    chain.mine(5)
    assert.throws(() => chain.reorg({ depth: 0 }), ChainError)
    assert.throws(() => chain.reorg({ depth: chain.height + 1 }), ChainError)
    assert.equal(chain.reorg({ depth: chain.height }), 6)
  })

  test('keep heights contiguous, hashes linked and tree sizes correct for random depths and lengths', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('pay' as const) }),
      fc.record({ kind: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 3 }) }),
      fc.record({
        kind: fc.constant('reorg' as const),
        depth: fc.integer({ min: 1, max: 4 }),
        blocks: fc.integer({ min: 0, max: 4 }),
        remine: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), steps => {
        const { chain, wallet } = start()
        for (const move of steps) {
          if (move.kind === 'pay') wallet.pay({ uri: paymentUri(1n) })
          if (move.kind === 'mine') chain.mine(move.blocks)
          if (move.kind === 'reorg' && move.depth <= chain.height) chain.reorg(move)
        }
        let ironwood = 0
        for (let height = 0; height <= chain.height; height++) {
          const block = chain.block(height)!
          assert.equal(block.height, height)
          if (height > 0) assert.deepEqual(block.prevHash, chain.block(height - 1)!.hash)
          for (const { actions } of block.transactions) ironwood += actions.length
          assert.equal(block.treeSizes.ironwood, ironwood)
        }
      }),
      { numRuns: 15 },
    )
  })
})

describe('the seed', () => {
  test('makes a run reproducible byte for byte, and another seed gives another chain', () => {
    const run = (seed: Uint8Array) => {
      const { chain, wallet } = start({ seed, foreignPerBlock: 1 })
      wallet.pay({ uri: paymentUri(5n) })
      chain.mine(2)
      chain.reorg({ depth: 1 })
      return [
        txidToHex(chain.tip.hash),
        ...chain.block(2)!.transactions.map(tx => Buffer.from(rawTransaction(tx)).toString('hex')),
      ]
    }
    assert.deepEqual(run(SEED), run(SEED))
    assert.notDeepEqual(run(SEED), run(new Uint8Array(32).fill(8)))
  })

  test('never creates the same note twice', () => {
    const { chain, wallet } = start()
    const first = wallet.pay({ uri: paymentUri(5n) })
    chain.evict(first.id)
    const second = wallet.pay({ uri: paymentUri(5n) })
    assert.notEqual(first.id, second.id)
  })
})

test('listeners receive each event in order until they unsubscribe', () => {
  const { chain, wallet } = start()
  const received: ChainEvent['kind'][] = []
  const unsubscribe = chain.subscribe(({ kind }) => received.push(kind))
  wallet.pay({ uri: paymentUri(1n) })
  chain.mine()
  chain.reorg({ depth: 1 })
  unsubscribe()
  chain.mine()
  assert.deepEqual(received, ['transaction', 'block', 'disconnected', 'block'])
})
