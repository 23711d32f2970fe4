import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchLoader } from '../../../src/store/batching/batch-loader.ts'

test('calls of one event loop turn share batches, and each gets its own result', async () => {
  const batches: number[][] = []
  const double = batchLoader(
    async (items: readonly number[]) => {
      batches.push([...items])
      return items.map(item => item * 2)
    },
    { maxBatch: 2, maxWaiting: 10 },
  )
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6])
  assert.deepEqual(batches, [[1, 2], [3]])
})

test('a call made while a batch is loading waits for the next load', async () => {
  const first = Promise.withResolvers<void>()
  const loads: string[] = []
  const load = batchLoader(
    async (items: readonly string[]) => {
      loads.push(items.join(' '))
      if (loads.length === 1) await first.promise
      return items
    },
    { maxBatch: 10, maxWaiting: 10 },
  )
  const early = load('early')
  while (loads.length === 0) await new Promise(setImmediate)
  const late = load('late')
  first.resolve()
  assert.deepEqual(await Promise.all([early, late]), ['early', 'late'])
  assert.deepEqual(loads, ['early', 'late'])
})

test('an error rejects all calls of its batch and no others', async () => {
  const load = batchLoader(
    async (items: readonly string[]) => {
      if (items.includes('bad')) throw new Error('no')
      return items
    },
    { maxBatch: 2, maxWaiting: 10 },
  )
  const results = await Promise.allSettled(['good', 'bad', 'fine'].map(load))
  assert.deepEqual(
    results.map(result => result.status),
    ['rejected', 'rejected', 'fulfilled'],
  )
  assert.equal(await load('again'), 'again')
})

test('calls beyond the queue limit are rejected', async () => {
  const load = batchLoader(async (items: readonly number[]) => items, { maxBatch: 10, maxWaiting: 2 })
  const results = await Promise.allSettled([1, 2, 3].map(load))
  assert.deepEqual(
    results.map(result => (result.status === 'fulfilled' ? result.value : result.reason.code)),
    [1, 2, 'overloaded'],
  )
})
