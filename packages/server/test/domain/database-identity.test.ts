import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  COUNTER_STEP_BYTES,
  copyStep,
  eventSkip,
  isSameDatabase,
  unknownParts,
  watchUntilAfterCopy,
} from '../../src/domain/database-identity.ts'

test('a database is the recorded one only if every recorded part is the same', () => {
  const cases: [recorded: string, current: string, same: boolean][] = [
    ['', 'inode:1', false],
    ['', '', false],
    ['inode:1', 'inode:1', true],
    ['inode:1', 'inode:11', false],
    ['inode:1;born:5', 'inode:1;born:6', false],
    ['inode:1;born:5', 'inode:1', false],
    // The birth time was unknown when the identity was recorded.
    ['inode:1', 'inode:1;born:5', true],
    ['system:1;timeline:00000001', 'system:1;timeline:00000002', false],
    ['system:?;timeline:?', 'system:?;timeline:?', true],
    ['system:1', 'system:?', false],
  ]
  for (const [recorded, current, same] of cases)
    assert.equal(isSameDatabase({ recorded, current }), same, `${recorded} and ${current}`)
})

test('the parts that a server does not report are listed', () => {
  assert.deepEqual(unknownParts('system:?;timeline:00000001;database:?'), ['system', 'database'])
  assert.deepEqual(unknownParts('inode:1;born:2'), [])
})

test('a step is at least 2^44 and below 2^45, and uses all its random bits', () => {
  const bytes = (value: number) => new Uint8Array(COUNTER_STEP_BYTES).fill(value)
  assert.equal(copyStep(bytes(0)), 2n ** 44n)
  assert.equal(copyStep(bytes(0xff)), 2n ** 45n - 1n)
  assert.equal(copyStep(Uint8Array.of(0x10, 0, 0, 0, 0, 1)), 2n ** 44n + 1n)
  assert.equal(copyStep(Uint8Array.of(0x08, 0, 0, 0, 0, 0)), 2n ** 44n + 2n ** 43n)
})

test('the keys of a copy are watched as long as a lost invoice or swap can be paid', () => {
  assert.equal(watchUntilAfterCopy(1_000, 7), 1_000 + (1 + 7 + 14) * 86_400)
})

test('a copy numbers its events above those of every earlier copy, also of a later backup', () => {
  const newestOf = (newest: number, nowMs: number, bytes: Uint8Array) => {
    const { least, step } = eventSkip(nowMs, bytes)
    return Math.max(newest, least) + step
  }
  const [none, all] = [0, 0xff].map(value => new Uint8Array(COUNTER_STEP_BYTES).fill(value))
  const start = Date.UTC(2026, 10, 29)
  // Two copies of one after the other, and then one of the first backup: by steps alone it would stay behind.
  const first = newestOf(1_000, start, all!)
  const second = newestOf(first, start + 1_000, all!)
  assert.ok(newestOf(1_000, start + 2_000, none!) > second + 500)
  assert.ok(newestOf(second, start - 86_400_000, none!) > second + 65_535, 'a clock that was ahead')
  assert.ok(newestOf(0, Date.UTC(2297, 0, 1), all!) < Number.MAX_SAFE_INTEGER)
})
