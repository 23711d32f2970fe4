import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseConnection } from 'kysely'
import { AppError } from '../../../src/domain/error.ts'
import type { BatchTx } from '../../../src/ports/store.ts'
import type { BatchDriver, BatchTransaction } from '../../../src/store/batching/group-commit.ts'
import { GroupCommit } from '../../../src/store/batching/group-commit.ts'
import { SQLITE } from '../../../src/store/dialect.ts'
import { DEFAULT_LIMITS } from '../../../src/store/limits.ts'

const unused: DatabaseConnection = {
  executeQuery: () => Promise.reject(new Error('these use cases send no statements')),
  streamQuery: () => {
    throw new Error('these use cases send no statements')
  },
}

const DEADLOCK = new Error('deadlock')

/** A database that records its calls and fails where requested. */
function recordingDatabase(fails: Partial<Record<'begin' | 'commit' | 'rollback', () => Error | null>> = {}) {
  const lines: string[] = []
  const record = (line: string, fail?: () => Error | null) => {
    lines.push(line)
    const error = fail?.()
    if (error) throw error
  }
  const batch: BatchTransaction = {
    connection: unused,
    savepoint: () => record('savepoint'),
    releaseSavepoint: () => record('release'),
    rollbackToSavepoint: async () => record('rollback to', fails.rollback),
    commit: async topics => record(`commit ${[...topics]}`, fails.commit),
    rollback: async () => record('abandon'),
  }
  const batches: BatchDriver = {
    database: { dialect: SQLITE, identity: "'?'" },
    begin: async () => {
      record('begin', fails.begin)
      return batch
    },
    isTransient: error => error === DEADLOCK,
    translateError: error => error,
  }
  return { lines, batches }
}

/** Fails only the first time. */
function once(error: Error): () => Error | null {
  let left: Error | null = error
  return () => {
    const now = left
    left = null
    return now
  }
}

const silent = () => {}

test('use cases of one tick share a commit, and those that arrive meanwhile share the next one', async () => {
  const { lines, batches } = recordingDatabase()
  const commits = new GroupCommit(batches, { ...DEFAULT_LIMITS, maxBatch: 2 }, silent)
  await Promise.all([1, 2, 3].map(n => commits.write(async () => n)))
  assert.deepEqual(lines, [
    ...['begin', 'savepoint', 'release', 'savepoint', 'release', 'commit '],
    ...['begin', 'savepoint', 'release', 'commit '],
  ])
})

test('neither successful nor failed use cases settle before the commit', async () => {
  const { lines, batches } = recordingDatabase()
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
  const good = commits.write(async () => 'good').then(() => lines.push('good'))
  const bad = commits.write(() => Promise.reject(new Error('bad'))).catch(() => lines.push('bad'))
  await Promise.all([good, bad])
  assert.deepEqual(lines.slice(-3).sort(), ['bad', 'commit ', 'good'])
  assert.equal(lines.indexOf('commit '), lines.length - 3)
})

test('a failed commit rejects all its use cases, sends no notifications, and is rolled back', async () => {
  const full = new Error('disk full')
  const { lines, batches } = recordingDatabase({ commit: once(full) })
  const notified: string[] = []
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, topics => notified.push(...topics))
  const all = await Promise.allSettled([
    commits.write(async tx => tx.notify('events')),
    commits.write(() => Promise.reject(new Error('its own'))),
  ])
  assert.deepEqual(
    all.map(result => result.status === 'rejected' && result.reason),
    [full, full],
  )
  assert.equal(lines.at(-1), 'abandon')
  await commits.write(async tx => tx.notify('swaps'))
  assert.deepEqual(notified, ['swaps'])
})

test('a transaction that cannot begin rejects all its use cases', async () => {
  const locked = new Error('locked')
  const { lines, batches } = recordingDatabase({ begin: once(locked) })
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
  await assert.rejects(
    commits.write(async () => 1),
    locked,
  )
  assert.deepEqual(lines, ['begin'])
  assert.equal(await commits.write(async () => 2), 2)
})

test('a transaction that is lost when one use case fails rejects all its use cases', async () => {
  const lost = new Error('the transaction is gone')
  const { batches } = recordingDatabase({ rollback: once(lost) })
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
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

test('a use case that fails with a deadlock runs again, up to the maximum number of attempts', async () => {
  const { batches } = recordingDatabase()
  const commits = new GroupCommit(batches, { ...DEFAULT_LIMITS, maxAttempts: 3 }, silent)
  let attempts = 0
  const lucky = () => (++attempts < 3 ? Promise.reject(DEADLOCK) : Promise.resolve('third'))
  assert.equal(await commits.write(lucky), 'third')
  let failedAttempts = 0
  const unlucky = () => {
    failedAttempts++
    return Promise.reject(DEADLOCK)
  }
  await assert.rejects(commits.write(unlucky), DEADLOCK)
  assert.equal(failedAttempts, 3)
})

test('batched writes run concurrently in one savepoint, and one that rejects before any change affects no other', async () => {
  const { lines, batches } = recordingDatabase()
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
  const gate = Promise.withResolvers<void>()
  const refusal = new AppError('plan_never_ends')
  const results = await Promise.allSettled([
    commits.writeBatched(1, () => gate.promise),
    commits.writeBatched(2, () => Promise.reject(refusal)),
    commits.writeBatched(3, async () => gate.resolve()),
    commits.write(async () => 'alone'),
  ])
  assert.deepEqual(
    results.map(result => result.status === 'rejected' && result.reason),
    [false, refusal, false, false],
  )
  assert.deepEqual(lines, ['begin', 'savepoint', 'release', 'savepoint', 'release', 'commit '])
})

test('batched writes run again one by one when one of them fails', async () => {
  const { lines, batches } = recordingDatabase()
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
  const broken = new Error('broken')
  const results = await Promise.allSettled([
    commits.writeBatched(1, async () => 1),
    commits.writeBatched(1, () => Promise.reject(broken)),
    commits.writeBatched(1, async () => 3),
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

test('a batched write that outlasts the time limit sends no statement after the rollback', async () => {
  const { batches, lines } = recordingDatabase()
  const late = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  const executeQuery = async () => {
    lines.push('statement')
    return { rows: [] }
  }
  const begin = async (): Promise<BatchTransaction> => ({
    ...(await batches.begin()),
    connection: { ...unused, executeQuery },
    async rollbackToSavepoint() {
      lines.push('rollback to')
      late.resolve()
      assert.match(String(await ended.promise), /the transaction has ended/)
    },
  })
  const commits = new GroupCommit({ ...batches, begin }, { ...DEFAULT_LIMITS, transactionTimeoutMs: 1 }, silent)
  const lateOnce = async (tx: BatchTx) => {
    if (lines.includes('rollback to')) return 'second'
    await late.promise
    await tx.chain.tip().then(ended.resolve, ended.resolve)
    return 'first'
  }
  const results = await Promise.all([commits.writeBatched(1, lateOnce), commits.writeBatched(1, async () => 'other')])
  assert.deepEqual(results, ['second', 'other'])
  assert.deepEqual(lines.slice(0, 3), ['begin', 'savepoint', 'rollback to'])
  assert.ok(!lines.includes('statement'))
})

test('batched writes run in the order of their account ids, then in the order of their calls', async () => {
  const { batches } = recordingDatabase()
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
  const ran: string[] = []
  const run = (name: string, accountId: number) => commits.writeBatched(accountId, async () => ran.push(name))
  await Promise.all([run('c', 9), run('a', 1), run('d', 9), run('b', 1)])
  assert.deepEqual(ran, ['a', 'b', 'c', 'd'])
})

test('a write queued right after the previous result is run', async () => {
  const { batches } = recordingDatabase()
  const commits = new GroupCommit(batches, DEFAULT_LIMITS, silent)
  for (let round = 0; round < 50; round++) assert.equal(await commits.write(async () => round), round)
  await commits.close()
  await assert.rejects(
    commits.write(async () => 1),
    { code: 'closing' },
  )
})
