import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainPart } from '../../../src/parts/chain/part.ts'
import { Draw } from '../../../src/runtime/draw.ts'
import { createServer, START_SECS, transaction } from '../../world/laboratory.ts'
import { createFakeWorld } from '../fake-world.ts'

/** The actions of the chain, in a world with one server. */
function createChain() {
  const { world } = createFakeWorld()
  const { network, server } = createServer()
  const mine = () => void network.mine(START_SECS)
  const { actions } = chainPart.create(
    Object.assign(world, { network, servers: [server], mine, observe: () => {}, setup: { height: network.height } }),
  )
  function run(name: string, seed = 1) {
    return actions.find(action => action.name === name)!.run(new Draw(seed))
  }
  return { actions, network, server, run }
}

test('no reorganisation removes the first block, and the chain does not get shorter by it', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const { network, run } = createChain()
    const [first] = network.branch
    const { height } = network
    run('reorganisation', seed)
    assert.equal(network.branch[0], first)
    assert.ok(network.height >= height, `seed ${seed}`)
  }
})

test('the chain gets shorter without a longer branch', () => {
  const { network, run } = createChain()
  run('reorganisation without a longer chain')
  assert.ok(network.height < 9)
})

test('every fault of a server ends when the servers recover', () => {
  const { actions, network, server, run } = createChain()
  const payment = transaction('payment')
  network.broadcast(payment)
  const faults = actions.filter(({ name }) => !/mine|reorganisation|recover|for long/.test(name))
  for (const { name } of faults) run(name)
  assert.deepEqual(
    [server.down, server.isFrozen, server.mempoolFails, server.shows(payment.txid)],
    [true, true, true, false],
  )
  run('servers recover')
  assert.deepEqual(
    [server.down, server.isFrozen, server.mempoolFails, server.shows(payment.txid)],
    [false, false, false, true],
  )
})
