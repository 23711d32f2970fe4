import assert from 'node:assert/strict'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import pg from 'pg'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { BatchTx, Store } from '../../../src/ports/store.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import { backupDatabase, openStore } from '../../../src/store/open.ts'
import { describePostgres, postgresEngine } from '../../harness/databases.ts'
import { FIRST_CURSOR, hashOf, makeAccount, moved, NOW, openShop } from '../../harness/fixtures.ts'
import { migrationOf } from '../../harness/migration.ts'
import { until } from '../../harness/until.ts'

describePostgres('several processes on one PostgreSQL', server => {
  const engine = postgresEngine(server)

  async function openAdmin(t: TestContext, url: string): Promise<pg.Client> {
    const admin = new pg.Client(url)
    await admin.connect()
    t.after(() => admin.end())
    return admin
  }

  test('a stop cancels the statement of a migration that is running', async t => {
    const database = await engine.createDatabase(t)
    const admin = await openAdmin(t, database.url)
    const slow = migrationOf('9000_slow', 'SELECT pg_sleep(600)')
    const stop = new AbortController()
    const opening = database.open({ migrations: [...MIGRATIONS, slow], migration: { signal: stop.signal } })
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND wait_event = 'PgSleep'"
    await until('the statement to run', async () => (await admin.query(sleeping)).rowCount === 1)
    stop.abort(new Error('stopped'))
    await assert.rejects(opening, /^Error: stopped$/)
    assert.equal((await admin.query(sleeping)).rowCount, 0)
    await database.open()
  })

  test('a reader with a cursor misses no change while other processes write', async t => {
    const database = await engine.createDatabase(t)
    const stores = await Promise.all([1, 2, 3].map(() => database.open({ limits: { maxConnections: 6 } })))
    const [reader] = stores
    assert.ok(reader)
    const shop = await openShop(reader)
    const invoices = await Promise.all(Array.from({ length: 300 }, () => shop.sell()))
    const remaining = [...invoices]

    async function write(store: Store): Promise<void> {
      for (let invoice = remaining.pop(); invoice; invoice = remaining.pop()) await touch(store, invoice)
    }
    const touch = (store: Store, invoice: Invoice) =>
      store.write(async tx => {
        await tx.invoiceChanges.append([moved(invoice)])
        await tx.accounts.byId(invoice.accountId)
      })

    const seen: number[] = []
    let done = false
    async function readAll(store: Store): Promise<void> {
      for (let cursor = FIRST_CURSOR; ; ) {
        const last = done
        const touched = (await store.read(tx => tx.invoiceChanges.since(cursor, 7)))!
        seen.push(...touched.invoiceIds)
        if (last && touched.cursor.seq === cursor.seq) return
        cursor = touched.cursor
      }
    }
    const reading = readAll(reader)
    await Promise.all(stores.flatMap(store => [1, 2, 3].map(() => write(store))))
    done = true
    await reading
    const ascending = (ids: number[]) => ids.toSorted((a, b) => a - b)
    assert.deepEqual(ascending(seen), ascending(invoices.map(invoice => invoice.id)))
  })

  test('every process is notified once by each process, itself included', async t => {
    const url = await server().migratedDatabase()
    const [a, b] = [await startListener(t, url), await startListener(t, url)]
    for (const writer of [a, b]) {
      writer.child.stdin.write('notify\n')
      assert.equal(await a.line(), 'notified')
      assert.equal(await b.line(), 'notified')
    }
    a.child.stdin.end()
    b.child.stdin.end()
    assert.deepEqual([await a.line(), await b.line()], [null, null])
  })

  for (const batched of [false, true]) {
    test(`two use cases that lock the same rows in opposite order both succeed${batched ? ', batched' : ''}`, async t => {
      const database = await engine.createDatabase(t)
      const [one, two] = [await database.open(), await database.open()]
      const shop = await openShop(one)
      const claim = { accountId: shop.account.id, bodyHash: hashOf('body'), createdAt: NOW, since: NOW }
      const gate = Promise.withResolvers<void>()
      let runs = 0
      const cross = (store: Store, first: string, second: string) => {
        const work = async (tx: BatchTx) => {
          await tx.idempotency.claim({ ...claim, key: first, invoicePublicId: randomUUID() })
          if (++runs === 2) gate.resolve()
          await gate.promise
          await tx.idempotency.claim({ ...claim, key: second, invoicePublicId: randomUUID() })
        }
        return batched ? store.writeBatched(shop.account.id, work) : store.write(work)
      }
      await Promise.all([cross(one, 'x', 'y'), cross(two, 'y', 'x')])
      assert.ok(runs >= 3, 'one of them failed with a deadlock and ran again')
    })
  }

  test('a process started before a migration keeps working after it', async t => {
    const database = await engine.createDatabase(t)
    const old = await database.open({ limits: { maxConnections: 3 } })
    const { account, sell } = await openShop(old)
    const { publicId } = await sell()
    const useAll = () =>
      Promise.all([
        ...[1, 2, 3].map(() => old.read(tx => tx.accounts.byId(account.id))),
        ...[1, 2, 3].map(() => old.query(tx => tx.accounts.byId(account.id))),
        ...[1, 2, 3].map(() => old.write(tx => tx.accounts.byId(account.id))),
        ...[1, 2, 3].map(() =>
          old.writeBatched(1, async tx => {
            const invoice = await tx.invoices.byPublicId(publicId)
            return invoice?.accountId === account.id ? account : null
          }),
        ),
      ])
    await useAll()
    const wider = migrationOf(
      '9000_wider',
      ...['accounts', 'invoices'].map(table => `ALTER TABLE ${table} ADD COLUMN shoe_size BIGINT`),
    )
    await database.open({ migrations: [...MIGRATIONS, wider] })
    assert.deepEqual(
      await useAll(),
      Array.from({ length: 12 }, () => account),
    )
  })

  test('after the server ends all connections the store reconnects and notifies every listener', async t => {
    const url = await server().migratedDatabase()
    const errors: unknown[] = []
    const store = await openStore(url, { onError: error => errors.push(error) })
    t.after(() => store.close())
    const account = await makeAccount(store)
    const admin = await openAdmin(t, url)
    const notified = new Promise<void>(resolve => store.listen('deliveries', resolve))
    const kill = () =>
      admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
    const interrupted = store.write(async tx => {
      await tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 })
      await kill()
      await tx.accounts.setTerms(account.id, { confirmations: 8, toleranceBps: 0 })
    })
    await assert.rejects(interrupted, { kind: 'unavailable', code: 'database_unavailable' })
    await notified
    assert.deepEqual(await store.read(tx => tx.accounts.byId(account.id)), account)
    assert.ok(errors.length > 0)
  })

  test('an unreachable server rejects the opening at once', async () => {
    await assert.rejects(openStore('postgres://nobody@127.0.0.1:1/none'), /ECONNREFUSED/)
  })

  test('text that PostgreSQL cannot store is invalid', async t => {
    const database = await engine.createDatabase(t)
    const store = await database.open()
    await assert.rejects(makeAccount(store, 'a\0@example.com'), { kind: 'invalid', code: 'invalid_text' })
  })

  test('a backup is refused with a reference to pg_dump', async t => {
    const { url } = await engine.createDatabase(t)
    await assert.rejects(backupDatabase(url, '/nowhere/copy.db'), /pg_dump/)
  })
})

interface Listener {
  readonly child: ChildProcessWithoutNullStreams
  /** The next line of output; null at the end. */
  line(): Promise<string | null>
}

async function startListener(t: TestContext, url: string): Promise<Listener> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'notification-listener.ts'), url])
  child.stderr.pipe(process.stderr)
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => {
    const { value, done } = await lines.next()
    return done ? null : (value as string)
  }
  assert.equal(await line(), 'ready')
  return { child, line }
}
