import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { NewSwap } from '../../../src/ports/repository/swap.ts'
import type { MigrationProgress } from '../../../src/store/migrate.ts'
import type { Migration } from '../../../src/store/migrations/index.ts'
import { MIGRATIONS, NEWEST_MIGRATION } from '../../../src/store/migrations/index.ts'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'

const statement =
  (text: string): Migration[1] =>
  async db => {
    await sql.raw(text).execute(db)
  }

/** A migration that inserts an account with a viewing key and invoices, and runs further statements. */
function seedOf(name: string, engine: DatabaseEngine, invoices: number, further: readonly string[] = []): Migration {
  const bytes = engine.name === 'SQLite' ? "x'00'" : "'\\x00'"
  const statements = [
    `INSERT INTO viewing_keys (fingerprint, network, sealed, next_index, created_at)
    VALUES (${bytes}, 'test', ${bytes}, 1, 1)`,
    `INSERT INTO accounts (public_id, email, network, confirmations, plan, created_at)
    VALUES ('p', 'e', 'test', 3, 'Free', 1)`,
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${invoices})
    INSERT INTO invoices (public_id, account_id, viewing_key_id, diversifier_index, purpose, address, amount_zat,
    confirmations, status, received_zat, overpaid_zat, created_at, expires_at, watch_until)
    SELECT 'p' || n, accounts.id, viewing_keys.id, n, 'sale', 'a' || n, 1, 3, 'pending', 0, 0, n, n, n
    FROM numbers, accounts, viewing_keys`,
    ...further,
  ]
  return [
    name,
    async db => {
      for (const text of statements) await sql.raw(text).execute(db)
    },
  ]
}

export function migrationSuite(engine: DatabaseEngine): void {
  test('migrations update a database and keep its data', async t => {
    const database = await engine.createDatabase(t)
    const before = await database.open()
    const account = await makeAccount(before)
    await before.close()
    const more: Migration = ['9000_more', statement("UPDATE accounts SET plan = 'Pro'")]
    const after = await database.open({ migrations: [...MIGRATIONS, more] })
    assert.deepEqual(await after.read(tx => tx.accounts.list(0, 100)), [{ ...account, plan: 'Pro' }])
    await after.write(tx => tx.accounts.setPlan(account.id, 'Free', null))
    await after.close()
    const again = await database.open({ migrations: [...MIGRATIONS, more] })
    assert.deepEqual(await again.read(tx => tx.accounts.list(0, 100)), [account])
  })

  test('a database newer than the code is refused and not changed', async t => {
    const database = await engine.createDatabase(t)
    const newer: Migration = ['9000_newer', statement('CREATE TABLE news (id BIGINT)')]
    await (await database.open({ migrations: [...MIGRATIONS, newer] })).close()
    await assert.rejects(database.open(), /newer than this zatgate.*9000_newer/)
    await (await database.open({ migrations: [...MIGRATIONS, newer] })).close()
  })

  test('a failed migration rolls back the whole run', async t => {
    const database = await engine.createDatabase(t)
    const half: Migration = ['9000_half', statement('CREATE TABLE half (id BIGINT)')]
    const broken: Migration = ['9001_broken', statement('CREATE TABLE')]
    await assert.rejects(database.open({ migrations: [...MIGRATIONS, half, broken] }), /syntax|incomplete/)
    const whole = await database.open({ migrations: [...MIGRATIONS, half] })
    await makeAccount(whole)
  })

  test('stopped migrations leave the database as it was', async t => {
    const database = await engine.createDatabase(t)
    const older = await database.open()
    const account = await makeAccount(older)
    await older.close()
    const first: Migration = ['9000_first', statement("UPDATE accounts SET plan = 'Pro'")]
    const second: Migration = ['9001_second', statement("UPDATE accounts SET plan = 'Business'")]
    const migrations = [...MIGRATIONS, first, second]
    const stop = new AbortController()
    const onProgress = ({ name }: MigrationProgress) => {
      if (name === '9001_second') stop.abort(new Error('stopped'))
    }
    await assert.rejects(
      database.open({ migrations, migration: { onProgress, signal: stop.signal } }),
      /^Error: stopped$/,
    )
    const again = await database.open()
    assert.deepEqual(await again.read(tx => tx.accounts.list(0, 100)), [account])
  })

  // Databases of the PostgreSQL engine are copies of a migrated one. Those of PGlite start empty.
  const startsEmpty = engine.name !== 'PostgreSQL'
  if (startsEmpty)
    test('the daily totals of an older database are the sums of its paid sales', async t => {
      const database = await engine.createDatabase(t)
      const before = MIGRATIONS.findIndex(([name]) => name === '0020_daily_totals')
      const paid = `UPDATE invoices SET status = 'paid', paid_at = 86400 * (1 + id % 2) + id, received_zat = 9000000000000000
        WHERE id > 2`
      const seed = seedOf('0019_z_seed', engine, 8, [paid, "UPDATE invoices SET purpose = 'plan' WHERE id = 8"])
      await (await database.open({ migrations: [...MIGRATIONS.slice(0, before), seed] })).close()
      const store = await database.open({
        migrations: [...MIGRATIONS.slice(0, before), seed, ...MIGRATIONS.slice(before)],
      })
      assert.deepEqual(await store.read(tx => tx.dashboard.paidByDay(1, 0)), [
        { day: 86_400, receivedZat: 18_000_000_000_000_000n, invoices: 2 },
        { day: 172_800, receivedZat: 27_000_000_000_000_000n, invoices: 3 },
      ])
    })

  if (startsEmpty)
    test('the progress of migrations counts the rows of an older database, and a new database has none', async t => {
      const database = await engine.createDatabase(t)
      const invoices = 3_000
      const seed = seedOf('0005_seed', engine, invoices)
      const older = [...MIGRATIONS.slice(0, 5), seed]
      const reports: MigrationProgress[] = []
      const migration = { onProgress: (report: MigrationProgress) => void reports.push(report) }
      await (await database.open({ migrations: older, migration })).close()
      assert.equal(reports.length, 0)
      await database.open({ migrations: [...older, ...MIGRATIONS.slice(5)], migration })
      const [first] = reports
      const last = reports.at(-1)
      const count = MIGRATIONS.length - 5
      assert.deepEqual([first?.name, first?.index, first?.count, first?.rows], ['0006_dashboard', 1, count, 0])
      // Four indexes and an update of all invoices, at least.
      assert.ok(first && first.totalRows >= 5 * invoices, String(first?.totalRows))
      assert.deepEqual([last?.name, last?.index, last?.rows], [NEWEST_MIGRATION, count, first.totalRows])
      assert.deepEqual(
        reports.map(({ rows }) => rows),
        reports.map(({ rows }) => rows).toSorted((a, b) => a - b),
      )
      assert.ok(reports.some(({ name, rows }) => name === '0007_chain_position' && rows >= 4 * invoices))
    })

  if (startsEmpty)
    test('existing swaps that share a deposit address are kept, and no new swap gets the address', async t => {
      const database = await engine.createDatabase(t)
      const index = MIGRATIONS.findIndex(([name]) => name === '0008_payout_claim')
      const swap = (publicId: string, memo: string | null) =>
        `INSERT INTO swaps (public_id, invoice_id, asset_id, symbol, blockchain, decimals, refund_to, deposit_address,
        deposit_memo, amount_in, min_amount_in, amount_in_usd, time_estimate, deadline, quote_deadline, quote_raw, created_at)
        SELECT '${publicId}', id, 'a', 'A', 'a', 8, 'r', 'shared', ${memo === null ? 'NULL' : `'${memo}'`}, '1', '1', '1', 1, 1, 1,
        '{}', 1 FROM invoices`
      const seed = seedOf('0007_seed', engine, 1, [swap('one', null), swap('two', null), swap('three', '7')])
      const store = await database.open({ migrations: MIGRATIONS.toSpliced(index, 0, seed) })
      const found = await store.read(tx => Promise.all([1, 2, 3].map(id => tx.swaps.byId(id))))
      assert.deepEqual(
        found.map(swap => [swap?.publicId, swap?.depositAddress, swap?.depositMemo]),
        [
          ['one', 'shared', null],
          ['two', 'shared', null],
          ['three', 'shared', '7'],
        ],
      )
      const [earlier] = found
      assert.ok(earlier)
      for (const [depositMemo, free] of [
        [null, false],
        ['7', false],
        ['8', true],
      ] as const) {
        const next: NewSwap = { ...earlier, publicId: `next ${depositMemo}`, quoteRaw: '{}', depositMemo }
        assert.equal((await store.write(tx => tx.swaps.insert(next, 1))) !== null, free)
      }
    })

  if (engine.name === 'PGlite') return
  test('processes that start at the same time run the migrations once', async t => {
    const database = await engine.createDatabase(t)
    const stores = await Promise.all([1, 2, 3, 4].map(() => database.open({ limits: { maxConnections: 2 } })))
    const [first, second] = stores
    assert.ok(first && second)
    const account = await makeAccount(first)
    assert.deepEqual(await second.read(tx => tx.accounts.list(0, 100)), [account])
  })
}
