import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Chain } from '../../src/chain/chain.ts'
import { rawTransaction } from '../../src/chain/transaction.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { createClock, paymentUri, SEED } from '../fixtures.ts'

function start(options: ConstructorParameters<typeof Chain>[0] = {}) {
  const clock = createClock()
  const chain = new Chain({ seed: SEED, clock, ...options })
  return { chain, clock, wallet: new Wallet(chain) }
}

describe('a persistent chain', () => {
  test('restores blocks, mempool, forks and the random sequence after a restart', t => {
    const file = logFile(t)
    const { chain, wallet } = start({ file, nu63Height: 2 })
    const kept = wallet.pay({ uri: paymentUri(1n) })
    const dropped = wallet.pay({ uri: paymentUri(2n) })
    chain.mine(3)
    chain.reorg({ depth: 3, drop: [dropped.id] })
    chain.close()
    const again = new Chain({ file, clock: createClock() })
    assert.deepEqual(again.seed, SEED)
    assert.equal(again.nu63Height, 2)
    assert.equal(again.height, chain.height)
    for (let height = 0; height <= chain.height; height++) assert.deepEqual(again.block(height), chain.block(height))
    assert.deepEqual(again.mempool(), chain.mempool())
    assert.deepEqual(rawTransaction(again.mempool()[0]!), rawTransaction(kept))
    assert.equal(again.find(dropped.id)!.location, 'fork')
    const next = new Wallet(again).pay({ uri: paymentUri(1n) })
    assert.equal([kept.id, dropped.id].includes(next.id), false)
    again.close()
  })

  test('loses only an incomplete last line and continues after it', t => {
    const file = logFile(t)
    const { chain } = start({ file })
    chain.mine(4)
    chain.close()
    appendFileSync(file, '{"kind":"block","hei')
    const again = new Chain({ file })
    assert.equal(again.height, chain.height)
    again.mine()
    again.close()
    const third = new Chain({ file })
    assert.deepEqual(third.tip, again.tip)
    third.close()
  })

  test('keeps its network and rejects another network', t => {
    const file = logFile(t)
    start({ file, network: 'test' }).chain.close()
    const again = new Chain({ file })
    assert.deepEqual([again.network, again.nu63Height, again.paymentPool], ['test', 4_134_000, 'orchard'])
    again.close()
    assert.throws(() => new Chain({ file, network: 'regtest' }), /network of this chain is test, not regtest/)
  })

  test('rejects another NU6.3 height and a file that is not a chain log', t => {
    const file = logFile(t)
    start({ file }).chain.close()
    assert.throws(() => new Chain({ file, nu63Height: 9 }), /has NU6.3 at height 0, not 9/)
    for (const text of ['hello\nworld', readFileSync(file, 'utf8').replace('"network":"regtest",', '')]) {
      const other = logFile(t)
      appendFileSync(other, text)
      assert.throws(() => new Chain({ file: other }), /not a sandbox chain/)
      assert.equal(readFileSync(other, 'utf8'), text)
    }
  })

  test('an existing chain keeps its NU7 height and its branch ids, and rejects another height', t => {
    const file = logFile(t)
    const { chain, wallet } = start({ file, nu7Height: 4 })
    const old = wallet.pay({ uri: paymentUri(1n) })
    chain.mine(3)
    const young = wallet.pay({ uri: paymentUri(1n) })
    chain.close()
    const again = new Chain({ file, clock: createClock() })
    assert.equal(again.nu7Height, 4)
    for (const { id, branchId } of [old, young]) assert.equal(again.find(id)!.transaction.branchId, branchId)
    again.close()
    assert.throws(() => new Chain({ file, nu7Height: 9 }), /has NU7 at height 4, not 9/)
  })
})

function logFile(t: { after: (done: () => void) => void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-chain-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'chain.jsonl')
}
