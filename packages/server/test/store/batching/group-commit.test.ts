import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseConnection } from 'kysely'
import { Fault } from '../../../src/domain/error.ts'
import type { Batch, Batches } from '../../../src/store/batching/group-commit.ts'
import { GroupCommit } from '../../../src/store/batching/group-commit.ts'
import { SQLITE } from '../../../src/store/dialect.ts'
import { USUAL_LIMITS } from '../../../src/store/limits.ts'

const unused: DatabaseConnection = {
  executeQuery: () => Promise.reject(new Error('these use cases use no rows')),
  streamQuery: () => {
    throw new Error('these use cases use no rows')
  },
}

const DEADLOCK = new Error('deadlock')

/** A database that notes what it is told, and fails where it is asked to. */
function journal(fails: Partial<Record<'begin' | 'commit' | 'rollback', () => Error | null>> = {}) {
  const lines: string[] = []
  const note = (line: string, fail?: () => Error | null) => {
    lines.push(line)
    const error = fail?.()
    if (error) throw error
  }
  const batch: Batch = {
    connection: unused,
    savepoint: () => note('savepoint'),
    release: () => note('release'),
    rollbackTo: async () => note('rollback to', fails.rollback),
    commit: async topics => note(`commit ${[...topics]}`, fails.commit),
    abandon: async () => note('abandon'),
  }
  const batches: Batches = {
    dialect: SQLITE,
    begin: async () => {
      note('begin', fails.begin)
      return batch
    },
    isTransient: error => error === DEADLOCK,
    fault: error => error,
  }
  return { lines, batches }
}

/** Fails the first time only. */
function once(error: Error): () => Error | null {
  let left: Error | null = error
  return () => {
    const now = left
    left = null
    return now
  }
}

const silent = () => {}

test('use cases of one tick share a commit; those that come meanwhile share the next', async () => {
  const { lines, batches } = journal()
  const commits = new GroupCommit(batches, { ...USUAL_LIMITS, batch: 2 }, 1, silent)
  await Promise.all([1, 2, 3].map(n => commits.write(async () => n)))
  assert.deepEqual(lines, [
    ...['begin', 'savepoint', 'release', 'savepoint', 'release', 'commit '],
    ...['begin', 'savepoint', 'release', 'commit '],
  ])
})

test('nobody is answered before the commit, neither the good nor the bad', async () => {
  const { lines, batches } = journal()
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, silent)
  const good = commits.write(async () => 'good').then(() => lines.push('good'))
  const bad = commits.write(() => Promise.reject(new Error('bad'))).catch(() => lines.push('bad'))
  await Promise.all([good, bad])
  assert.deepEqual(lines.slice(-3).sort(), ['bad', 'commit ', 'good'])
  assert.equal(lines.indexOf('commit '), lines.length - 3)
})

test('a commit that fails rejects all, wakes none, and is over', async () => {
  const full = new Error('disk full')
  const { lines, batches } = journal({ commit: once(full) })
  const woken: string[] = []
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, topics => woken.push(...topics))
  const all = await Promise.allSettled([
    commits.write(async rows => rows.wake('events')),
    commits.write(() => Promise.reject(new Error('its own'))),
  ])
  assert.deepEqual(
    all.map(result => result.status === 'rejected' && result.reason),
    [full, full],
  )
  assert.equal(lines.at(-1), 'abandon')
  await commits.write(async rows => rows.wake('swaps'))
  assert.deepEqual(woken, ['swaps'])
})

test('a transaction that does not begin rejects all', async () => {
  const locked = new Error('locked')
  const { lines, batches } = journal({ begin: once(locked) })
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, silent)
  await assert.rejects(
    commits.write(async () => 1),
    locked,
  )
  assert.deepEqual(lines, ['begin'])
  assert.equal(await commits.write(async () => 2), 2)
})

test('a batch that is lost as one use case fails rejects all', async () => {
  const lost = new Error('the transaction is gone')
  const { batches } = journal({ rollback: once(lost) })
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, silent)
  const all = await Promise.allSettled([
    commits.write(async () => 1),
    commits.write(() => Promise.reject(new Error('its own'))),
    commits.write(async () => 3),
  ])
  assert.deepEqual(
    all.map(result => result.status === 'rejected' && result.reason),
    [lost, lost, lost],
  )
})

test('what lost a deadlock comes again, so many times', async () => {
  const { batches } = journal()
  const commits = new GroupCommit(batches, { ...USUAL_LIMITS, attempts: 3 }, 1, silent)
  let tries = 0
  const lucky = () => (++tries < 3 ? Promise.reject(DEADLOCK) : Promise.resolve('third'))
  assert.equal(await commits.write(lucky), 'third')
  let more = 0
  const unlucky = () => {
    more++
    return Promise.reject(DEADLOCK)
  }
  await assert.rejects(commits.write(unlucky), DEADLOCK)
  assert.equal(more, 3)
})

test('a crowd runs side by side in one savepoint, and who refuses before any change only refuses', async () => {
  const { lines, batches } = journal()
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, silent)
  const meeting = Promise.withResolvers<void>()
  const refusal = new Fault('payment_required', 'no', 'no')
  const results = await Promise.allSettled([
    commits.write(() => meeting.promise, 1),
    commits.write(() => Promise.reject(refusal), 2),
    commits.write(async () => meeting.resolve(), 3),
    commits.write(async () => 'alone'),
  ])
  assert.deepEqual(
    results.map(result => result.status === 'rejected' && result.reason),
    [false, refusal, false, false],
  )
  assert.deepEqual(lines, ['begin', 'savepoint', 'release', 'savepoint', 'release', 'commit '])
})

test('a crowd in which one breaks is run again one by one', async () => {
  const { lines, batches } = journal()
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, silent)
  const broken = new Error('broken')
  const results = await Promise.allSettled([
    commits.write(async () => 1, 1),
    commits.write(() => Promise.reject(broken), 1),
    commits.write(async () => 3, 1),
  ])
  assert.deepEqual(
    results.map(result => (result.status === 'rejected' ? result.reason : result.value)),
    [1, broken, 3],
  )
  assert.deepEqual(lines, [
    ...['begin', 'savepoint', 'rollback to'],
    ...['savepoint', 'release', 'savepoint', 'rollback to', 'savepoint', 'release', 'commit '],
  ])
})

test('a batch runs in the order asked for, and of equals in the order they came', async () => {
  const { batches } = journal()
  const commits = new GroupCommit(batches, USUAL_LIMITS, 1, silent)
  const ran: string[] = []
  const run = (name: string, order: number) => commits.write(async () => ran.push(name), order)
  await Promise.all([run('c', 9), run('a', 1), run('d', 9), run('b', 1)])
  assert.deepEqual(ran, ['a', 'b', 'c', 'd'])
})

test('who comes again from within an answer is served', async () => {
  const { batches } = journal()
  const commits = new GroupCommit(batches, USUAL_LIMITS, 2, silent)
  for (let round = 0; round < 50; round++) assert.equal(await commits.write(async () => round), round)
  await commits.close()
  await assert.rejects(
    commits.write(async () => 1),
    { code: 'closing' },
  )
})
