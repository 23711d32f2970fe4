import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agreement } from '../../../src/parts/chain/agreement.ts'
import { createFakeWorld } from '../fake-world.ts'

test('a second server that joins far above the last compared blocks is found', () => {
  for (const [height, isRight] of [
    [400n, true],
    [401n, false],
  ] as const) {
    const { world, broken, tables } = createFakeWorld()
    const agreement = new Agreement(world)
    tables['FROM headers'] = [{ value: 500n }]
    agreement.check()
    tables.witnessed_height = [{ value: height }]
    agreement.check()
    assert.deepEqual(broken, isRight ? [] : ['a second server that joins is compared with the last 100 blocks'])
  }
})

test('a run has settled when agreement is required of several servers alone', () => {
  const { world, tables } = createFakeWorld()
  const agreement = new Agreement(world)
  for (const [usedServers, height, reason] of [
    [2, null, 'agreement is not required, with 2 servers'],
    [2, 1n, null],
    [1, 1n, 'agreement is required, with 1 servers'],
    [1, null, null],
  ] as const) {
    Object.assign(world, { usedServers })
    tables.witnessed_height = height === null ? [] : [{ value: height }]
    assert.equal(agreement.unsettled(), reason)
  }
})
