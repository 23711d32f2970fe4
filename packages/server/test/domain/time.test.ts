import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_SECS, formatIso, parseDay, startOfDay, startOfMonth, startOfWeek } from '../../src/domain/time.ts'

const moment = fc.integer({ min: 0, max: 4_102_444_800 })

test('days, weeks (from Monday) and months start at their first second in UTC', () => {
  const at = Date.UTC(2026, 10, 21, 9, 15, 3) / 1000
  assert.equal(formatIso(startOfDay(at)), '2026-11-21T00:00:00Z')
  assert.equal(formatIso(startOfWeek(at)), '2026-11-16T00:00:00Z')
  assert.equal(formatIso(startOfMonth(at)), '2026-11-01T00:00:00Z')
})

test('a week starts on a Monday, less than seven days before the given time', () => {
  fc.assert(
    fc.property(moment, at => {
      const start = startOfWeek(at)
      assert.ok(at - start < 7 * DAY_SECS)
      assert.equal(start < 0 || new Date(start * 1000).getUTCDay() === 1, true)
      assert.ok(start <= at)
    }),
  )
})

test('a formatted day parses to the same day; invalid dates are refused', () => {
  fc.assert(fc.property(moment, at => parseDay(formatIso(at).slice(0, 10)) === startOfDay(at)))
  for (const text of ['', '2026-02-30', '2026-13-01', '21.11.2026', '2026-11-21T00:00', '2026-1-1'])
    assert.equal(parseDay(text), null)
})
