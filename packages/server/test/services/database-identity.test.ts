import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { systemRandom } from '../../src/adapters/system/random.ts'
import type { Store } from '../../src/ports/store.ts'
import { createDatabaseIdentity, type DatabaseIdentity } from '../../src/services/database-identity.ts'
import { backupDatabase, openStore } from '../../src/store/open.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { describePostgres } from '../harness/databases.ts'
import { makeViewingKey } from '../harness/fixtures.ts'
import { recordingLog } from '../harness/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const LATE_WATCH_DAYS = 7

/** One process on the database. */
interface Process {
  readonly store: Store
  readonly origin: DatabaseIdentity
  readonly clock: ManualClock
  readonly log: ReturnType<typeof recordingLog>
}

async function openProcess(url: string): Promise<Process> {
  const store = await openStore(url)
  const clock = new ManualClock()
  const log = recordingLog()
  const origin = createDatabaseIdentity({ store, clock, random: systemRandom, lateWatchDays: LATE_WATCH_DAYS, log })
  return { store, origin, clock, log }
}

function reserve({ origin }: Process, id: number, count: number): Promise<bigint> {
  return origin.write(async tx => (await tx.viewingKeys.reserveIndexes(id, count)).first)
}

const moves = (process: Process) => process.log.lines.filter(({ message }) => message.includes('address counters'))

/** Creates and copies closed databases of one kind. */
interface Databases {
  fresh(): Promise<string>
  copy(url: string): Promise<string>
}

const tempFolder = (t: TestContext): string => temporaryFolder(stackOf(t))

function sqliteDatabases(t: TestContext): Databases {
  const folder = tempFolder(t)
  let files = 0
  const next = () => join(folder, `${++files}.db`)
  return {
    fresh: async () => `sqlite:${next()}`,
    async copy(url) {
      const file = next()
      copyFileSync(url.slice('sqlite:'.length), file)
      return `sqlite:${file}`
    },
  }
}

function identityTests(databasesOf: (t: TestContext) => Databases, numRuns: number): void {
  async function openForTest(t: TestContext, url: string): Promise<Process> {
    const process = await openProcess(url)
    t.after(() => process.store.close())
    return process
  }

  /** A database with two viewing keys and a recorded identity, and a copy of it. Both are closed. */
  async function withCopy(t: TestContext): Promise<{ original: string; copy: string; ids: number[] }> {
    const databases = databasesOf(t)
    const original = await databases.fresh()
    const process = await openProcess(original)
    await process.origin.advanceCountersIfCopy()
    const ids = [(await makeViewingKey(process.store)).id, (await makeViewingKey(process.store)).id]
    await process.store.close()
    return { original, copy: await databases.copy(original), ids }
  }

  test('a new database records its identity without a log line, and a normal start does not advance counters', async t => {
    const { original, ids } = await withCopy(t)
    for (let start = 0; start < 3; start++) {
      const process = await openForTest(t, original)
      await process.origin.advanceCountersIfCopy()
      assert.equal(await process.origin.isCopy(), false)
      assert.equal(await reserve(process, ids[0]!, 1), BigInt(start + 1))
      assert.deepEqual(process.log.lines, [])
      await process.store.close()
    }
  })

  test('a copy advances every counter once, watches every key, and logs it', async t => {
    const { copy, ids } = await withCopy(t)
    const process = await openForTest(t, copy)
    assert.equal(await process.origin.isCopy(), true)
    await process.origin.advanceCountersIfCopy()
    assert.equal(await process.origin.isCopy(), false)
    const watchedUntil = process.clock.secs + (1 + LATE_WATCH_DAYS + 14) * 86_400
    assert.deepEqual(
      moves(process).map(({ level, details }) => [level, details]),
      [['warn', { viewingKeys: 2, watchedUntil }]],
    )
    const firsts = await Promise.all(ids.map(id => reserve(process, id, 1)))
    for (const first of firsts) assert.ok(first > 2n ** 44n && first <= 2n ** 45n, `${first}`)
    assert.notEqual(firsts[0], firsts[1])
    const keys = await process.store.read(tx => tx.viewingKeys.list())
    assert.ok(keys.every(({ watchUntil }) => watchUntil === watchedUntil))
    await process.origin.advanceCountersIfCopy()
    assert.equal(moves(process).length, 1)
  })

  test('several processes that detect a copy at once advance its counters once', async t => {
    const { copy, ids } = await withCopy(t)
    const processes = await Promise.all([1, 2, 3].map(() => openForTest(t, copy)))
    const firsts = await Promise.all([
      ...processes.map(({ origin }) => origin.advanceCountersIfCopy().then(() => 2n ** 44n)),
      ...processes.map(process => reserve(process, ids[0]!, 1)),
    ])
    assert.equal(processes.flatMap(moves).length, 1)
    for (const first of firsts) assert.ok(first >= 2n ** 44n && first <= 2n ** 45n + 2n, `${first}`)
  })

  test('a reservation in a copy advances the counters in its own transaction, or not at all', async t => {
    const { copy, ids } = await withCopy(t)
    const process = await openForTest(t, copy)
    const failing = process.origin.write(async tx => {
      await tx.viewingKeys.reserveIndexes(ids[0]!, 1)
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    assert.equal(await process.origin.isCopy(), true)
    assert.deepEqual(moves(process), [])
    assert.ok((await reserve(process, ids[0]!, 1)) > 2n ** 44n)
    assert.equal(moves(process).length, 1)
  })

  test('on demand the counters advance whatever identity is recorded', async t => {
    const { original, ids } = await withCopy(t)
    const process = await openForTest(t, original)
    await process.origin.advanceCountersIfCopy()
    const watchedUntil = process.clock.secs + (1 + LATE_WATCH_DAYS + 14) * 86_400
    assert.deepEqual(await process.origin.advanceCounters(), { viewingKeys: 2, watchedUntil })
    assert.ok((await reserve(process, ids[0]!, 1)) > 2n ** 44n)
    assert.deepEqual(moves(process), [])
  })

  test('no index is reserved twice across any sequence of backups, restores and reservations', async t => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('backup' as const), from: fc.nat(), count: fc.constant(0) }),
      fc.record({ does: fc.constant('restore' as const), from: fc.nat(), count: fc.constant(0) }),
      fc.record({
        does: fc.constant('reserve' as const),
        from: fc.constant(0),
        count: fc.integer({ min: 1, max: 64 }),
      }),
    )
    const steps = fc.array(step, { minLength: 4, maxLength: 10 })
    const property = fc.asyncProperty(steps, async steps => {
      const databases = databasesOf(t)
      let url = await databases.fresh()
      let process = await openProcess(url)
      try {
        await process.origin.advanceCountersIfCopy()
        const { id } = await makeViewingKey(process.store)
        const backups: string[] = []
        const used = new Set<bigint>()
        for (const { does, from, count } of steps) {
          if (does === 'reserve') {
            const first = await reserve(process, id, count)
            for (let at = 0n; at < count; at++) {
              assert.ok(!used.has(first + at), `${first + at} is reserved again`)
              used.add(first + at)
            }
            continue
          }
          await process.store.close()
          const backup = backups[from % Math.max(1, backups.length)]
          if (does === 'backup') backups.push(await databases.copy(url))
          else if (backup !== undefined) url = await databases.copy(backup)
          process = await openProcess(url)
          await process.origin.advanceCountersIfCopy()
        }
      } finally {
        await process.store.close()
      }
    })
    await fc.assert(property, { numRuns, endOnFailure: true })
  })
}

describe('the database identity on SQLite', () => {
  identityTests(sqliteDatabases, 20)

  test('a backup is marked as a copy, and the original is not', async t => {
    const folder = tempFolder(t)
    const original = await openProcess(`sqlite:${join(folder, 'zatgate.db')}`)
    t.after(() => original.store.close())
    await original.origin.advanceCountersIfCopy()
    await makeViewingKey(original.store)
    const { recorded } = await original.store.read(tx => tx.databaseIdentity.read())
    assert.match(recorded, /^inode:/)
    const file = join(folder, 'copies', 'backup.db')
    mkdirSync(join(folder, 'copies'))
    await backupDatabase(`sqlite:${join(folder, 'zatgate.db')}`, file)
    assert.deepEqual(readdirSync(join(folder, 'copies')), ['backup.db'])
    const database = new DatabaseSync(file, { readOnly: true })
    assert.equal(database.prepare('SELECT identity FROM database_identity').get()?.identity, '')
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    database.close()
    const after = await original.store.read(tx => tx.databaseIdentity.read())
    assert.equal(after.recorded, recorded)
    assert.equal(await original.origin.isCopy(), false)
  })

  test('a backup that cannot be marked leaves no file', async t => {
    const folder = tempFolder(t)
    const source = join(folder, 'zatgate.db')
    const { store } = await openProcess(`sqlite:${source}`)
    t.after(() => store.close())
    const other = new DatabaseSync(source)
    other.exec('DELETE FROM database_identity')
    other.close()
    const file = join(folder, 'copies', 'backup.db')
    mkdirSync(join(folder, 'copies'))
    await assert.rejects(backupDatabase(`sqlite:${source}`, file), /no record of its database identity/)
    assert.deepEqual(readdirSync(join(folder, 'copies')), [])
    assert.equal(existsSync(file), false)
  })
})

describePostgres('the database identity on PostgreSQL', server => {
  identityTests(() => ({ fresh: () => server().migratedDatabase(), copy: url => server().freshDatabase(url) }), 6)

  test('if the role cannot read all identity parts, the rest is used and the missing parts are logged', async t => {
    const url = await server().migratedDatabase()
    const admin = new pg.Client(url)
    await admin.connect()
    t.after(() => admin.end())
    await admin.query('CREATE ROLE limited LOGIN')
    await admin.query('GRANT CREATE ON SCHEMA public TO limited')
    await admin.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO limited')
    const limited = url.replace('//postgres@', '//limited@')
    const unknown = async () => {
      const process = await openProcess(limited)
      await process.origin.advanceCountersIfCopy()
      const { current } = await process.store.read(tx => tx.databaseIdentity.read())
      await process.store.close()
      return { current, warned: process.log.lines.map(({ level, details }) => [level, details]) }
    }
    const full = await unknown()
    assert.deepEqual(full.warned, [])

    await admin.query('REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC')
    assert.deepEqual(await unknown(), full, 'the control file includes the timeline')

    await admin.query('REVOKE EXECUTE ON FUNCTION pg_control_checkpoint() FROM PUBLIC')
    await admin.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC')
    const less = await unknown()
    assert.match(less.current, /^system:\?;timeline:\?;database:\d+;table:\d+$/)
    assert.deepEqual(less.warned, [['warn', { unknown: ['system', 'timeline'] }]])
    assert.deepEqual(await unknown(), less)
  })
})
