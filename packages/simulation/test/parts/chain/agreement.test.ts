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

test('agreement that is required of one server, or of none of several, is found at the end', () => {
  const { world, broken, tables } = createFakeWorld()
  const agreement = new Agreement(Object.assign(world, { usedServers: 2 }))
  agreement.checkEnd()
  tables.witnessed_height = [{ value: 1n }]
  Object.assign(world, { usedServers: 1 })
  agreement.checkEnd()
  assert.equal(broken.length, 2)
})
