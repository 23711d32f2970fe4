import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givesWay } from '../../../src/domain/sale/export.ts'

const running = { session: 1, startedAtMs: 1_000_000 }
const after = (secs: number) => running.startedAtMs + secs * 1_000

test('an export that was not read for a minute gives way to all', () => {
  for (const session of [1, 2, null])
    for (const [secs, expected] of [
      [359, false],
      [360, true],
    ] as const)
      assert.equal(givesWay({ ...running, readAtMs: after(300), pages: 10_000 }, session, after(secs)), expected)
})

test('an export slower than a page a second gives way to another session after its first minute', () => {
  const at = (secs: number, pages: number, session: number | null) =>
    givesWay({ ...running, readAtMs: after(secs), pages }, session, after(secs))
  assert.equal(at(59, 1, 2), false, 'in its first minute')
  assert.equal(at(60, 59, 2), true)
  assert.equal(at(60, 60, 2), false, 'a page a second')
  assert.equal(at(600, 599, 2), true)
  assert.equal(at(600, 600, 2), false)
  assert.equal(at(60, 1, null), true, 'to the command')
  assert.equal(at(600, 1, 1), false, 'not to its own session')
})
