import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSampler } from '../../../src/adapters/zcash/sampler.ts'

test('the first item is chosen, and then one at a random distance', () => {
  const draws = [0.5, 0, 0.999, 0.999]
  const sample = createSampler(10, () => draws.shift()!)
  const chosen: number[] = []
  for (let start = 0; start < 40; start += 4) {
    const item = sample(4)
    if (item !== undefined) chosen.push(start + item)
  }
  assert.deepEqual(chosen, [0, 11, 12, 32])
})

test('about one item in the given number is chosen, whatever the sizes of the batches', () => {
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const sample = createSampler(100, random)
  let chosen = 0
  let total = 0
  for (let i = 0; i < 20_000; i++) {
    const count = 1 + (i % 7)
    total += count
    if (sample(count) !== undefined) chosen++
  }
  assert.ok(Math.abs(chosen - total / 100) < 100, `${chosen} of ${total}`)
})
