import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Account } from '@zatgate/server/domain/account/account'
import type { Store } from '@zatgate/server/ports/store'
import { hashOf, makeAccount, NOW } from '../../../../server/test/harness/fixtures.ts'
import { Draw } from '../../../src/runtime/draw.ts'
import type { Owner } from '../../../src/runtime/scheduler.ts'
import type { StoreHooks, StoreStep } from '../../../src/store/hooks.ts'
import { openPostgresServer, openStoreOn, type PostgresServer } from '../../../src/store/postgres/server.ts'

const NO_HOOKS: StoreHooks = { before: () => undefined, fail: () => {}, after: () => undefined, onCommit: () => {} }
const MONTH = '2026-11'

async function openServer(t: TestContext): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-simulated-'))
  const server = await openPostgresServer(join(folder, 'postgres.db'))
  t.after(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return server
}

function newProcess(name: string): Owner {
  return { name, alive: true }
}

async function openTwo(t: TestContext) {
  const server = await openServer(t)
  const [first, second] = [newProcess('first'), newProcess('second')]
  const [one, two] = [await openStoreOn(server, first, () => {}), await openStoreOn(server, second, () => {})]
  return { server, first, second, one, two, account: await makeAccount(one) }
}

const increment = (store: Store, account: Account) =>
  store.write(tx => tx.usage.increment(account.id, MONTH, null)).then(({ used }) => used)

/** Hooks that call `act` once, at the first step of the kind. */
function once(kind: StoreStep['kind'], at: 'before' | 'after', act: () => Promise<void> | undefined): StoreHooks {
  let done = false
  return {
    ...NO_HOOKS,
    [at](step: StoreStep) {
      if (done || step.kind !== kind) return undefined
      done = true
      return act()
    },
  }
}

function fail(code?: string): never {
  throw Object.assign(new Error('injected'), code === undefined ? {} : { code })
}

test('a process that dies before its commit leaves neither changes nor locks, and its call never returns', async t => {
  const { server, first, one, two, account } = await openTwo(t)
  const died = Promise.withResolvers<void>()
  server.hooks = once('commit', 'before', async () => {
    server.crash(first)
    died.resolve()
  })
  let returned = false
  const end = () => {
    returned = true
  }
  increment(one, account).then(end, end)
  await died.promise
  assert.equal(await increment(two, account), 1)
  await nextTurn()
  assert.equal(returned, false)
})

test('a process that dies while it waits for a lock never gets it', async t => {
  const { server, first, one, two, account } = await openTwo(t)
  const hold = Promise.withResolvers<void>()
  const holding = two.write(async tx => {
    await tx.accounts.lock(account.id)
    await hold.promise
    return tx.accounts.setTerms(account.id, { confirmations: 7, toleranceBps: 0 })
  })
  await nextTurn()
  one.write(tx => tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 })).catch(() => {})
  await nextTurn()
  server.crash(first)
  hold.resolve()
  await holding
  assert.equal((await two.read(tx => tx.accounts.byId(account.id)))?.confirmations, 7)
})

test('a commit whose response is lost has happened, and the caller learns only that the database is unavailable', async t => {
  const { server, one, two, account } = await openTwo(t)
  server.hooks = once('commit', 'after', () => fail())
  await assert.rejects(increment(one, account), { kind: 'unavailable', code: 'database_unavailable' })
  assert.equal(await two.read(tx => tx.usage.used(account.id, MONTH)), 1)
  assert.equal(await increment(one, account), 2)
})

for (const kind of ['begin', 'statement', 'commit'] as const)
  test(`a connection that is lost at a ${kind} undoes the transaction, and the next use case gets another connection`, async t => {
    const { server, one, account } = await openTwo(t)
    server.hooks = once(kind, 'before', () => fail('57P01'))
    await assert.rejects(increment(one, account), { kind: 'unavailable', code: 'database_unavailable' })
    assert.equal(await increment(one, account), 1)
  })

test('the SQLSTATE of a failed statement fails the use case on a connection that continues', async t => {
  const { server, one, account } = await openTwo(t)
  server.hooks = once('statement', 'before', () => fail('40001'))
  assert.equal(await increment(one, account), 1, 'a serialisation failure runs again')
  server.hooks = once('statement', 'before', () => fail('57014'))
  await assert.rejects(increment(one, account), { kind: 'unavailable', code: 'database_unavailable' })
  assert.equal(await increment(one, account), 2)
})

test('statements on a lost connection fail with the errors of pg', async t => {
  const server = await openServer(t)
  const client = await server.source(newProcess('client')).connect()
  await client.query('BEGIN')
  server.hooks = once('statement', 'before', () => fail())
  const pipelined = [client.query('SELECT 1 AS one', []), client.query('COMMIT')]
  for (const result of await Promise.allSettled(pipelined)) assert.equal(result.status, 'rejected')
  await assert.rejects(client.query('ROLLBACK'), /^Error: Client has encountered a connection error/)
})

test('each commit that changed something is reported at once, with its process and its use cases', async t => {
  const { server, first, second, one, two, account } = await openTwo(t)
  const reports: [string, number, bigint][] = []
  server.hooks = {
    ...NO_HOOKS,
    onCommit({ name }, useCases) {
      const [row] = server.committed<{ used: bigint }>(
        'SELECT used FROM monthly_usage WHERE account_id = ?',
        account.id,
      )
      reports.push([name, useCases, row?.used ?? 0n])
    },
  }
  await increment(one, account)
  await two.write(tx => tx.accounts.lock(account.id))
  await two.read(tx => tx.usage.used(account.id, MONTH))
  const claim = (key: string) => {
    const claim = {
      accountId: account.id,
      key,
      bodyHash: hashOf(key),
      invoicePublicId: key,
      createdAt: NOW,
      since: NOW,
    }
    return two.writeBatched(account.id, async tx => {
      await tx.idempotency.claim(claim)
      await tx.usage.increment(account.id, MONTH, null)
      if (key === 'b') fail()
    })
  }
  await Promise.allSettled(['a', 'b', 'c'].map(claim))
  assert.deepEqual(reports, [
    [first.name, 1, 1n],
    [second.name, 3, 3n],
  ])
})

test('notifications reach the other processes after the commit, and no process that has died or is disconnected', async t => {
  const { server, first, second, one, two } = await openTwo(t)
  const heard: string[] = []
  one.listen('swaps', () => heard.push('first'))
  two.listen('swaps', () => heard.push('second'))
  await one.write(async tx => tx.notify('swaps'))
  await nextTurn()
  await nextTurn()
  assert.deepEqual(heard.splice(0), ['first', 'second'])
  server.disconnect(second)
  await nextTurn()
  await nextTurn()
  assert.deepEqual(heard.splice(0), ['second'], 'it may have missed a notification')
  await two.write(async tx => tx.notify('swaps'))
  server.crash(first)
  await nextTurn()
  assert.deepEqual(heard, ['second'])
})

test('two use cases that lock the same rows in opposite order both succeed', async t => {
  const { one, two, account } = await openTwo(t)
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const cross = (store: Store, keys: readonly string[]) =>
    store.write(async tx => {
      for (const key of keys) {
        const createdAt = NOW
        await tx.idempotency.claim({
          accountId: account.id,
          key,
          bodyHash: hashOf(key),
          invoicePublicId: keys.join(),
          createdAt,
          since: createdAt,
        })
        if (++runs === 2) gate.resolve()
        await gate.promise
      }
    })
  await Promise.all([cross(one, ['x', 'y']), cross(two, ['y', 'x'])])
  assert.ok(runs > 4, 'one of them failed with a deadlock and ran again')
})

test('a reset leaves a database like a new one, and nothing of the processes', async t => {
  const { server, one, account } = await openTwo(t)
  const unfinished = one.write(async tx => {
    await tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 })
    await new Promise(() => {})
  })
  unfinished.catch(() => {})
  await nextTurn()
  server.reset()
  const [row] = server.committed<{ accounts: bigint }>('SELECT count(*) AS accounts FROM accounts')
  assert.equal(row?.accounts, 0n)
  const store = await openStoreOn(server, newProcess('third'), () => {})
  assert.equal((await makeAccount(store)).id, 1)
})

test('a restored copy has the content and the ids of its time, and another identity', async t => {
  const { server, one, account } = await openTwo(t)
  const copy = server.copyContent()
  await one.write(tx => tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 }))
  await makeAccount(one)
  const before = await one.read(tx => tx.databaseIdentity.read())
  await one.close()
  server.restoreContent(copy)
  server.identity = 'another'
  const restored = await openStoreOn(server, newProcess('restored'), () => {})
  assert.deepEqual(await restored.read(tx => tx.accounts.list(0, 100)), [account])
  assert.equal((await makeAccount(restored)).id, account.id + 1)
  assert.match(before.current, /^system:/)
  assert.equal((await restored.write(tx => tx.databaseIdentity.lock())).current, 'another')
})

test('the sequences of a promoted standby are ahead of its content by what was logged, and ids of lost rows are skipped', async t => {
  const { server, one, account } = await openTwo(t)
  const copy = server.copyContent()
  const lost = await makeAccount(one)
  await one.close()
  server.restoreContent(copy, () => 32)
  const restored = await openStoreOn(server, newProcess('restored'), () => {})
  assert.equal(lost.id, account.id + 1)
  assert.equal((await makeAccount(restored)).id, account.id + 33)
})

test('the same order of events gives the same steps and the same content', async t => {
  const server = await openServer(t)
  async function run(): Promise<{ steps: string[]; content: unknown }> {
    server.hooks = NO_HOOKS
    server.reset()
    const stores = await Promise.all(['a', 'b', 'c'].map(name => openStoreOn(server, newProcess(name), () => {})))
    const account = await makeAccount(stores[0]!, 'a@example.com')
    const draw = new Draw(1, 'order')
    const steps: string[] = []
    server.hooks = {
      ...NO_HOOKS,
      async before({ process, kind }) {
        for (let turns = draw.int(0, 3); turns > 0; turns--) await nextTurn()
        steps.push(`${process.name} ${kind}`)
      },
    }
    const use = (store: Store) =>
      store.write(async tx => {
        await tx.accounts.byId(account.id)
        const { used } = await tx.usage.increment(account.id, MONTH, null)
        await tx.mails.enqueue({ to: `${used}`, about: 'api_key_created', detail: null, createdAt: NOW })
      })
    await Promise.all([...stores, ...stores, ...stores].map(use))
    return { steps, content: server.committed('SELECT id, recipient FROM mails ORDER BY id') }
  }
  const first = await run()
  assert.deepEqual(await run(), first)
  assert.ok(first.steps.length > 9 * 5)
})
