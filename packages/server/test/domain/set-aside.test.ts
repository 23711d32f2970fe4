import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../src/domain/error.ts'
import { isGeneralFault, isRowFault, retrySetAsideSecs, setAsideError } from '../../src/domain/set-aside.ts'
import { storableText } from '../../src/domain/text.ts'

test('an unavailable database and stopped work are not the fault of a row', () => {
  assert.ok(isRowFault(new Error('poison')))
  assert.ok(isRowFault(new AppError('invalid_text')))
  assert.ok(!isRowFault(new AppError('timed_out')))
  assert.ok(!isRowFault(new AppError('database_unavailable')))
  assert.ok(!isRowFault(AbortSignal.abort().reason))
  assert.ok(!isRowFault(AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError')))
})

test('eight failures of three accounts without a success are a general fault; any success, or fewer, is not', () => {
  const accounts = (...ids: number[]) => ids
  assert.ok(isGeneralFault({ succeeded: 0, failedAccounts: accounts(1, 1, 1, 1, 1, 1, 2, 3) }))
  assert.ok(!isGeneralFault({ succeeded: 1, failedAccounts: accounts(1, 1, 1, 1, 1, 1, 2, 3) }))
  assert.ok(!isGeneralFault({ succeeded: 0, failedAccounts: accounts(1, 1, 1, 1, 1, 2, 3) }))
  assert.ok(!isGeneralFault({ succeeded: 0, failedAccounts: accounts(1, 1, 1, 1, 1, 1, 2, 2) }))
})

test('the pause doubles from a minute to at most six hours', () => {
  assert.deepEqual([1, 2, 3, 9, 10, 1_000].map(retrySetAsideSecs), [60, 120, 240, 15_360, 21_600, 21_600])
})

test('the stored error is one short line without ids and keys', () => {
  const secret = 'uivkregtest1qqqqqqqqqqqqqqqqqqqqqqqqqq'
  const text = setAsideError(
    new Error(`bad\0 row\n6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f ${secret} ${'x '.repeat(5_000)}`),
  )
  assert.match(text, /^bad\ufffd row … … x x/)
  assert.equal(text.length, 200)
  assert.equal(setAsideError('text'), 'text')
  assert.equal(setAsideError(new RangeError()), 'RangeError')
})

test('foreign text is cut, and what the database refuses is replaced', () => {
  assert.equal(storableText('a\0b\ud800', 10), 'a\ufffdb\ufffd')
  assert.equal(storableText('😀😀', 3), '😀\ufffd')
})
