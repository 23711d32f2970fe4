import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  blockSpacingSecs,
  consensusParams,
  isActive,
  nextUpgrade,
  upgradeNotFollowed,
} from '../../../src/domain/chain/network-upgrade.ts'

const main = consensusParams('main')
const test_ = consensusParams('test')

test('NU6.3 and NU7 activate at the heights of the network, on a regtest at those of the settings', () => {
  const begins = (params: typeof main, name: 'NU6.3' | 'NU7', height: number) =>
    isActive(params, name, height) && !isActive(params, name, height - 1)
  assert.ok(begins(main, 'NU6.3', 3_428_143) && begins(main, 'NU7', 3_543_405))
  assert.ok(begins(test_, 'NU6.3', 4_134_000) && begins(test_, 'NU7', 4_465_026))
  const regtest = consensusParams('regtest', { nu63Height: 24, nu7Height: 44 })
  assert.ok(begins(regtest, 'NU6.3', 24) && begins(regtest, 'NU7', 44))
  assert.equal(isActive(consensusParams('regtest'), 'NU6.3', 0), true)
  assert.equal(isActive(consensusParams('regtest'), 'NU7', 1e9), false)
})

test('blocks are 75 s apart before NU7 and 25 s from NU7 on', () => {
  assert.deepEqual([blockSpacingSecs(main, 3_543_404), blockSpacingSecs(main, 3_543_405)], [75, 25])
  assert.deepEqual([blockSpacingSecs(test_, 4_465_025), blockSpacingSecs(test_, 4_465_026)], [75, 25])
  assert.equal(blockSpacingSecs(consensusParams('regtest'), 1e7), 75)
  assert.equal(blockSpacingSecs(consensusParams('regtest', { nu63Height: 1, nu7Height: 9 }), 9), 25)
})

test('the next upgrade is the first one above a height', () => {
  assert.equal(nextUpgrade(main, 3_543_404)?.name, 'NU7')
  assert.equal(nextUpgrade(main, 3_543_405), null)
  assert.equal(nextUpgrade(main, 3_428_142)?.name, 'NU6.3')
})

test('a server that reports the branch id of an older upgrade does not follow the one in force', () => {
  const at = (branchId: string, height: number) => upgradeNotFollowed(main, branchId, height)?.name ?? null
  assert.equal(at('37a5165b', 3_543_405), 'NU7')
  assert.equal(at('5437F330', 3_543_405), 'NU7')
  assert.equal(at('5437f330', 3_428_143), 'NU6.3')
  assert.equal(at('37a5165b', 3_543_404), null)
  assert.equal(at('77190AD9', 3_543_405), null)
  assert.equal(at('77190ad9', 3_543_404), null, 'a node that is a block further on')
})

test('an unknown branch id counts as following, since it can be that of a later upgrade', () => {
  for (const branchId of ['deadbeef', '', '0', '00000000', 'not hex'])
    assert.equal(upgradeNotFollowed(main, branchId, 4_000_000), null, branchId)
})
