import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { instantiate } from '../../src/kernel/wasm.ts'
import { Fp, P } from '../../src/pallas.ts'
import { build, compilerMissing } from './compiler.ts'
import { randomBytes } from './harness.ts'

/** Exports the functions that the host has no use for. */
const EXPORTS = {
  file: 'index.ts',
  find: "export { jumble } from './jumble'\n",
  replace:
    "export { jumble } from './jumble'\nexport { invert } from './inverse'\nexport { readElement } from './canonical'\n",
}

interface Inverting {
  readElement(out: number, lane0: number, lane1: number): void
  invert(out: number, a: number): number
}

const ELEMENT = 80

test('inverts special and random elements, in both lanes, and finds a zero', { skip: compilerMissing }, () => {
  const { memory, run, at } = instantiate(build(EXPORTS))
  const { readElement, invert } = run as unknown as Inverting
  const element = at.POINTS
  const valueIn = (lane: number) => {
    const limbs = new Float64Array(memory.buffer, element, 10)
    return Fp.create([0, 1, 2, 3, 4].reduceRight((sum, i) => (sum << 51n) + BigInt(limbs[2 * i + lane]!), 0n))
  }
  function inverses(lanes: readonly [bigint, bigint]): { values: bigint[]; found: boolean } {
    const input = new Uint8Array(memory.buffer, at.INPUT, 64)
    for (const [i, value] of lanes.entries()) input.set(numberToBytesLE(value, 32), 32 * i)
    readElement(element, at.INPUT, at.INPUT + 32)
    const found = invert(element + ELEMENT, element)
    assert.deepEqual(
      [valueIn(0), valueIn(1)],
      lanes.map(value => Fp.create(value)),
      'the argument does not change',
    )
    assert.equal(invert(element, element), found)
    return { values: [valueIn(0), valueIn(1)], found: Boolean(found) }
  }
  const special = [1n, 2n, 3n, P - 1n, P - 2n, (P + 1n) / 2n, (P - 1n) / 2n]
  for (let bits = 3n; bits < 254n; bits++) special.push((1n << bits) - 1n, 1n << bits, P - (1n << bits))
  const random = Array.from({ length: 3_000 }, () => bytesToNumberLE(randomBytes(40)) % P)
  for (const value of [...special, ...random]) {
    const other = bytesToNumberLE(randomBytes(40)) % P
    assert.deepEqual(inverses([value, 1n]), { values: [Fp.inv(value), 1n], found: true })
    assert.deepEqual(inverses([other, value]), { values: [Fp.inv(other), Fp.inv(value)], found: true })
  }
  for (const lanes of [
    [0n, 5n],
    [5n, 0n],
    [0n, 0n],
    [P, 5n],
  ] as const) {
    assert.deepEqual(inverses(lanes), { values: [0n, 0n], found: false })
  }
})
