import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '../../src/domain/chain/network-upgrade.ts'
import type { Store } from '../../src/ports/store.ts'
import { createReadiness, type Readiness } from '../../src/services/readiness.ts'
import { NEWEST_MIGRATION } from '../../src/store/migrations/index.ts'
import { onBothDatabases, openEmptyStore } from '../harness/databases.ts'
import { header } from '../harness/fixtures.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const PARAMS = consensusParams('main', { nu63Height: 1, nu7Height: null })

function readinessOf(
  store: Store,
  clock: ManualClock,
  { newestMigration = NEWEST_MIGRATION, watchesChain = true } = {},
) {
  return createReadiness({ store, clock, params: PARAMS, newestMigration, roles: watchesChain ? ['watcher'] : ['api'] })
}

/** The failed checks with their reasons. */
async function failed(readiness: Readiness): Promise<Record<string, string>> {
  const { checks } = await readiness.check()
  return Object.fromEntries(checks.flatMap(({ name, reason }) => (reason === null ? [] : [[name, reason]])))
}

/** Records blocks up to now, and that chain and mempool are known. */
async function sync(store: Store, clock: ManualClock): Promise<void> {
  await store.write(async tx => {
    const headers = [1, 2, 3].map(height => ({ ...header(height), time: clock.secs - 60 }))
    await tx.chain.appendHeaders(headers)
    await tx.chain.setSyncedThrough(clock.secs, clock.secs)
  })
}

onBothDatabases(engine => {
  test('each check fails with its reason, and a watcher is ready only when all hold', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock()
    const watcher = readinessOf(store, clock)
    assert.deepEqual(await failed(watcher), {
      chain: 'no block has been read yet',
      watcher: 'chain and mempool have not been read yet',
    })
    assert.equal((await watcher.check()).isReady, false)
    assert.equal((await readinessOf(store, clock, { watchesChain: false }).check()).isReady, true)

    await sync(store, clock)
    clock.advance(2)
    assert.deepEqual(await failed(watcher), {})
    assert.equal((await watcher.check()).isReady, true)

    await store.write(tx => tx.chain.setProblems([{ problem: 'mempool_unreadable' }], clock.secs))
    clock.advance(2)
    assert.match((await failed(watcher)).chain ?? '', /mempool/)
    await store.write(tx => tx.chain.setProblems([{ problem: 'estimated_lag', blocks: 9 }], clock.secs))
    clock.advance(2)
    assert.deepEqual(await failed(watcher), {}, 'an estimate is no reason')

    clock.advance(200)
    assert.match((await failed(watcher)).watcher ?? '', /^chain and mempool are known up to \d+ s ago only$/)
    clock.advance(3_600)
    assert.match((await failed(watcher)).chain ?? '', /^the newest block is \d+ s old$/)
  })

  test('a database that a newer version has migrated makes every process unready', async t => {
    const store = await openEmptyStore(engine, t)
    const older = readinessOf(store, new ManualClock(), { newestMigration: '0001_core', watchesChain: false })
    assert.equal((await older.check()).isReady, false)
    assert.equal(
      (await failed(older)).migrations,
      `the database has migrations up to ${NEWEST_MIGRATION}, this version up to 0001_core`,
    )
  })

  test('without the database no check holds, and the next one after a second asks again', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock()
    let fails = true
    const failing: Store = {
      ...store,
      read: work => (fails ? Promise.reject(new Error('connection refused')) : store.read(work)),
    }
    const readiness = readinessOf(failing, clock, { watchesChain: false })
    assert.equal((await failed(readiness)).database, 'the database does not respond')
    assert.equal(await readiness.isChainSeen(), true, 'that is not known')
    fails = false
    assert.equal((await readiness.check()).isReady, false, 'the result is kept for a second')
    clock.advance(1)
    assert.equal((await readiness.check()).isReady, true)
  })

  test('the chain counts as seen until two minutes without a sync, and before the first one', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock()
    const readiness = readinessOf(store, clock)
    assert.equal(await readiness.isChainSeen(), true)
    await sync(store, clock)
    clock.advance(120)
    assert.equal(await readiness.isChainSeen(), true)
    clock.advance(1)
    assert.equal(await readiness.isChainSeen(), false)
  })
})

test('a database that does not respond is reported after three seconds', async () => {
  const clock = new ManualClock()
  const store = { read: () => new Promise<never>(() => {}) } as unknown as Store
  const checking = failed(readinessOf(store, clock))
  clock.advance(3)
  assert.equal((await checking).database, 'the database does not respond')
})
