import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCleanup } from '../../src/workers/cleanup.ts'
import { recordingLog, silentLog } from '../harness/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { until } from '../harness/until.ts'

test('every task runs, again while there is more to delete, and then the loop pauses', async () => {
  const clock = new ManualClock()
  const left = { one: 3, other: 1 }
  const runs = { one: 0, other: 0 }
  const task = (name: 'one' | 'other') => async () => {
    runs[name]++
    return --left[name] > 0
  }
  const cleanup = startCleanup({ tasks: [task('one'), task('other')], clock, log: silentLog })
  await until('the pause', () => clock.sleeping.length === 1)
  assert.deepEqual(runs, { one: 3, other: 3 })
  clock.advance(600)
  await until('the next pause', () => clock.sleeping.length === 1 && runs.one === 4)
  await cleanup.stop()
})

test('a failing task is logged and retried, and the other tasks still run', async () => {
  const clock = new ManualClock()
  const log = recordingLog()
  let pruned = 0
  const failing = async () => {
    throw new Error('failure')
  }
  const tasks = [
    failing,
    async () => {
      pruned++
      return false
    },
  ]
  const cleanup = startCleanup({ tasks, clock, log })
  await until('a failure', () => log.lines.length === 1)
  assert.equal(pruned, 1)
  assert.equal((log.lines[0]!.details.err as AggregateError).errors[0].message, 'failure')
  await until('the pause', () => clock.sleeping.length === 1)
  clock.advance(60)
  await until('the next attempt', () => pruned === 2)
  await cleanup.stop()
})
