import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../src/domain/error.ts'
import type { RowReference } from '../../src/domain/set-aside.ts'
import { openTestContainer } from '../harness/container.ts'
import { type DatabaseEngine, onBothDatabases } from '../harness/databases.ts'
import { recordingLog } from '../harness/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'

/** Each number is a row of an account with its last digit. */
const rowOf = (item: number): RowReference => ({
  kind: 'invoice',
  rowId: item,
  reference: `row ${item}`,
  accountId: item % 10,
})
const items = Array.from({ length: 100 }, (_, index) => index)

async function open(engine: DatabaseEngine, t: TestContext) {
  const clock = new ManualClock()
  const log = recordingLog()
  const database = await engine.createDatabase(t)
  const { services, infrastructure } = await openTestContainer(t, { clock, log, store: await database.open() })
  const { setAsides } = services
  const { store } = infrastructure
  const listed = async () => (await store.read(tx => tx.setAside.list(200))).map(({ rowId }) => rowId)
  return { clock, log, setAsides, store, listed }
}

/** Work that fails when one of the items is bad. */
function failing(bad: readonly number[], error: unknown = new Error('poison')) {
  const batches: (readonly number[])[] = []
  return {
    batches,
    async work(part: readonly number[]) {
      batches.push(part)
      if (part.some(item => bad.includes(item))) throw error
    },
  }
}

onBothDatabases(engine => {
  test('rows are due a minute after their first failure, whatever their kind', async t => {
    const { clock, setAsides } = await open(engine, t)
    assert.equal(await setAsides.isAnyDue(), false)
    await setAsides.record({ ...rowOf(9), kind: 'plan' }, new Error('poison'))
    clock.advance(59)
    assert.equal(await setAsides.isAnyDue(), false)
    clock.advance(1)
    assert.equal(await setAsides.isAnyDue(), true)
  })

  test('of the invoices set aside, only those of the transaction are read', async t => {
    const { store, setAsides } = await open(engine, t)
    for (const item of [1, 2, 3]) await setAsides.record(rowOf(item), new Error('poison'))
    await setAsides.record({ ...rowOf(9), kind: 'plan' }, new Error('poison'))
    assert.deepEqual(await store.query(tx => tx.setAside.invoicesAmong([2, 4, 9])), [2])
  })

  for (const bad of [[0], [57], [99], [0, 1, 50, 99], [3, 13, 23, 33, 43, 53, 63, 73, 83, 93]])
    test(`of 100 rows, only the bad ones are set aside: ${bad}`, async t => {
      const { setAsides, listed, log } = await open(engine, t)
      const { work, batches } = failing(bad)
      const succeeded = await setAsides.forEachBisected(items, rowOf, work)
      assert.deepEqual(
        succeeded,
        items.filter(item => !bad.includes(item)),
      )
      assert.deepEqual((await listed()).sort(), [...bad].sort())
      assert.ok(batches.length < 2 * 8 * bad.length + 2, `${batches.length} transactions`)
      assert.equal(log.lines.filter(({ level }) => level === 'error').length, bad.length)
    })

  test('an unavailable database sets nothing aside and is not tried for each row', async t => {
    const { setAsides, listed } = await open(engine, t)
    const error = new AppError('database_unavailable')
    const { work, batches } = failing([5], error)
    await assert.rejects(setAsides.forEachBisected(items, rowOf, work), error)
    assert.equal(batches.length, 1)
    assert.deepEqual(await listed(), [])
  })

  test('when every row fails, nothing is set aside and the caller learns the error', async t => {
    const { setAsides, listed } = await open(engine, t)
    const error = new TypeError('a bug of the service')
    await assert.rejects(setAsides.forEachBisected(items, rowOf, failing(items, error).work), error)
    assert.deepEqual(await listed(), [])
  })

  test('a row alone in its batch is set aside', async t => {
    const { setAsides, listed } = await open(engine, t)
    assert.deepEqual(await setAsides.forEachBisected([7], rowOf, failing([7]).work), [])
    assert.deepEqual(await listed(), [7])
  })

  test('work on single rows: the bad one is set aside, an unavailable database is reported after the others', async t => {
    const { setAsides, listed } = await open(engine, t)
    const gone = new AppError('database_unavailable')
    const work = async (item: number) => {
      if (item === 3) throw new Error('poison')
      if (item === 4) throw gone
    }
    await assert.rejects(setAsides.forEachAlone(items, rowOf, work), gone)
    assert.deepEqual(await listed(), [3])
  })

  test('a row is tried again after a minute, then less and less often, and removed when it succeeds', async t => {
    const { setAsides, clock, listed, log } = await open(engine, t)
    const attempts: number[] = []
    let isRepaired = false
    const retry = () =>
      setAsides.retryDue('invoice', async () => {
        attempts.push(clock.secs)
        if (!isRepaired) throw new Error('poison')
        return true
      })
    const start = clock.secs
    await setAsides.record(rowOf(7), new Error('poison'))
    for (let passed = 0; passed < 3_600; passed += 10) {
      clock.advance(10)
      await retry()
    }
    assert.deepEqual(
      attempts.map(at => at - start),
      [60, 180, 420, 900, 1_860],
    )
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 1, 'named once')
    isRepaired = true
    clock.advance(3_600)
    await retry()
    assert.deepEqual(await listed(), [])
    assert.equal(await setAsides.retryDue('delivery', async () => assert.fail()), false)
  })

  test('an account has at most 1,000 rows set aside, and the caller learns when there are more', async t => {
    const { setAsides, store } = await open(engine, t)
    const entry = { ...rowOf(7), error: 'poison', failures: 1, firstAt: 1, nextAttemptAt: 1, fromHeight: null }
    await store.write(async tx => {
      for (let row = 0; row < 1_000; row++) await tx.setAside.put({ ...entry, reference: `${row}` })
    })
    const full = (error: unknown) => error instanceof AppError && error.code === 'too_many_set_aside'
    await assert.rejects(setAsides.record(rowOf(17), new Error('poison')), full)
    await setAsides.record({ ...rowOf(7), reference: '999' }, new Error('poison'))
    await setAsides.record(rowOf(8), new Error('poison'))
    assert.deepEqual(
      (await setAsides.countByKind()).map(({ rows }) => rows),
      [1_001],
    )
  })

  test('when all rows fail again, none has a further failure, others get their turn, and all are tried at the next start', async t => {
    const { setAsides, clock, store } = await open(engine, t)
    for (let row = 0; row < 60; row++) await setAsides.record(rowOf(row), new Error('poison'))
    clock.advance(60)
    const bug = new TypeError('a bug of the service')
    const tried = new Set<number | null>()
    const retry = (hasBug: boolean) =>
      setAsides.retryDue('invoice', async ({ rowId }) => {
        tried.add(rowId)
        if (hasBug) throw bug
        return true
      })
    await assert.rejects(retry(true), bug)
    await assert.rejects(retry(true), bug)
    assert.equal(tried.size, 60)
    const entries = await store.read(tx => tx.setAside.list(100))
    assert.ok(entries.every(({ failures, nextAttemptAt }) => failures === 1 && nextAttemptAt === clock.secs + 60))
    await setAsides.makeAllDue()
    while (await retry(false));
    assert.deepEqual(await setAsides.countByKind(), [])
  })

  test('rows that were put off for a minute are not tried before, and by a clock that was ahead at once', async t => {
    const { setAsides, clock, store } = await open(engine, t)
    const now = clock.secs
    const putOff = (item: number, secs: number) => ({
      ...{ ...rowOf(item), error: 'poison', failures: 0, firstAt: now, fromHeight: null },
      nextAttemptAt: now + secs,
    })
    await store.write(tx => tx.setAside.putNew(items.slice(0, 60).map(item => putOff(item, 60))))
    await store.write(tx => tx.setAside.putNew([putOff(99, 3_600)]))
    const tried: (number | null)[] = []
    const retry = () =>
      setAsides.retryDue('invoice', async ({ rowId }) => {
        tried.push(rowId)
        return true
      })
    assert.equal(await retry(), false, 'the loop rests')
    assert.deepEqual(tried, [99])
    clock.advance(60)
    while (await retry());
    assert.equal(tried.length, 61)
  })

  test('an entry that is written again during a retry stays', async t => {
    const { setAsides, clock, listed } = await open(engine, t)
    await setAsides.record(rowOf(7), new Error('poison'))
    clock.advance(60)
    await setAsides.retryDue('invoice', async () => {
      await setAsides.record(rowOf(7), new Error('poison'))
      return true
    })
    assert.deepEqual(await listed(), [7])
  })
})
