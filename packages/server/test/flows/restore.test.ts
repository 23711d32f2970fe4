import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { AppError, ReadOnlyDatabaseError } from '../../src/domain/error.ts'
import { backupDatabase } from '../../src/store/open.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { describePostgres } from '../harness/databases.ts'
import { findPostgres, NO_POSTGRES, runProgram, startPostgres, urlOf } from '../harness/postgres.ts'
import { countRepeated, openRestoreShop, type RestoreShop } from '../harness/restore.ts'
import { until } from '../harness/until.ts'

/** Enough sales to use up the reserved address ranges on both sides. */
const BEFORE = 5
const SOLD = 40

const COUNTERS_ADVANCED = /address counters/

async function openShop(t: TestContext, databaseUrl: string): Promise<RestoreShop> {
  const shop = await openRestoreShop(databaseUrl)
  t.after(() => shop.close())
  return shop
}

/** Copies a database while it is in use, sells on the original, then on the copy, and compares the addresses. */
async function sellOnBoth(t: TestContext, original: string, makeCopy: () => Promise<string>): Promise<void> {
  const first = await openShop(t, original)
  await first.sell(BEFORE)
  const copy = await makeCopy()
  const sold = await first.sell(SOLD)
  assert.equal(new Set(sold).size, SOLD)
  const second = await openShop(t, copy)
  assert.equal(countRepeated(sold, await second.sell(SOLD)), 0)
  assert.equal(second.logged.filter(line => COUNTERS_ADVANCED.test(line)).length, 1)
  // The original continues as before.
  await first.sell(SOLD)
  assert.deepEqual(
    first.logged.filter(line => COUNTERS_ADVANCED.test(line)),
    [],
  )
  await first.close()
  await second.close()
}

describe('after a restore on SQLite no address is used twice', () => {
  test('from a file written by `backup` that replaces the original', async t => {
    const folder = temporaryFolder(stackOf(t))
    const file = join(folder, 'zatgate.db')
    const first = await openShop(t, `sqlite:${file}`)
    await first.sell(BEFORE)
    await backupDatabase(`sqlite:${file}`, join(folder, 'backup.db'))
    const sold = await first.sell(SOLD)
    await first.close()
    // Overwritten in place: the file keeps its inode, so only the identity stamp differs.
    copyFileSync(join(folder, 'backup.db'), file)
    const second = await openShop(t, `sqlite:${file}`)
    assert.equal(countRepeated(sold, await second.sell(SOLD)), 0)
  })

  for (const [name, restore] of [
    ['that replaces the original', renameSync],
    ['that overwrites the original, which keeps its inode', copyFileSync],
  ] as const) {
    test(`from a plain copy of the file ${name}`, async t => {
      const folder = temporaryFolder(stackOf(t))
      const [file, copy] = [join(folder, 'zatgate.db'), join(folder, 'copy.db')]
      const first = await openShop(t, `sqlite:${file}`)
      await first.sell(BEFORE)
      await first.close()
      copyFileSync(file, copy)
      const again = await openShop(t, `sqlite:${file}`)
      const sold = await again.sell(SOLD)
      await again.close()
      restore(copy, file)
      const second = await openShop(t, `sqlite:${file}`)
      assert.equal(countRepeated(sold, await second.sell(SOLD)), 0)
    })
  }

  test('a normal restart and a moved file do not count as a restore', async t => {
    const folder = temporaryFolder(stackOf(t))
    const file = join(folder, 'zatgate.db')
    for (const path of [file, file, join(folder, 'moved.db')]) {
      if (path !== file) renameSync(file, path)
      const shop = await openShop(t, `sqlite:${path}`)
      await shop.sell(BEFORE)
      await shop.close()
      assert.deepEqual(
        shop.logged.filter(line => COUNTERS_ADVANCED.test(line)),
        [],
      )
    }
  })
})

const bin = findPostgres()

describePostgres('after a restore on PostgreSQL no address is used twice', server => {
  const run = (name: string, args: readonly string[], input?: string) => runProgram(bin as string, name, args, input)

  test('from pg_dump into another database of the server', async t => {
    const original = await server().freshDatabase()
    await sellOnBoth(t, original, async () => {
      const copy = await server().freshDatabase()
      run('psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--dbname', copy], run('pg_dump', [original]))
      return copy
    })
  })

  test('from pg_restore into a new server', async t => {
    const original = await server().freshDatabase()
    const other = await startPostgres(bin as string)
    t.after(() => other.stop())
    await sellOnBoth(t, original, async () => {
      const copy = await other.freshDatabase()
      const file = join(server().folder, 'dump')
      run('pg_dump', ['--format=custom', '--file', file, original])
      run('pg_restore', ['--exit-on-error', '--dbname', copy, file])
      return copy
    })
  })

  test('from pg_dump over the tables of a running process', async t => {
    const original = await server().freshDatabase()
    const shop = await openShop(t, original)
    await shop.sell(BEFORE)
    const dump = run('pg_dump', ['--clean', original])
    const sold = await shop.sell(SOLD)
    run('psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--dbname', original], dump)
    const later = await shop.sell(3 * SOLD)
    assert.equal(countRepeated(sold, later), 0)
    assert.equal(shop.logged.filter(line => COUNTERS_ADVANCED.test(line)).length, 1)
  })

  test('from a copy of the database by CREATE DATABASE', async t => {
    const original = await server().freshDatabase()
    const first = await openShop(t, original)
    await first.sell(BEFORE)
    await first.close()
    const copy = await server().freshDatabase(original)
    const again = await openShop(t, original)
    const sold = await again.sell(SOLD)
    const second = await openShop(t, copy)
    assert.equal(countRepeated(sold, await second.sell(SOLD)), 0)
  })
})

test('after a fail-over on PostgreSQL a running process uses no address twice', {
  skip: bin === null && NO_POSTGRES,
}, async t => {
  const primary = await startPostgres(bin as string)
  const link = join(temporaryFolder(stackOf(t)), 'current')
  symlinkSync(primary.folder, link)
  const database = new URL(await primary.freshDatabase()).pathname.slice(1)
  const shop = await openShop(t, urlOf(link, database))
  await shop.sell(BEFORE)

  const standby = await primary.startStandby()
  t.after(() => standby.stop())
  const sold = await shop.sell(SOLD)
  await primary.stop()
  rmSync(link)
  symlinkSync(standby.folder, link)
  await until('the read-only standby', async () => {
    const error = await shop.sell(1).catch(error => error)
    return error instanceof ReadOnlyDatabaseError
  })
  await standby.promote()
  // More than the ranges that the process reserved on the old primary.
  const later = await sellWhenAvailable(shop, 3 * SOLD)
  assert.equal(countRepeated(sold, later), 0)
  assert.equal(new Set(later).size, later.length)
  assert.equal(shop.logged.filter(line => COUNTERS_ADVANCED.test(line)).length, 1)
})

/** Sells after an interruption. The first calls may fail because of lost connections. */
async function sellWhenAvailable(shop: RestoreShop, count: number): Promise<string[]> {
  const first = await until('the new primary', async () => {
    try {
      return await shop.sell(1)
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable') return null
      throw error
    }
  })
  return [...first, ...(await shop.sell(count - 1))]
}
