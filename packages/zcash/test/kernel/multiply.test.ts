import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Machine } from '../../src/kernel/machine.ts'
import { methodFor } from '../../src/kernel/method.ts'
import { recode } from '../../src/kernel/recode.ts'
import { sharedSecrets } from '../../src/note.ts'
import { encodePoint } from '../../src/pallas.ts'
import { hex } from '../vectors.ts'
import { digitsOf, multiplyAll, randomPoint, randomScalar, specialPoints, specialScalars, WASM } from './harness.ts'

/** Pairs that are compared with the plain path, and the seconds after which a run ends in any case. */
const RANDOM_PAIRS = Number(process.env.ZATGATE_TEST_PAIRS ?? 4_000)
const MAX_SECONDS = 240

const machine = new Machine(WASM)
/** Each method that is used for some number of keys. */
const METHODS = [...new Set([1, 2, 4, 8, 16, 32, 64, 100, 200, 400, 1_000, 2_000, 4_000, 10_000].map(methodFor))]

/** The products by the plain path. Keys need no dk for this. */
function plainProducts(points: readonly Uint8Array[], scalars: readonly bigint[]): string[] {
  const keys = scalars.map(ivk => ({ dk: new Uint8Array(32), ivk }))
  return points.flatMap(point => sharedSecrets(keys, point)).map(hex)
}

for (const method of METHODS) {
  const name = `${method.kind} of ${method.windows.length} windows`

  test(`${name}: special scalars and points give the products of the plain path`, () => {
    const scalars = specialScalars().filter(scalar => recode(scalar, method) !== undefined)
    const points = [...specialPoints().slice(0, 3), randomPoint()].map(encodePoint)
    assert.ok(scalars.length > 200, `${scalars.length} scalars`)
    const products = multiplyAll(machine, points, digitsOf(method, scalars)).map(hex)
    assert.deepEqual(products, plainProducts(points, scalars))
  })

  test(`${name}: every random scalar has digits`, () => {
    for (let i = 0; i < 300; i++) assert.notEqual(recode(randomScalar(), method), undefined)
  })
}

test('points with special coordinates give the products of the plain path', () => {
  const points = specialPoints().map(encodePoint)
  const scalars = [1n, 2n, ...Array.from({ length: 18 }, randomScalar)]
  const method = METHODS[2]!
  assert.deepEqual(multiplyAll(machine, points, digitsOf(method, scalars)).map(hex), plainProducts(points, scalars))
})

test(`${RANDOM_PAIRS} random pairs give the products of the plain path`, t => {
  const end = performance.now() + 1_000 * MAX_SECONDS
  let compared = 0
  for (let round = 0; compared < RANDOM_PAIRS && performance.now() < end; round++) {
    const method = METHODS[round % METHODS.length]!
    // Odd numbers fill only one lane of the last slot.
    const points = Array.from({ length: 1 + (round % 4) }, randomPoint).map(encodePoint)
    const scalars = Array.from({ length: 199 + (round % 3) }, randomScalar)
    const products = multiplyAll(machine, points, digitsOf(method, scalars)).map(hex)
    assert.deepEqual(products, plainProducts(points, scalars))
    compared += products.length
  }
  t.diagnostic(`${compared} pairs compared`)
  assert.ok(compared > 1_000, `${compared} pairs compared`)
})
