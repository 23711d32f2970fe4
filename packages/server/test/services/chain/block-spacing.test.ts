import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import { createBlockSpacing } from '../../../src/services/chain/block-spacing.ts'
import { sqliteStore } from '../../harness/databases.ts'
import { header } from '../../harness/fixtures.ts'

test('the block spacing at the newest recorded block is 75 s before NU7 and 25 s from NU7', async t => {
  const { store } = await sqliteStore(t)
  const nu7 = 3_543_405
  const spacing = createBlockSpacing({ store, params: consensusParams('main') })
  assert.equal(await spacing.current(), 75)
  await store.write(tx => tx.chain.appendHeaders([header(nu7 - 1)]))
  assert.equal(await spacing.current(), 75)
  await store.write(tx => tx.chain.appendHeaders([header(nu7)]))
  assert.equal(await spacing.current(), 25)
  await store.write(tx => tx.chain.removeHeadersAbove(nu7 - 1))
  assert.equal(await spacing.current(), 75, 'a reorganisation across the upgrade')
})
