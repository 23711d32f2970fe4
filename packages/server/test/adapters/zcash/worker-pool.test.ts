import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { type PoolOptions, ViewerPool } from '../../../src/adapters/zcash/worker-pool.ts'
import { Fault } from '../../../src/domain/error.ts'

const script = new URL('./crashing-worker.ts', import.meta.url)
const pools: ViewerPool[] = []
const FINE = 0n
const CRASH = 1n
const EXIT = 2n
const HANG = 3n
const FAIL = 4n

function poolOf(options: Partial<PoolOptions> = {}) {
  const crashes: unknown[] = []
  const onCrash = (error: unknown) => crashes.push(error)
  const pool = new ViewerPool({ size: 1, maxQueued: 100, jobLimitMs: 60_000, onCrash, script, ...options })
  pools.push(pool)
  const run = (order: bigint) => {
    const incoming = new Uint8Array(64)
    return pool.run({ kind: 'addresses', incoming, network: 'regtest', from: order, count: 1 })
  }
  return { pool, run, crashes }
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

for (const [name, order] of [
  ['throws', CRASH],
  ['exits', EXIT],
] as const) {
  test(`a thread that ${name} is replaced, its job tried once more, and then an error for its caller alone`, async () => {
    const { run, crashes } = poolOf()
    const bad = run(order)
    const good = run(FINE)
    await assert.rejects(bad, /crashed twice over a job/)
    assert.deepEqual(await good, ['job 1 of this thread'])
    assert.equal(crashes.length, 2)
  })
}

test('a thread that hangs over a job is given up', async () => {
  const { run, crashes } = poolOf({ jobLimitMs: 2_000 })
  await assert.rejects(run(HANG), /crashed twice/)
  assert.equal(crashes.length, 2)
  assert.deepEqual(await run(FINE), ['job 1 of this thread'])
})

test('a job that fails by itself costs no thread', async () => {
  const { run, crashes } = poolOf()
  assert.deepEqual(await run(FINE), ['job 1 of this thread'])
  await assert.rejects(run(FAIL), /no good/)
  assert.deepEqual(await run(FINE), ['job 2 of this thread'])
  assert.deepEqual(crashes, [])
})

test('turns callers away when too many jobs wait', async () => {
  const { run } = poolOf({ maxQueued: 2 })
  const running = run(FINE)
  const waiting = [run(FINE), run(FINE)]
  await assert.rejects(run(FINE), (error: Fault) => error instanceof Fault && error.kind === 'unavailable')
  await Promise.all([running, ...waiting])
})

test('sends a thread each key once, and all of them again to one that replaces it or has too many', async () => {
  const { pool, run } = poolOf()
  const open = async (ids: number[], fill = 0) => {
    const actions = new Uint8Array(148)
    const keys = ids.map(id => ({ id, incoming: new Uint8Array(64).fill(fill) }))
    const [answer] = await pool.run({ kind: 'open', keys, pool: 'ironwood', actions })
    return { sent: answer!.keyIndex, known: Number(answer!.valueZat) }
  }
  assert.deepEqual(await open([1, 2, 3]), { sent: 3, known: 3 })
  assert.deepEqual(await open([2, 3, 4]), { sent: 1, known: 4 })
  assert.deepEqual(await open([1]), { sent: 0, known: 4 })
  assert.deepEqual(await open([1], 7), { sent: 1, known: 4 }, 'the id stands for another key')
  await assert.rejects(run(CRASH))
  assert.deepEqual(await open([1, 4]), { sent: 2, known: 2 })
  const many = Array.from({ length: 50_000 }, (_, index) => index)
  assert.deepEqual(await open(many), { sent: 50_000, known: 50_000 }, 'and forgets the ones before')
})

test('closing ends what runs and what waits with an error, and nothing starts afterwards', async () => {
  const { pool, run, crashes } = poolOf()
  const jobs = [run(HANG), run(FINE)]
  const outcomes = Promise.allSettled(jobs)
  await pool.close()
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await assert.rejects(run(FINE))
  assert.deepEqual(crashes, [])
})
