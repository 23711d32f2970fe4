import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from '../../../src/store/batching/batch-loader.ts'

test('calls of one turn are answered together, in batches, and each by its own answer', async () => {
  const batches: number[][] = []
  const double = gather(
    async (items: readonly number[]) => {
      batches.push([...items])
      return items.map(item => item * 2)
    },
    { batch: 2, waiting: 10 },
  )
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6])
  assert.deepEqual(batches, [[1, 2], [3]])
})

test('a call made while others are being answered waits for work of its own', async () => {
  const first = Promise.withResolvers<void>()
  const begun: string[] = []
  const ask = gather(
    async (items: readonly string[]) => {
      begun.push(items.join(' '))
      if (begun.length === 1) await first.promise
      return items
    },
    { batch: 10, waiting: 10 },
  )
  const early = ask('early')
  while (begun.length === 0) await new Promise(setImmediate)
  const late = ask('late')
  first.resolve()
  assert.deepEqual(await Promise.all([early, late]), ['early', 'late'])
  assert.deepEqual(begun, ['early', 'late'])
})

test('a failure is that of all whom it concerns, and of nobody else', async () => {
  const ask = gather(
    async (items: readonly string[]) => {
      if (items.includes('bad')) throw new Error('no')
      return items
    },
    { batch: 2, waiting: 10 },
  )
  const results = await Promise.allSettled(['good', 'bad', 'fine'].map(ask))
  assert.deepEqual(
    results.map(result => result.status),
    ['rejected', 'rejected', 'fulfilled'],
  )
  assert.equal(await ask('again'), 'again')
})

test('beyond what may wait a caller is turned away', async () => {
  const ask = gather(async (items: readonly number[]) => items, { batch: 10, waiting: 2 })
  const results = await Promise.allSettled([1, 2, 3].map(ask))
  assert.deepEqual(
    results.map(result => (result.status === 'fulfilled' ? result.value : result.reason.code)),
    [1, 2, 'overloaded'],
  )
})
