import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Store, Tx } from '../../../src/ports/store.ts'
import { describePostgres, postgresEngine } from '../../harness/databases.ts'
import { makeAccount, NOW } from '../../harness/fixtures.ts'
import { anyLockWait } from '../../harness/lock-wait.ts'
import { until } from '../../harness/until.ts'

const NOW_MS = NOW * 1000

describePostgres('endpoints of two processes on PostgreSQL', server => {
  const engine = postgresEngine(server)

  test('a test event and the waking of endpoints lock them before the numbers of events, and do not deadlock', async t => {
    const { one, other, whenOneWaits } = await openTwo(t, engine)
    const accountId = await addAccount(one)
    const publicId = await addEndpoint(one, accountId)
    await append(one, accountId)

    /** A transaction that ends with a deadlock runs again. */
    let runs = 0
    const sending = held(one, async (tx, hold) => {
      runs += 1
      await tx.endpoints.lock(accountId, publicId)
      await hold()
      await tx.events.append([event(accountId)])
    })
    await sending.isHeld
    const waking = other.write(tx => {
      runs += 1
      return tx.endpoints.wake(NOW_MS, [accountId])
    })
    await whenOneWaits()
    await Promise.all([sending.release(), waking])
    assert.equal(runs, 2)
    // The event that was committed meanwhile wakes them too.
    assert.equal(await one.query(tx => tx.endpoints.nextDueAtMs()), NOW_MS)
  })

  test('an endpoint that is created, and gets its first event, while others are locked to be woken, is woken too', async t => {
    const { one, other, whenOneWaits } = await openTwo(t, engine)
    const [accountId, locked] = [await addAccount(one), await addAccount(one)]
    const lockedId = await addEndpoint(one, locked)
    await addEndpoint(one, accountId)
    for (const id of [accountId, locked]) await append(one, id)

    const locking = held(one, async (tx, hold) => {
      await tx.endpoints.lock(locked, lockedId)
      await hold()
    })
    await locking.isHeld
    const waking = other.write(tx => tx.endpoints.wake(NOW_MS, [accountId, locked]))
    await whenOneWaits()
    const created = await addEndpoint(one, accountId)
    await append(one, accountId)
    await Promise.all([locking.release(), waking])
    assert.ok(await one.write(tx => tx.endpoints.lockDue(created, NOW_MS)))
  })

  test('an endpoint that is enabled again is woken by an event of meanwhile', async t => {
    const { one, other, whenOneWaits } = await openTwo(t, engine)
    const accountId = await addAccount(one)
    const publicId = await addEndpoint(one, accountId, false)

    const enabling = held(one, async (tx, hold) => {
      const endpoint = await tx.endpoints.lock(accountId, publicId)
      assert.ok(endpoint)
      await tx.endpoints.update(endpoint.id, { enabled: true }, NOW)
      await tx.endpoints.restart(endpoint.id)
      await hold()
    })
    await enabling.isHeld
    await append(other, accountId)
    const waking = other.write(tx => tx.endpoints.wake(NOW_MS, [accountId]))
    await whenOneWaits()
    await Promise.all([enabling.release(), waking])
    assert.ok(await one.write(tx => tx.endpoints.lockDue(publicId, NOW_MS)))
  })
})

async function openTwo(t: TestContext, engine: ReturnType<typeof postgresEngine>) {
  const database = await engine.createDatabase(t)
  const [one, other] = [await database.open(), await database.open()]
  const admin = new pg.Client(database.url)
  await admin.connect()
  t.after(() => admin.end())
  return { one, other, whenOneWaits: () => until('a process to wait for a lock', () => anyLockWait(admin)) }
}

/** A transaction that waits at `hold` until it is released. Its return is awaited by `release`. */
function held(store: Store, work: (tx: Tx, hold: () => Promise<void>) => Promise<void>) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const done = store.write(tx =>
    work(tx, () => {
      reached.resolve()
      return released.promise
    }),
  )
  const release = () => {
    released.resolve()
    return done
  }
  return { isHeld: Promise.race([reached.promise, done]), release }
}

async function addAccount(store: Store): Promise<number> {
  return (await makeAccount(store)).id
}

async function addEndpoint(store: Store, accountId: number, enabled = true): Promise<string> {
  const dialect = { dialect: 'zatgate', greenfieldEvents: null, application: null } as const
  const about = {
    accountId,
    url: 'https://a.example/',
    enabled,
    schedule: 'standard',
    types: null,
    ...dialect,
  } as const
  const secrets = { sealedSecret: new Uint8Array(1), earlierSealedSecret: null, earlierSecretUntil: null }
  const publicId = randomUUID()
  await store.write(tx => tx.endpoints.insert({ publicId, ...about, ...secrets, createdAt: NOW, updatedAt: NOW }))
  return publicId
}

function event(accountId: number) {
  const type = 'plan.updated' as const
  return { accountId, invoiceId: null, type, body: '{}', createdAt: NOW, publicId: randomUUID() }
}

async function append(store: Store, accountId: number): Promise<void> {
  await store.write(tx => tx.events.append([event(accountId)]))
}
