import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { WorkerPool, type WorkerPoolOptions } from '../../../src/adapters/zcash/worker-pool.ts'
import { AppError } from '../../../src/domain/error.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const script = new URL('./crashing-worker.ts', import.meta.url)
const pools: WorkerPool[] = []
const OK = 0n
const CRASH = 1n
const EXIT = 2n
const HANG = 3n
const FAIL = 4n
const IDLE_MS = 20_000

function poolOf(options: Partial<WorkerPoolOptions> = {}) {
  const crashes: unknown[] = []
  const onCrash = (error: unknown) => crashes.push(error)
  const clock = new ManualClock()
  const limits = { size: 1, maxQueued: 100, jobTimeoutMs: 60_000, idleMs: IDLE_MS }
  const pool = new WorkerPool({ ...limits, clock, onCrash, script, ...options })
  pools.push(pool)
  const run = (error: bigint, isUrgent = false) => {
    const incoming = new Uint8Array(64)
    const job = { kind: 'deriveAddresses', incoming, network: 'regtest', from: error, count: 1, plain: true } as const
    return pool.run(job, isUrgent)
  }
  return { pool, run, crashes, clock }
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

for (const [name, fault] of [
  ['throws', CRASH],
  ['exits', EXIT],
] as const) {
  test(`a thread that ${name} is replaced; its job is retried once and then rejects without affecting other jobs`, async () => {
    const { run, crashes } = poolOf()
    const failing = run(fault)
    const other = run(OK)
    await assert.rejects(failing, /a job crashed its note scanner thread twice/)
    assert.deepEqual(await other, ['job 1 of this thread'])
    assert.equal(crashes.length, 2)
  })
}

test('a job that exceeds the timeout counts as a crash of its thread', async () => {
  const { run, crashes } = poolOf({ jobTimeoutMs: 2_000 })
  await assert.rejects(run(HANG), /crashed its note scanner thread twice/)
  assert.equal(crashes.length, 2)
  assert.deepEqual(await run(OK), ['job 1 of this thread'])
})

test('a failing job rejects and its thread stays in use', async () => {
  const { run, crashes } = poolOf()
  assert.deepEqual(await run(OK), ['job 1 of this thread'])
  await assert.rejects(run(FAIL), /no good/)
  assert.deepEqual(await run(OK), ['job 2 of this thread'])
  assert.deepEqual(crashes, [])
})

test('a job is rejected as unavailable when the queue is full', async () => {
  const { run } = poolOf({ maxQueued: 2 })
  const running = run(OK)
  const waiting = [run(OK), run(OK)]
  await assert.rejects(run(OK), (error: AppError) => error instanceof AppError && error.kind === 'unavailable')
  await Promise.all([running, ...waiting])
})

test('urgent jobs go before all others in their own order, also when one is retried', async () => {
  const { run } = poolOf({ maxQueued: 6 })
  const order: string[] = []
  const named = (name: string, job: Promise<unknown>) => job.catch(() => 'failed').finally(() => order.push(name))
  const jobs = [
    named('running', run(OK)),
    named('catching up 1', run(OK)),
    named('catching up 2', run(CRASH)),
    named('mempool 1', run(OK, true)),
    named('mempool 2', run(CRASH, true)),
    named('mempool 3', run(OK, true)),
    named('catching up 3', run(OK)),
  ]
  await assert.rejects(run(OK, true), /unavailable/)
  await Promise.all(jobs)
  assert.deepEqual(order, [
    'running',
    'mempool 1',
    'mempool 2',
    'mempool 3',
    'catching up 1',
    'catching up 2',
    'catching up 3',
  ])
})

test('each key is sent once per thread, and again to a new thread or after the key limit clears the cache', async () => {
  const { pool, run } = poolOf()
  const scan = async (ids: number[], fill = 0) => {
    const actions = new Uint8Array(148)
    const keys = ids.map(id => ({ id, incoming: new Uint8Array(64).fill(fill) }))
    const [match] = await pool.run({ kind: 'scan', keys, pool: 'ironwood', actions, plain: true })
    return { sent: match!.keyIndex, known: Number(match!.valueZat) }
  }
  assert.deepEqual(await scan([1, 2, 3]), { sent: 3, known: 3 })
  assert.deepEqual(await scan([2, 3, 4]), { sent: 1, known: 4 })
  assert.deepEqual(await scan([1]), { sent: 0, known: 4 })
  assert.deepEqual(await scan([1], 7), { sent: 1, known: 4 }, 'the id belongs to another key now')
  await assert.rejects(run(CRASH))
  assert.deepEqual(await scan([1, 4]), { sent: 2, known: 2 })
  const many = Array.from({ length: 50_000 }, (_, index) => index)
  assert.deepEqual(await scan(many), { sent: 50_000, known: 50_000 }, 'the earlier keys are cleared')
})

test('a thread ends after the idle time without a job, and the next job starts another one', async () => {
  const { run, crashes, clock } = poolOf()
  assert.deepEqual(clock.sleeping, [], 'no thread runs before the first job')
  assert.deepEqual(await run(OK), ['job 1 of this thread'])
  clock.advanceMs(IDLE_MS - 1)
  assert.deepEqual(await run(OK), ['job 2 of this thread'], 'each job begins the wait anew')
  clock.advanceMs(IDLE_MS - 1)
  assert.deepEqual(await run(OK), ['job 3 of this thread'])
  clock.advanceMs(IDLE_MS)
  await new Promise(setImmediate)
  assert.deepEqual(await run(OK), ['job 1 of this thread'])
  assert.deepEqual(crashes, [])
})

test('a thread with a job does not end, however long the job takes', async () => {
  const { run, crashes, clock } = poolOf({ size: 2 })
  const [first, second] = [run(OK), run(OK)]
  clock.advanceMs(IDLE_MS * 10)
  assert.deepEqual((await Promise.all([first, second])).length, 2)
  clock.advanceMs(IDLE_MS - 1)
  const running = run(OK)
  clock.advanceMs(IDLE_MS)
  await running
  assert.deepEqual(crashes, [])
})

test('a job after the end of the threads gets all its keys again, one just before does not', async () => {
  const { pool, clock, crashes } = poolOf()
  const scan = async () => {
    const keys = [1, 2, 3].map(id => ({ id, incoming: new Uint8Array(64) }))
    const job = { kind: 'scan', keys, pool: 'ironwood', actions: new Uint8Array(148), plain: true } as const
    return (await pool.run(job))[0]!.keyIndex
  }
  assert.equal(await scan(), 3)
  assert.equal(await scan(), 0)
  clock.advanceMs(IDLE_MS)
  assert.equal(await scan(), 0, 'the job came before the thread was let go')
  clock.advanceMs(IDLE_MS)
  await new Promise(setImmediate)
  assert.equal(await scan(), 3)
  assert.deepEqual(crashes, [])
})

test('threads that were started ahead end too, and none outlives a close', async () => {
  const { pool, run, clock, crashes } = poolOf({ size: 2 })
  pool.start()
  assert.deepEqual(clock.sleeping, [IDLE_MS])
  await run(OK)
  await pool.close()
  assert.deepEqual(clock.sleeping, [])
  assert.deepEqual(crashes, [])
})

test('close rejects running and queued jobs, and later jobs too', async () => {
  const { pool, run, crashes } = poolOf()
  const jobs = [run(HANG), run(OK)]
  const outcomes = Promise.allSettled(jobs)
  await pool.close()
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await assert.rejects(run(OK))
  assert.deepEqual(crashes, [])
})
