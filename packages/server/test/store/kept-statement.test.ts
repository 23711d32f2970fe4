import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { POSTGRES, SQLITE } from '../../src/store/dialect.ts'
import { filledStatement, keptStatement } from '../../src/store/kept-statement.ts'
import { SqliteConnection } from '../../src/store/sqlite/driver.ts'
import type { Tables } from '../../src/store/tables.ts'
import { openDb } from '../../src/store/transaction/open-db.ts'
import { int, text } from '../../src/store/values.ts'

function open() {
  const built: number[] = []
  const largest = keptStatement((db, length) => {
    built.push(length)
    const values = sql.join(Array(length).fill(0))
    return { compile: () => sql<{ largest: bigint }>`SELECT max(${values}, ${0}) AS largest`.compile(db) }
  })
  const connection = new SqliteConnection(new DatabaseSync(':memory:', { readBigInts: true }))
  return { built, largest, db: openDb<Tables>(connection, SQLITE) }
}

test('a kept statement is built once for each length, and runs with the values of each call', async () => {
  const { built, largest, db } = open()
  for (const [length, values, expected] of [
    [2, [3, 4, 0], 4n],
    [2, [6, 5, 0], 6n],
    [1, [7, 0], 7n],
  ] as const) {
    const rows = await largest(db, length, values)
    assert.deepEqual(
      rows.map(row => row.largest),
      [expected],
    )
  }
  assert.deepEqual(built, [2, 1])
})

test('each dialect has its own text', async () => {
  const { built, largest, db } = open()
  await largest(db, 1, [1, 0])
  const texts: string[] = []
  const connection = {
    async executeQuery({ sql }: { readonly sql: string }) {
      texts.push(sql)
      return { rows: [] }
    },
    streamQuery: () => assert.fail('no streams'),
  }
  await largest(openDb<Tables>(connection, POSTGRES), 1, [1, 0])
  assert.deepEqual(built, [1, 1])
  assert.deepEqual(texts, ['SELECT max($1, $2) AS largest'])
})

test('a long statement is not kept', async () => {
  const { built, largest, db } = open()
  for (const length of [128, 128, 129, 129]) await largest(db, length, Array(length + 1).fill(1))
  assert.deepEqual(built, [128, 129, 129])
})

test('values that are too few or too many are rejected', async () => {
  const { largest, db } = open()
  await assert.rejects(largest(db, 2, [3, 4]), /binds 3 values, not 2/)
  await assert.rejects(largest(db, 1, [3, 4, 0]), /binds 2 values, not 3/)
})

test('a filled statement runs with all its rows and no others, whose numbers share few texts', async () => {
  const texts = new Set<string>()
  const list = filledStatement<{ column1: bigint; column2: string | null }>(
    rows => sql`SELECT * FROM ${rows([int(0), text('')])} ORDER BY column1`,
  )
  const connection = new SqliteConnection(new DatabaseSync(':memory:', { readBigInts: true }))
  const executeQuery = connection.executeQuery.bind(connection)
  connection.executeQuery = query => {
    texts.add(query.sql)
    return executeQuery(query)
  }
  for (let length = 1; length <= 128; length++) {
    const rows = Array.from({ length }, (_, index) => [index, index % 3 === 0 ? null : `${index}`] as const)
    const read = await list(openDb<Tables>(connection, SQLITE), rows)
    assert.deepEqual(
      read.map(row => [Number(row.column1), row.column2]),
      rows,
    )
  }
  assert.equal(texts.size, 3 + 16)
})
