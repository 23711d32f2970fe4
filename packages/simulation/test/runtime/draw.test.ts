import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Draw } from '../../src/runtime/draw.ts'

const valuesOf = (draw: Draw) => Array.from({ length: 20 }, () => draw.next())

test('a seed gives the same values again, and the known ones on every machine', () => {
  assert.deepEqual(valuesOf(new Draw(7, 'order')), valuesOf(new Draw(7, 'order')))
  assert.deepEqual([new Draw(7).next(), new Draw(7, 'order').next()], [353850723, 1989870304])
})

test('the streams of one seed differ, and so do seeds that are close or above 32 bits', () => {
  const draws = [new Draw(7), new Draw(7, 'order'), new Draw(8), new Draw(7 + 2 ** 32)]
  assert.equal(new Set(draws.map(draw => valuesOf(draw).join())).size, draws.length)
})

test('integers reach both bounds and nothing else', () => {
  const draw = new Draw(1)
  assert.deepEqual(new Set(Array.from({ length: 200 }, () => draw.int(2, 4))), new Set([2, 3, 4]))
})

test('an item without weight is never drawn, and no item is drawn from an empty list', () => {
  const draw = new Draw(1)
  for (let i = 0; i < 200; i++)
    assert.equal(
      draw.weighted([
        ['never', 0],
        ['always', 1],
      ]),
      'always',
    )
  assert.throws(() => draw.pick([]), RangeError)
})
