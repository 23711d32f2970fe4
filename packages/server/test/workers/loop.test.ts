import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backoffMs } from '../../src/domain/backoff.ts'
import { type LoopOptions, type LoopResult, startLoop } from '../../src/workers/loop.ts'
import { recordingLog, silentLog } from '../harness/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { until } from '../harness/until.ts'

function loopOf(run: LoopOptions['run'], more: Partial<LoopOptions> = {}) {
  const clock = new ManualClock()
  return {
    clock,
    loop: startLoop({ name: 'test', run, idleMs: 1000, clock, log: silentLog, jitter: () => 0, ...more }),
  }
}

test("pauses for idleMs after 'idle' and not after 'again'", async () => {
  const results: LoopResult[] = ['again', 'again', 'idle', 'idle']
  let runs = 0
  const { clock, loop } = loopOf(async () => results[runs++] ?? 'idle')
  await until('the first pause', () => clock.sleeping.length === 1)
  assert.equal(runs, 3)
  assert.deepEqual(clock.sleeping, [1000])
  clock.advanceMs(999)
  assert.deepEqual(clock.sleeping, [1])
  clock.advanceMs(1)
  await until('the second pause', () => clock.sleeping.length === 1)
  assert.equal(runs, 4)
  await loop.stop()
})

test('pauses as long as a run asks for, but not beyond idleMs', async () => {
  const results: LoopResult[] = [{ pauseMs: 400 }, { pauseMs: 1001 }]
  const { clock, loop } = loopOf(async () => results.shift() ?? 'idle')
  for (const ms of [400, 1000]) {
    await until('the pause', () => clock.sleeping.length === 1)
    assert.deepEqual(clock.sleeping, [ms])
    clock.advanceMs(ms)
  }
  await loop.stop()
})

test('a wake ends the pause, and a wake during a run causes one more run', async () => {
  let runs = 0
  const { clock, loop } = loopOf(async () => {
    if (++runs === 2) loop.notify()
    return 'idle'
  })
  await until('the pause', () => clock.sleeping.length === 1)
  loop.notify()
  await until('the run after the wake', () => runs === 3)
  await until('the pause', () => clock.sleeping.length === 1)
  assert.equal(runs, 3)
  await loop.stop()
})

test('runs never overlap, even with many wakes', async () => {
  let working = 0
  let runs = 0
  const { clock, loop } = loopOf(async () => {
    assert.equal(++working, 1)
    for (let i = 0; i < 10; i++) loop.notify()
    await Promise.resolve()
    working--
    return ++runs < 50 ? 'again' : 'idle'
  })
  await until('fifty runs', () => runs >= 50)
  await loop.stop()
  assert.deepEqual(clock.sleeping, [])
})

test('backs off exponentially up to the limit, logs it, and resets after a success', async () => {
  const log = recordingLog()
  const outcomes = [1, 1, 1, 1, 0, 1]
  let runs = 0
  const { clock, loop } = loopOf(
    async () => {
      if (outcomes[runs++]) throw new Error('failure')
      return 'again'
    },
    { log, backoff: { firstMs: 100, maxMs: 350 } },
  )
  const pauses: number[] = []
  for (const _ of [1, 2, 3, 4, 5]) {
    const [ms] = await until('a pause', () => clock.sleeping.length === 1 && clock.sleeping)
    pauses.push(ms!)
    loop.notify()
    assert.deepEqual(clock.sleeping, [ms], 'a wake does not shorten the pause after a failure')
    clock.advanceMs(ms!)
  }
  await loop.stop()
  assert.deepEqual(pauses, [100, 200, 350, 350, 100])
  assert.deepEqual(
    log.lines.slice(0, 5).map(line => [line.level, line.details.failures]),
    [
      ['error', 1],
      ['error', 2],
      ['debug', 3],
      ['error', 4],
      ['info', 4],
    ],
  )
})

test('stop aborts the current run, waits for it, and logs no failure', async () => {
  const log = recordingLog()
  let started = false
  let ended = false
  const { loop } = loopOf(
    signal =>
      new Promise((_, reject) => {
        started = true
        signal.addEventListener('abort', () => {
          ended = true
          reject(signal.reason)
        })
      }),
    { log },
  )
  await until('the run', () => started)
  await loop.stop()
  assert.ok(ended)
  assert.deepEqual(log.lines, [])
})

test('stop ends a pause and unsubscribes the loop from notifications', async () => {
  let listening = 0
  const { clock, loop } = loopOf(async () => 'idle', {
    subscribe: () => {
      listening++
      return () => listening--
    },
  })
  await until('the pause', () => clock.sleeping.length === 1)
  assert.equal(listening, 1)
  await loop.stop()
  assert.equal(listening, 0)
  assert.deepEqual(clock.sleeping, [])
})

test('a backoff is between half and all of its full length for any number of failures', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, jitter) => {
      const ms = backoffMs(failures, { firstMs: 500, maxMs: 30_000 }, jitter)
      const full = Math.min(30_000, 500 * 2 ** Math.min(failures - 1, 30))
      assert.ok(ms >= full / 2 - 1 && ms <= full)
    }),
  )
})
