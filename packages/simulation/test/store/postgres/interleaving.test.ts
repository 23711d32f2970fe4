import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PgClient } from '@zatgate/server/store/postgres/driver'
import { type Laboratory, type OpenLaboratory, onBothServers } from './laboratory.ts'

const ADD_ONE = 'update "items" set "value" = "value" + 1 where "id" = $1'
const VALUE_OF = 'select "value" from "items" where "id" = $1'
const LOCK = 'select * from "items" where "id" in ($1, $2) order by "id" for update'
const INSERT = 'insert into "items" ("id", "name", "value") values ($1, $2, $3)'

describe('READ COMMITTED', () => onBothServers(declare))

function declare(open: OpenLaboratory): void {
  /** Three connections, and the items 1 to 4 with the values 10 to 40. */
  async function prepare(t: Parameters<OpenLaboratory>[0]) {
    const laboratory = await open(t)
    const [a, b, c] = [await laboratory.connect(), await laboratory.connect(), await laboratory.connect()]
    for (const id of [1, 2, 3, 4]) await a.query(INSERT, [id, `item ${id}`, id * 10])
    return { laboratory, a, b, c }
  }

  const begin = (...clients: PgClient[]) => Promise.all(clients.map(client => client.query('BEGIN')))
  const commit = (client: PgClient) => client.query('COMMIT')

  async function readValue(client: PgClient, id: number, sql = VALUE_OF): Promise<number | null> {
    const { rows } = await client.query(sql, [id])
    const [row] = rows as { value: bigint }[]
    return row ? Number(row.value) : null
  }

  /** Adds one to item 1 from the value that was read before. */
  async function writeBack(client: PgClient, value: number | null): Promise<void> {
    await client.query('update "items" set "value" = $1 where "id" = $2', [Number(value) + 1, 1])
  }

  async function waits<T>(laboratory: Laboratory, query: Promise<T>): Promise<{ ended: Promise<T> }> {
    query.catch(() => {})
    await laboratory.waits(query)
    return { ended: query }
  }

  test('an update is lost when two transactions read a row without a lock', async t => {
    const { a, b } = await prepare(t)
    await begin(a, b)
    const [readByA, readByB] = [await readValue(a, 1), await readValue(b, 1)]
    await writeBack(a, readByA)
    await commit(a)
    await writeBack(b, readByB)
    await commit(b)
    assert.equal(await readValue(a, 1), 11)
  })

  test('no update is lost when both lock the row first', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    const readByA = await readValue(a, 1, `${VALUE_OF} for update`)
    const locked = await waits(laboratory, readValue(b, 1, `${VALUE_OF} for update`))
    await writeBack(a, readByA)
    await commit(a)
    await writeBack(b, await locked.ended)
    await commit(b)
    assert.equal(await readValue(a, 1), 12)
  })

  test('two transactions that each check a row and write the other one both succeed', async t => {
    const { a, b } = await prepare(t)
    await begin(a, b)
    assert.deepEqual([await readValue(a, 2), await readValue(b, 1)], [20, 10])
    await a.query('update "items" set "value" = 0 where "id" = $1', [1])
    await b.query('update "items" set "value" = 0 where "id" = $1', [2])
    await commit(a)
    await commit(b)
    assert.deepEqual([await readValue(a, 1), await readValue(a, 2)], [0, 0])
  })

  test('each statement sees what was committed before it, and nothing uncommitted', async t => {
    const { a, b } = await prepare(t)
    await begin(a, b)
    await a.query(ADD_ONE, [1])
    assert.equal(await readValue(b, 1), 10)
    assert.equal(await readValue(a, 1), 11)
    await b.query(ADD_ONE, [2])
    await commit(a)
    assert.deepEqual([await readValue(b, 1), await readValue(b, 2), await readValue(a, 2)], [11, 21, 20])
    await b.query('ROLLBACK')
    assert.equal(await readValue(a, 2), 20)
  })

  test('a read-only transaction keeps the state of its first statement', async t => {
    const { a, b } = await prepare(t)
    await a.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await b.query(ADD_ONE, [1])
    assert.equal(await readValue(a, 1), 11)
    await b.query(ADD_ONE, [1])
    await b.query(INSERT, [5, 'new', 1])
    assert.deepEqual([await readValue(a, 1), await readValue(a, 5)], [11, null])
    await assert.rejects(a.query(ADD_ONE, [1]), { code: '25006' })
    await a.query('ROLLBACK')
    assert.deepEqual([await readValue(a, 1), await readValue(a, 5)], [12, 1])
  })

  test('an update that has waited checks its condition for the new version of the row', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    await a.query('update "items" set "value" = 99 where "id" = $1', [1])
    const conditional = 'update "items" set "value" = 0 where "value" < $1 and "id" in (1, 2) returning "id"'
    const waiting = await waits(laboratory, b.query(conditional, [50]))
    await commit(a)
    assert.deepEqual(
      (await waiting.ended).rows.map(row => ({ ...(row as object) })),
      [{ id: 2n }],
    )
    await commit(b)
    assert.deepEqual([await readValue(a, 1), await readValue(a, 2)], [99, 0])
  })

  test('an update that has waited does not change rows that met its condition only later', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    await a.query('update "items" set "value" = "value" - 15 where "id" in ($1, $2)', [1, 2])
    const waiting = await waits(laboratory, b.query('update "items" set "value" = 7 where "value" < $1', [15]))
    await commit(a)
    assert.equal((await waiting.ended).affected, 1)
    await commit(b)
    assert.deepEqual([await readValue(a, 1), await readValue(a, 2)], [7, 5])
  })

  test('an update that has waited keeps the result of its subquery', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    await a.query('update "items" set "value" = 50 where "id" = $1', [1])
    const lowest = 'update "items" set "value" = 0 where "id" = (select "id" from "items" order by "value" limit 1)'
    const waiting = await waits(laboratory, b.query(lowest))
    await commit(a)
    assert.equal((await waiting.ended).affected, 1)
    await commit(b)
    assert.deepEqual([await readValue(a, 1), await readValue(a, 2)], [0, 20])
  })

  test('an update that has waited reads other tables as they were when it began', async t => {
    const { laboratory, a, b } = await prepare(t)
    const countParts =
      'update "items" set "value" = (select count(*) from "parts" where "parts"."item_id" = "items"."id") where "id" = $1'
    await begin(a, b)
    await a.query('insert into "parts" ("item_id", "value") values ($1, $2)', [1, 1])
    await a.query(countParts, [1])
    const waiting = await waits(laboratory, b.query(countParts, [1]))
    await commit(a)
    await waiting.ended
    await commit(b)
    assert.equal(await readValue(a, 1), 0)
    await b.query(countParts, [1])
    assert.equal(await readValue(a, 1), 1)
  })

  test('a lock that has waited leaves out rows that were deleted, also when their key is used again', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    await a.query('delete from "items" where "id" in ($1, $2)', [1, 2])
    await a.query(INSERT, [2, 'again', 1])
    const waiting = await waits(laboratory, b.query(LOCK, [1, 2]))
    await commit(a)
    assert.deepEqual((await waiting.ended).rows, [])
  })

  test('SKIP LOCKED skips locked rows before the limit, and waits for none', async t => {
    const { a, b } = await prepare(t)
    const claim = 'select "id" from "items" where "value" >= $1 order by "value" limit $2 for update skip locked'
    const idsOf = async (client: PgClient) => {
      const { rows } = await client.query(claim, [10, 2])
      return (rows as { id: bigint }[]).map(({ id }) => Number(id))
    }
    await begin(a, b)
    assert.deepEqual(
      [await idsOf(a), await idsOf(b), await idsOf(b)],
      [
        [1, 2],
        [3, 4],
        [3, 4],
      ],
    )
    await commit(a)
    assert.deepEqual(await idsOf(b), [1, 2])
  })

  test('the statement that closes a circle of waiting transactions fails, and its locks are free at once', async t => {
    const { laboratory, a, b, c } = await prepare(t)
    await begin(a, b, c)
    await a.query(ADD_ONE, [1])
    await b.query(ADD_ONE, [2])
    await c.query(ADD_ONE, [3])
    const second = await waits(laboratory, b.query(ADD_ONE, [3]))
    const third = c.query(ADD_ONE, [1])
    third.catch(() => {})
    assert.deepEqual(await laboratory.settled([second.ended, third]), [])
    await assert.rejects(a.query(ADD_ONE, [2]), { code: '40P01' })
    await third
    await assert.rejects(a.query(VALUE_OF, [1]), { code: '25P02' })
    await a.query('ROLLBACK')
    await commit(c)
    await second.ended
    await commit(b)
    assert.deepEqual(await Promise.all([1, 2, 3].map(id => readValue(a, id))), [11, 21, 32])
  })

  test('an insert waits for another one of the same unique value', async t => {
    const { laboratory, a, b } = await prepare(t)
    for (const ends of ['COMMIT', 'ROLLBACK']) {
      await begin(a, b)
      await a.query(INSERT, [10, 'same', 1])
      const waiting = await waits(laboratory, b.query(INSERT, [11, 'same', 2]))
      await a.query(ends)
      if (ends === 'COMMIT') await assert.rejects(waiting.ended, { code: '23505' })
      else await waiting.ended
      await b.query('ROLLBACK')
      await a.query('delete from "items" where "id" = $1', [10])
    }
  })

  test('ON CONFLICT waits for the other insert, then updates its row or does nothing', async t => {
    const { laboratory, a, b } = await prepare(t)
    const conflicts = [
      ['on conflict ("name") do update set "value" = "items"."value" + "excluded"."value" returning "id"', [10], 3],
      ['on conflict ("name") do nothing returning "id"', [], 1],
    ] as const
    for (const [conflict, returned, value] of conflicts) {
      await begin(a, b)
      await a.query(INSERT, [10, 'same', 1])
      const waiting = await waits(laboratory, b.query(`${INSERT} ${conflict}`, [11, 'same', 2]))
      await commit(a)
      assert.deepEqual(
        (await waiting.ended).rows.map(row => Number((row as { id: bigint }).id)),
        returned,
      )
      await commit(b)
      assert.deepEqual([await readValue(a, 10), await readValue(a, 11)], [value, null])
      await a.query('delete from "items" where "id" = $1', [10])
    }
  })

  test('ON CONFLICT DO UPDATE locks the row, also when its condition is false', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    const upsert =
      'insert into "items" ("id", "name", "value") values ($1, $2, $3) on conflict ("name") do update set "value" = 0 where "items"."value" > $4'
    assert.equal((await a.query(upsert, [10, 'item 1', 1, 100])).affected, 0)
    const waiting = await waits(laboratory, b.query(ADD_ONE, [1]))
    await commit(a)
    await waiting.ended
    await commit(b)
  })

  test('a row with a foreign key waits for FOR UPDATE of its parent, and not for an update', async t => {
    const { laboratory, a, b } = await prepare(t)
    const insertPart = 'insert into "parts" ("item_id", "value") values ($1, $2)'
    await begin(a, b)
    await a.query(ADD_ONE, [1])
    await a.query('select * from "items" where "id" = $1 for no key update', [2])
    await b.query(insertPart, [1, 1])
    await b.query(insertPart, [2, 1])
    await a.query(LOCK, [3, 3])
    const waiting = await waits(laboratory, b.query(insertPart, [3, 1]))
    await commit(a)
    await waiting.ended
    const removed = await waits(laboratory, a.query('delete from "items" where "id" = $1', [3]))
    await commit(b)
    await assert.rejects(removed.ended, { code: '23503' })
  })

  test('ids are drawn outside the transactions: none is drawn twice, and a rollback leaves a gap', async t => {
    const { a, b } = await prepare(t)
    const insertPart = 'insert into "parts" ("item_id", "value") values ($1, $2), ($3, $4) returning "id"'
    const idsOf = async (client: PgClient) => {
      const { rows } = await client.query(insertPart, [1, 1, 1, 2])
      return (rows as { id: bigint }[]).map(({ id }) => Number(id))
    }
    await begin(a, b)
    const drawn = [await idsOf(a), await idsOf(b), await idsOf(a)]
    await a.query('ROLLBACK')
    await commit(b)
    assert.deepEqual(
      [...drawn, await idsOf(a)],
      [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
      ],
    )
  })

  test('a rollback to a savepoint undoes changes and locks since then, and ends the failure', async t => {
    const { laboratory, a, b } = await prepare(t)
    await begin(a, b)
    await a.query(ADD_ONE, [1])
    await a.query('SAVEPOINT use_case')
    await a.query(ADD_ONE, [1])
    await a.query(ADD_ONE, [2])
    const first = await waits(laboratory, b.query(ADD_ONE, [2]))
    await assert.rejects(a.query(INSERT, [3, 'taken', 1]), { code: '23505' })
    await first.ended
    await assert.rejects(a.query(ADD_ONE, [4]), { code: '25P02' })
    await a.query('ROLLBACK TO use_case')
    await a.query('RELEASE use_case')
    assert.equal(await readValue(a, 1), 11)
    const second = await waits(laboratory, b.query(ADD_ONE, [1]))
    await commit(a)
    await second.ended
    await commit(b)
    assert.deepEqual([await readValue(a, 1), await readValue(a, 2)], [12, 21])
  })

  test('savepoints survive the statements of other transactions', async t => {
    const { a, b } = await prepare(t)
    await begin(a, b)
    for (const [name, id] of [
      ['one', 1],
      ['two', 1],
      ['two', 2],
    ] as const) {
      await a.query(`SAVEPOINT ${name}`)
      await a.query(ADD_ONE, [id])
      await b.query(ADD_ONE, [3])
    }
    await a.query('ROLLBACK TO two')
    await b.query(ADD_ONE, [4])
    assert.deepEqual([await readValue(a, 1), await readValue(a, 2)], [12, 20])
    await a.query('RELEASE two')
    await b.query(ADD_ONE, [4])
    await a.query('ROLLBACK TO one')
    await b.query(ADD_ONE, [4])
    await a.query(ADD_ONE, [2])
    await commit(a)
    await commit(b)
    assert.deepEqual(await Promise.all([1, 2, 3, 4].map(id => readValue(a, id))), [10, 21, 33, 43])
  })

  test('the commit of a failed transaction rolls it back', async t => {
    const { a } = await prepare(t)
    await begin(a)
    await a.query(ADD_ONE, [1])
    await assert.rejects(a.query(INSERT, [2, 'taken', 1]), { code: '23505' })
    await commit(a)
    assert.equal(await readValue(a, 1), 10)
  })
}
