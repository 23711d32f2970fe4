import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseMemoryAtRest } from '../../../src/adapters/system/memory-at-rest.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const MB = 1024 * 1024

/** A process whose usage the test sets. A collection leaves 100 MB. */
function processWith(bytes: number) {
  const clock = new ManualClock()
  const state = { cpuMs: 0, bytes, collections: 0 }
  const released = releaseMemoryAtRest({
    clock,
    usage: () => ({ ...state }),
    collect() {
      state.collections += 1
      state.bytes = 100 * MB
    },
  })
  /** Ten seconds in which it uses this CPU time and then holds these bytes. @returns the collections until then */
  const interval = async (cpuMs: number, bytes = state.bytes) => {
    state.cpuMs += cpuMs
    state.bytes = bytes
    clock.advance(10)
    await new Promise(setImmediate)
    return state.collections
  }
  return { interval, released, clock }
}

test('memory is released once after a start, when the process has come to rest', async () => {
  const { interval, released } = processWith(150 * MB)
  assert.equal(await interval(3_000), 0, 'it starts')
  assert.equal(await interval(301), 0, 'it still works')
  assert.equal(await interval(300), 1)
  assert.equal(await interval(20), 1)
  released.stop()
})

test('memory is released again only after it has grown, and not under load', async () => {
  const { interval, released } = processWith(150 * MB)
  assert.equal(await interval(20), 1)
  assert.equal(await interval(20, 108 * MB - 1), 1, 'little growth')
  assert.equal(await interval(9_000, 300 * MB), 1, 'a burst')
  assert.equal(await interval(20), 2)
  released.stop()
})

test('growth counts from the least that the process held at rest: threads may end after the collection', async () => {
  const { interval, released } = processWith(150 * MB)
  assert.equal(await interval(20), 1)
  assert.equal(await interval(20, 80 * MB), 1)
  assert.equal(await interval(20, 88 * MB - 1), 1, 'little growth')
  assert.equal(await interval(20, 88 * MB), 2)
  released.stop()
})

test('nothing happens after a stop', async () => {
  const { interval, released, clock } = processWith(150 * MB)
  released.stop()
  assert.deepEqual(clock.sleeping, [])
  assert.equal(await interval(20), 0)
})

test('a collection returns memory of this process to the operating system', async () => {
  const clock = new ManualClock()
  let held: unknown[] | null = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: `${n}` }))
  const before = process.memoryUsage.rss()
  assert.equal(held.length, 1_000_000)
  held = null
  const released = releaseMemoryAtRest({ clock, usage: () => ({ cpuMs: 0, bytes: process.memoryUsage.rss() }) })
  clock.advance(10)
  await new Promise(setImmediate)
  released.stop()
  const after = process.memoryUsage.rss()
  assert.ok(after < before - 30 * MB, `${before} bytes before, ${after} after`)
})

test('a collection drops the bytecode of functions that are not running, and they can be called again', async () => {
  const clock = new ManualClock()
  const functions = Array.from({ length: 50 }, (_, n) => new Function('x', `return ${'x + '.repeat(20_000)}${n}`))
  const sums = () => functions.map(sum => sum(1))
  assert.deepEqual([sums()[0], sums()[49]], [20_000, 20_049])
  const before = process.memoryUsage().heapUsed
  const released = releaseMemoryAtRest({ clock, usage: () => ({ cpuMs: 0, bytes: process.memoryUsage.rss() }) })
  clock.advance(10)
  await new Promise(setImmediate)
  released.stop()
  const after = process.memoryUsage().heapUsed
  assert.ok(after < before - 5 * MB, `${before} bytes before, ${after} after`)
  assert.deepEqual([sums()[0], sums()[49]], [20_000, 20_049])
})
