import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import type { Account } from '../../../src/domain/account/account.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { EventType } from '../../../src/domain/notify/event.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createDatabaseIdentity } from '../../../src/services/database-identity.ts'
import { createEventFeed, type EventQuery } from '../../../src/services/notify/event-feed.ts'
import { type DatabaseEngine, onBothDatabases, onPostgres, openEmptyStore } from '../../harness/databases.ts'
import { makeAccount, NOW } from '../../harness/fixtures.ts'
import { anyLockWait } from '../../harness/lock-wait.ts'
import { silentLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { until } from '../../harness/until.ts'

const NEVER = new AbortController().signal
const WAIT_MS = 30_000
const POLL_MS = 1_000

/** A feed of one process. */
function feedOf(store: Store) {
  const clock = new ManualClock(NOW)
  const feed = createEventFeed({ store, clock })
  return {
    clock,
    feed,
    read: (account: Account, query: Partial<EventQuery> = {}, signal = NEVER) =>
      feed.read(account, { limit: 50, waitMs: 0, ...query }, signal),
    /** Resolves once this many readers wait. The watch of all of them sleeps too. */
    waiting: (readers: number) => until(`${readers} readers`, () => clock.sleeping.length === readers + 1),
    /** Resolves once no reader waits, and nothing is left running. */
    idle: () =>
      until('the end of the watch', () => {
        clock.advanceMs(POLL_MS)
        return clock.sleeping.length === 0
      }),
  }
}

async function open(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  return { store, account: await makeAccount(store), ...feedOf(store) }
}

function eventOf({ id }: Account, type: EventType = 'plan.updated', body = '{}', createdAt = NOW) {
  return { accountId: id, invoiceId: null, type, body, createdAt, publicId: randomUUID() }
}

/** Without a notification, as batched writes do. */
const append = (store: Store, account: Account, ...types: readonly EventType[]) =>
  store.write(tx => tx.events.append(types.map(type => eventOf(account, type))))

const raise = (store: Store, account: Account, type?: EventType) =>
  store.write(async tx => {
    await tx.events.append([eventOf(account, type)])
    tx.notify('events')
  })

/** The same store, whose notifications get lost. */
const deaf = (store: Store): Store => ({ ...store, listen: () => () => {} })

const seqs = ({ events }: { readonly events: readonly { readonly seq: number }[] }) => events.map(({ seq }) => seq)
const refusedWith = (code: string, detail?: unknown) => (error: unknown) =>
  error instanceof AppError && error.code === code && (detail === undefined || error.extra?.detail === detail)

onBothDatabases(engine => {
  test('pages have the events in order with the bytes that were written, and continue with `nextAfter`', async t => {
    const { store, account, read } = await open(engine, t)
    const bodies = ['{"b":1,"a":{"__proto__":1}}', '{"n":1e400,"m":1.10}', '{"t":"\\u00fc ü \\ud83d\\ude00"}']
    await store.write(tx => tx.events.append(bodies.map(body => eventOf(account, 'plan.updated', body))))
    const whole = await read(account)
    assert.deepEqual(
      whole.events.map(({ seq, body }) => [seq, body]),
      bodies.map((body, index) => [index + 1, body]),
    )
    assert.equal(whole.nextAfter, 3)
    const first = await read(account, { limit: 2 })
    assert.deepEqual([seqs(first), first.nextAfter], [[1, 2], 2])
    const second = await read(account, { limit: 2, after: first.nextAfter })
    assert.deepEqual([seqs(second), second.nextAfter], [[3], 3])
  })

  test('`after` may be left out, be 0 or that of the newest event, but not above it', async t => {
    const { store, account, read } = await open(engine, t)
    for (const after of [undefined, 0]) assert.deepEqual(await read(account, { after }), { events: [], nextAfter: 0 })
    await assert.rejects(
      read(account, { after: 1 }),
      refusedWith('invalid_after', 'the newest event of this account is 0'),
    )
    await append(store, account, 'test', 'test')
    await append(store, await makeAccount(store), 'test', 'test', 'test')
    for (const after of [undefined, 0]) assert.deepEqual(seqs(await read(account, { after })), [1, 2])
    assert.deepEqual(await read(account, { after: 2 }), { events: [], nextAfter: 2 })
    for (const waitMs of [0, WAIT_MS])
      await assert.rejects(
        read(account, { after: 3, waitMs }),
        refusedWith('invalid_after', 'the newest event of this account is 2'),
      )
  })

  test('`after` below the oldest event that is kept names that event; left out, reading begins there', async t => {
    const { store, account, read } = await open(engine, t)
    await append(store, account, 'test', 'test')
    await store.write(tx => tx.events.append([eventOf(account, 'test', '{}', NOW + 1)]))
    assert.equal(await store.write(tx => tx.events.prune(NOW + 1, 10)), 2)
    for (const after of [0, 1])
      await assert.rejects(read(account, { after }), (error: AppError) => {
        assert.deepEqual([error.code, error.extra], ['events_pruned', { first_seq: 3 }])
        return true
      })
    assert.deepEqual(seqs(await read(account)), [3])
    assert.deepEqual(seqs(await read(account, { after: 2 })), [3])
    await store.write(tx => tx.events.prune(NOW + 2, 10))
    assert.deepEqual(await read(account), { events: [], nextAfter: 3 })
  })

  test('pages of some types are in the order of all, and `nextAfter` passes the others', async t => {
    const { store, account, read } = await open(engine, t)
    await append(store, account, 'test', 'invoice.paid', 'test', 'invoice.expired', 'invoice.paid', 'test', 'test')
    const types = ['invoice.expired', 'invoice.paid'] as const
    const first = await read(account, { types, limit: 2 })
    assert.deepEqual([seqs(first), first.nextAfter], [[2, 4], 4])
    const second = await read(account, { types, limit: 2, after: 4 })
    assert.deepEqual([seqs(second), second.nextAfter], [[5], 7])
    assert.deepEqual(await read(account, { types: ['swap.failed'] }), { events: [], nextAfter: 7 })
    // A page that is exactly full may be the last one: the next is empty and passes the rest.
    const full = await read(account, { types, limit: 3 })
    assert.deepEqual([seqs(full), full.nextAfter], [[2, 4, 5], 5])
    assert.deepEqual(await read(account, { types, after: 5 }), { events: [], nextAfter: 7 })
  })

  test('a reader that waits gets an event during the wait at once, and those of other accounts never', async t => {
    const { store, account, read, waiting, idle } = await open(engine, t)
    const page = read(account, { waitMs: WAIT_MS })
    await waiting(1)
    await raise(store, await makeAccount(store))
    await raise(store, account)
    assert.deepEqual(seqs(await page), [1])
    await idle()
  })

  test('a reader of one type waits through events of others, and its `nextAfter` passes them', async t => {
    const { store, account, clock, read, waiting, idle } = await open(engine, t)
    const types = ['invoice.paid'] as const
    const page = read(account, { waitMs: WAIT_MS, types })
    await waiting(1)
    await raise(store, account, 'test')
    await raise(store, account, 'invoice.paid')
    assert.deepEqual(await page.then(it => [seqs(it), it.nextAfter]), [[2], 2])
    const empty = read(account, { waitMs: WAIT_MS, types, after: 2 })
    await waiting(1)
    await raise(store, account, 'test')
    await until('the look at the other event', () => clock.sleeping.length === 2)
    clock.advanceMs(WAIT_MS)
    assert.deepEqual(await empty, { events: [], nextAfter: 3 })
    await idle()
  })

  test('an event whose notification is lost arrives by the next poll', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const { clock, read, waiting, idle } = feedOf(deaf(store))
    const page = read(account, { waitMs: WAIT_MS })
    await waiting(1)
    await append(store, account, 'test')
    clock.advanceMs(POLL_MS)
    assert.deepEqual(seqs(await page), [1])
    await idle()
  })

  test('a wait ends by its time, by the signal of its client and by the close of the feed', async t => {
    const { account, clock, feed, read, waiting, idle } = await open(engine, t)
    const empty = { events: [], nextAfter: 0 }
    const timed = read(account, { waitMs: WAIT_MS })
    await waiting(1)
    clock.advanceMs(WAIT_MS)
    assert.deepEqual(await timed, empty)

    const client = new AbortController()
    const aborted = read(account, { waitMs: WAIT_MS }, client.signal)
    await waiting(1)
    client.abort()
    assert.deepEqual(await aborted, empty)
    assert.deepEqual(await read(account, { waitMs: WAIT_MS }, AbortSignal.abort()), empty)

    const closed = [read(account, { waitMs: WAIT_MS }), read(account, { waitMs: WAIT_MS })]
    await waiting(2)
    feed.close()
    assert.deepEqual(await Promise.all(closed), [empty, empty])
    assert.deepEqual(await read(account, { waitMs: WAIT_MS }), empty)
    await idle()
  })

  test('20 readers of an account wait; one more is refused, those of other accounts and without a wait are not', async t => {
    const { store, account, feed, read, waiting, idle } = await open(engine, t)
    const client = new AbortController()
    const first = read(account, { waitMs: WAIT_MS }, client.signal)
    const readers = Array.from({ length: 19 }, () => read(account, { waitMs: WAIT_MS }))
    await waiting(20)
    await assert.rejects(read(account, { waitMs: WAIT_MS }), refusedWith('too_many_event_readers'))
    assert.deepEqual(seqs(await read(account)), [])
    const other = read(await makeAccount(store), { waitMs: WAIT_MS })
    await waiting(21)
    client.abort()
    await first
    const next = read(account, { waitMs: WAIT_MS })
    await waiting(21)
    feed.close()
    await Promise.all([...readers, other, next])
    await idle()
  })

  test('a reader with an old number in a restored copy reads on, and never misses a new event', async t => {
    const { store, account, read } = await open(engine, t)
    const silent = await makeAccount(store)
    await append(store, account, 'test', 'test')
    const identity = createDatabaseIdentity({
      ...{ store, clock: new ManualClock(NOW), random: systemRandom, lateWatchDays: 7, log: silentLog },
    })
    // A copy of the database. The original went on: readers have seen its events up to 5, of both accounts.
    await identity.advanceCounters()
    await append(store, account, 'plan.updated')
    await append(store, silent, 'plan.updated')
    for (const reader of [account, silent]) {
      const { events, nextAfter } = await read(reader, { after: 5 })
      assert.deepEqual(
        events.map(({ type }) => type),
        ['plan.updated'],
      )
      assert.ok(nextAfter > 2 ** 32 && Number.isSafeInteger(nextAfter), `${nextAfter}`)
    }
    assert.deepEqual(
      (await read(account)).events.map(({ type }) => type),
      ['test', 'test', 'plan.updated'],
    )
  })
})

onPostgres(engine => {
  test('an event of another process reaches a reader that waits by a notification', async t => {
    const database = await engine.createDatabase(t)
    const [store, other] = [await database.open(), await database.open()]
    const account = await makeAccount(store)
    const { read, waiting, idle } = feedOf(store)
    const page = read(account, { waitMs: WAIT_MS })
    await waiting(1)
    await raise(other, account)
    assert.deepEqual(seqs(await page), [1])
    await idle()
  })

  for (const end of ['COMMIT', 'ROLLBACK', 'killed'] as const)
    test(`a number is read only after those before it: the writer before ends with ${end}`, async t => {
      const database = await engine.createDatabase(t)
      const store = await database.open()
      const account = await makeAccount(store)
      const { read } = feedOf(store)
      await append(store, account, 'test')
      const slow = new pg.Client(database.url)
      slow.on('error', () => {})
      await slow.connect()
      t.after(() => slow.end())
      const admin = new pg.Client(database.url)
      await admin.connect()
      t.after(() => admin.end())
      const { rows } = await slow.query('SELECT pg_backend_pid() AS pid')
      await slow.query('BEGIN')
      await slow.query('UPDATE event_counters SET seq = seq + 1 WHERE account_id = $1', [account.id])
      await slow.query(
        `INSERT INTO events (account_id, seq, public_id, type, body, created_at) VALUES ($1, 2, 'slow', 'test', '{}', 0)`,
        [account.id],
      )
      const fast = append(store, account, 'plan.updated')
      await until('the fast writer to wait', () => anyLockWait(admin))
      assert.deepEqual(await read(account, { after: 1 }), { events: [], nextAfter: 1 })
      if (end === 'killed') {
        await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
      } else await slow.query(end)
      await fast
      const { events } = await read(account, { after: 1 })
      const types = events.map(({ seq, type }) => [seq, type])
      assert.deepEqual(
        types,
        end === 'COMMIT'
          ? [
              [2, 'test'],
              [3, 'plan.updated'],
            ]
          : [[2, 'plan.updated']],
      )
    })
})
