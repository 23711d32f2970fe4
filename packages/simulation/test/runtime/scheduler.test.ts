import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentOwner, runAs, Scheduler } from '../../src/runtime/scheduler.ts'

function createOwner(name: string) {
  return { name, alive: true }
}

test('timers fire in the order of their times, as tasks of their owner', async () => {
  const scheduler = new Scheduler(1, 0)
  const process = createOwner('process 1')
  const fired: string[] = []
  const note = (name: string) => () => fired.push(`${name} of ${currentOwner().name} at ${scheduler.nowMs}`)
  runAs(process, () => scheduler.startTimer(30, note('late')))
  scheduler.startTimer(10, note('early'))
  scheduler.startTimer(100, note('other'))
  await scheduler.advanceByTimers(50, 10)
  await scheduler.run()
  assert.deepEqual(fired, ['early of world at 10', 'late of process 1 at 30'])
  assert.equal(scheduler.nowMs, 50)
})

test('a timer with a part of a millisecond fires at a whole one, as in Node', async () => {
  const scheduler = new Scheduler(1, 0)
  const fired: number[] = []
  scheduler.startTimer(10.9, () => fired.push(scheduler.nowMs))
  await scheduler.advanceByTimers(50, 10)
  assert.deepEqual(fired, [10])
})

test('a time that advances at once fires the due timers late', async () => {
  const scheduler = new Scheduler(1, 0)
  const fired: number[] = []
  scheduler.startTimer(10, () => fired.push(scheduler.nowMs))
  scheduler.advance(50)
  assert.deepEqual(fired, [])
  await scheduler.run()
  assert.deepEqual(fired, [50])
})

test('a canceled timer does not fire, and the others do', async () => {
  const scheduler = new Scheduler(1, 0)
  const fired: string[] = []
  const timers = ['a', 'b', 'c'].map(name => scheduler.startTimer(10, () => fired.push(name)))
  scheduler.cancelTimer(timers[0]!)
  scheduler.cancelTimer(timers[0]!)
  scheduler.advance(10)
  await scheduler.run()
  assert.deepEqual(fired.sort(), ['b', 'c'])
})

test('without punctuality a due timer stays pending, until the clock is punctual again', async () => {
  const scheduler = new Scheduler(1, 0)
  let fired = 0
  scheduler.startTimer(10, () => fired++)
  scheduler.punctuality = 0
  scheduler.advance(60)
  await scheduler.run()
  assert.equal(fired, 0)
  assert.equal(scheduler.isLate, true)
  scheduler.punctuality = 1
  scheduler.advance(0)
  await scheduler.run()
  assert.equal(fired, 1)
  assert.equal(scheduler.isLate, false)
})

test('a time that advances while a task can run is a suspension; while none can, it is not', async () => {
  const scheduler = new Scheduler(1, 0)
  await scheduler.run()
  scheduler.advance(60_000)
  assert.equal(scheduler.suspendedAtMs, Number.NEGATIVE_INFINITY)
  await scheduler.run()
  scheduler.enqueue(() => {})
  scheduler.advance(500)
  assert.equal(scheduler.suspendedAtMs, Number.NEGATIVE_INFINITY)
  scheduler.advance(600)
  assert.equal(scheduler.suspendedAtMs, 61_100)
})

test('an owner stands still from its first stall until the end of its last one, or until all are ended', async () => {
  const scheduler = new Scheduler(1, 1_000)
  const [process, other] = [createOwner('process 1'), createOwner('process 2')]
  scheduler.stall(process, 200)
  scheduler.advance(100)
  scheduler.stall(process, 300)
  scheduler.advance(200)
  assert.deepEqual([scheduler.standsStill(process), scheduler.standsStill(other)], [true, false])
  assert.deepEqual([scheduler.stoodStillMs(process, 0), scheduler.stoodStillMs(process, 1_250)], [300, 50])
  scheduler.resumeStalled()
  scheduler.advance(500)
  assert.equal(scheduler.standsStill(process), false)
  assert.deepEqual([scheduler.stoodStillMs(process, 1_250), scheduler.stoodStillMs(other, 0)], [50, 0])
  scheduler.stall(process, 40)
  scheduler.advance(100)
  assert.deepEqual([scheduler.stoodStillMs(process, 1_250), scheduler.stoodStillMs(process, 1_830)], [40, 10])
})

test('the tasks and timers of a dead process never run', async () => {
  const scheduler = new Scheduler(1, 0)
  const process = createOwner('process 1')
  const done: string[] = []
  const start = (name: string) => {
    void scheduler.yield().then(() => done.push(`${name} resumed`))
    scheduler.startTimer(5, () => done.push(`${name} fired`))
  }
  runAs(process, () => start('dead'))
  start('alive')
  process.alive = false
  scheduler.removeDead()
  // Code of the dead process that still runs gets no further.
  runAs(process, () => void scheduler.pause()?.then(() => done.push('dead paused')))
  await scheduler.run()
  scheduler.advance(10)
  await scheduler.run()
  assert.deepEqual(done, ['alive resumed', 'alive fired'])
  assert.equal(scheduler.isIdle, true)
})

test('the order of the tasks depends on the seed only', async () => {
  async function orderOf(seed: number): Promise<string> {
    const scheduler = new Scheduler(seed, 0)
    const order: number[] = []
    for (let i = 0; i < 8; i++) scheduler.enqueue(() => order.push(i))
    await scheduler.run()
    return order.join()
  }
  assert.equal(await orderOf(1), await orderOf(1))
  assert.notEqual(await orderOf(1), await orderOf(2))
})
