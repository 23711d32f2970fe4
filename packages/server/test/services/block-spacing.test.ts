import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '../../src/domain/network-upgrade.ts'
import { createBlockSpacing } from '../../src/services/block-spacing.ts'
import { header } from '../store/fixtures.ts'
import { sqliteStore } from '../support/sqlite.ts'

test('the block spacing is that of the newest recorded block: 75 s before NU7, 25 s from it on', async t => {
  const { store } = await sqliteStore(t)
  const nu7 = 3_543_405
  const spacing = createBlockSpacing({ store, params: consensusParams('main') })
  assert.equal(await spacing.current(), 75)
  await store.write(rows => rows.chain.append([header(nu7 - 1)]))
  assert.equal(await spacing.current(), 75)
  await store.write(rows => rows.chain.append([header(nu7)]))
  assert.equal(await spacing.current(), 25)
  await store.write(rows => rows.chain.removeAbove(nu7 - 1))
  assert.equal(await spacing.current(), 75, 'a reorganisation across the upgrade')
})
