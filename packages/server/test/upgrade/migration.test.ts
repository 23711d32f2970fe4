import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { spawnGuarded } from '../../../sandbox/test/recorded/guarded-process.ts'
import { MIGRATIONS, type Migration } from '../../src/store/migrations/index.ts'
import { openStore } from '../../src/store/open.ts'
import { runCommand } from '../harness/command-line.ts'
import { stackOf, testEnv } from '../harness/container.ts'
import { openDatabase } from '../harness/databases.ts'
import { migrationOf } from '../harness/migration.ts'
import { type Row, readTables } from '../harness/tables.ts'
import { readFixture } from './fixture.ts'
import { LATER } from './later-migrations.ts'
import { onEveryVersion } from './versions.ts'

/** A healthy service has no problems and no rows set aside. A change of an email is kept for a week. */
const MAY_BE_EMPTY = new Set(['chain_problems', 'email_changes', 'set_aside'])

/** Tables to which migrations add rows. */
const MAY_GROW = new Set(['migrations', 'counters'])

const CHILD = new URL('./stopping-migration.ts', import.meta.url).pathname

type Tables = Record<string, Row[]>

/**
 * The rows as later tables have them. An event was a row of the changes of invoices too, and a delivery had a body of its
 * own, which is now that of its event.
 */
function inLaterTables(earlier: Tables, later: Tables): Tables {
  if (earlier.migrations?.some(({ name }) => name === '0007_event')) return earlier
  const { events: changes = [], deliveries = [], counters = [], ...others } = earlier
  const pick = (row: Row, columns: readonly string[]): Row =>
    Object.fromEntries(columns.map(column => [column, row[column] ?? null]))
  const typed = changes.filter(({ type }) => type !== null)
  const isSame = (event: Row | undefined, { account_id: account, body }: Row) =>
    event?.account_id === account && event?.body === body
  for (const row of typed)
    assert.ok(
      later.events?.some(event => isSame(event, row)),
      `${row.type} is lost`,
    )
  for (const row of deliveries) {
    const { event_seq: seq } = later.deliveries?.find(({ id }) => id === row.id) ?? {}
    const event = later.events?.find(
      ({ account_id: account, seq: number }) => account === row.account_id && number === seq,
    )
    assert.ok(isSame(event, row), `the delivery ${row.public_id} has the body of its event`)
  }
  return {
    ...others,
    invoice_changes: changes
      .filter(({ invoice_id: invoice }) => invoice !== null)
      .map(row => pick(row, ['seq', 'invoice_id', 'created_at'])),
    deliveries: deliveries.map(({ body: _, ...row }) => row),
    counters: counters.map(row => (row.name === 'event_seq' ? { ...row, name: 'invoice_change_seq' } : row)),
  }
}

/** Asserts that every row of the earlier tables is there, with the same value in each column. */
function assertRowsKept(earlier: Tables, later: Tables): void {
  for (const [table, rows] of Object.entries(inLaterTables(earlier, later))) {
    const columns = Object.keys(rows[0] ?? {})
    const kept = new Set(later[table]?.map(row => textOf(row, columns)))
    for (const row of rows) assert.ok(kept.has(textOf(row, columns)), `${table} ${textOf(row, columns)}`)
    if (!MAY_GROW.has(table)) assert.equal(later[table]?.length, rows.length, table)
  }
}

function textOf(row: Row, columns: readonly string[]): string {
  return JSON.stringify(columns.map(column => [column, row[column]]))
}

/** The tables as text, regardless of the order of rows. */
function contentsOf(tables: Tables): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [table, rows.map(row => textOf(row, Object.keys(row))).sort()]),
  )
}

/** The addresses of the story. A buyer's is kept while the mail with the receipt waits. */
const EMAILS = new Set(['buyer@example.org', 'demo@zatgate.example', 'newcomer@example.org', 'second@example.org'])

onEveryVersion((version, engine, restore) => {
  test('the fixture has rows in every table, and no secret but those of tests', async t => {
    const { databaseUrl, facts } = await restore(stackOf(t))
    const { sql: dump, chain, swaps } = readFixture(version, engine)
    const tables = await readTables(databaseUrl)
    assert.ok(Object.keys(tables).length >= 24)
    const empty = Object.keys(tables).filter(table => tables[table]?.length === 0 && !MAY_BE_EMPTY.has(table))
    assert.deepEqual(empty, [])
    const statuses = new Set(tables.invoices?.map(({ status }) => status))
    assert.deepEqual([...statuses].sort(), ['detected', 'expired', 'paid', 'pending', 'underpaid'])
    assert.equal(facts.encryptionKey, testEnv.ENCRYPTION_KEY)
    const all = [dump, chain, swaps, JSON.stringify(facts)].join('\n')
    const emails = all.match(/[\w.-]+@[\w-]+(?:\.[\w-]+)+/g) ?? []
    assert.deepEqual(
      [...new Set(emails)].filter(email => !EMAILS.has(email)),
      [],
    )
    assert.doesNotMatch(all, /\/(?:home|root|tmp|work)\//)
  })

  test('the migrations keep every row', async t => {
    const { databaseUrl } = await restore(stackOf(t))
    const earlier = await readTables(databaseUrl)
    await (await openStore(databaseUrl)).close()
    const later = await readTables(databaseUrl)
    assertRowsKept(earlier, later)
    assert.deepEqual(later.migrations?.map(({ name }) => name).sort(), MIGRATIONS.map(([name]) => name).sort())
  })

  test('when a migration fails, the database stays as it was and the next start finishes', async t => {
    const { databaseUrl } = await restore(stackOf(t))
    const earlier = await readTables(databaseUrl)
    for (const [index, [name]] of LATER.entries()) {
      if (earlier.migrations?.some(row => row.name === name)) continue
      const migrations = LATER.with(index, failing(LATER[index] as Migration))
      await assert.rejects(openDatabase(databaseUrl, { migrations }), /no_such_table/)
      assert.deepEqual(contentsOf(await readTables(databaseUrl)), contentsOf(earlier), name)
    }
    await (await openDatabase(databaseUrl, { migrations: LATER })).close()
    assertRowsKept(earlier, await readTables(databaseUrl))
  })

  test('when the process is killed between two migrations, the database stays as it was and the next start finishes', async t => {
    const { databaseUrl } = await restore(stackOf(t))
    const earlier = await readTables(databaseUrl)
    const [name] = LATER.at(-2) as Migration
    const child = spawnGuarded(process.execPath, [CHILD, databaseUrl, name])
    for await (const line of createInterface({ input: child.child.stdout! })) if (line === name) break
    await child.kill('SIGKILL')
    assert.deepEqual(contentsOf(await readTables(databaseUrl)), contentsOf(earlier))
    await (await openDatabase(databaseUrl, { migrations: LATER })).close()
    assertRowsKept(earlier, await readTables(databaseUrl))
  })

  test('the service does not start on a database of a later version, and does not change it', async t => {
    const { databaseUrl, dataDir } = await restore(stackOf(t))
    const later = migrationOf('9000_later', 'CREATE TABLE later (id BIGINT)')
    await (await openDatabase(databaseUrl, { migrations: [...MIGRATIONS, later] })).close()
    const before = contentsOf(await readTables(databaseUrl))
    const { code, err } = await runCommand(['start'], { ...testEnv, DATABASE_URL: databaseUrl, DATA_DIR: dataDir })
    assert.equal(code, 1)
    assert.match(err, /the database is newer than this zatgate: it has the migration 9000_later/)
    assert.deepEqual(contentsOf(await readTables(databaseUrl)), before)
  })
})

/** The migration, which then fails. */
function failing([name, statements]: Migration): Migration {
  return [name, dialect => [...statements(dialect), 'SELECT * FROM no_such_table']]
}
