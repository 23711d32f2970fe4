import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError, invalidField, ReadOnlyDatabaseError } from '../../src/domain/error.ts'
import { API_ERROR_GROUPS, API_ERRORS, ERRORS } from '../../src/domain/error-table.ts'

test('no two errors of the table have one name', () => {
  const grouped = Object.values<object>(API_ERROR_GROUPS).flatMap(Object.keys)
  assert.equal(Object.keys(API_ERRORS).length, grouped.length)
  assert.equal(new Set(Object.keys(ERRORS)).size, Object.keys(ERRORS).length)
})

/** Entries of fields, whose codes come from `invalidField`. */
const FIELDS = ['invalid_amount_zat', 'invalid_viewing_key']

test('every error of the table is named by a source', () => {
  const root = join(import.meta.dirname, '../../src')
  const sources = globSync('**/*.ts', { cwd: root }).filter(path => !path.endsWith('error-table.ts'))
  const text = sources.map(path => readFileSync(join(root, path), 'utf8')).join('\n')
  assert.deepEqual(
    Object.keys(ERRORS).filter(name => !FIELDS.includes(name) && !text.includes(`'${name}'`)),
    [],
  )
})

test('an error has the kind, text and detail of its entry', () => {
  const error = new AppError('account_being_deleted')
  assert.deepEqual(
    [error.kind, error.code, error.message],
    ['conflict', 'account_being_deleted', 'account is being deleted'],
  )
  assert.match(String(error.extra.detail), /^to change it, keep the account first/)
  assert.deepEqual(new AppError('no_such_invoice').extra, {})
})

test('a client may repeat a request after each 503 in a second, unless the error says when', () => {
  assert.equal(new AppError('timed_out').retryAfterSecs, 1)
  assert.equal(new ReadOnlyDatabaseError().retryAfterSecs, 1)
  assert.equal(new AppError('overloaded', { retryAfterSecs: 5 }).retryAfterSecs, 5)
  assert.equal(new AppError('no_such_invoice').retryAfterSecs, undefined)
})

test('a given detail replaces that of the entry, and stands before the other members', () => {
  const error = new AppError('account_being_deleted', { detail: 'later', extra: { limit: 5 } })
  assert.equal(JSON.stringify(error.extra), '{"detail":"later","limit":5}')
})

test('a value replaces the gap of the text as it is', () => {
  assert.equal(new AppError('unknown_field', { value: '$& … $1' }).message, 'unknown field $& … $1')
})

test('the code of a field that is not valid names the field', () => {
  const error = invalidField('Idempotency-Key', '1 to 255 printable characters')
  assert.deepEqual(
    [error.kind, error.code, error.message],
    ['invalid', 'invalid_idempotency_key', 'invalid Idempotency-Key'],
  )
})

test('an error of two kinds has one code', () => {
  assert.equal(new AppError('webhook_required').code, new AppError('webhook_not_set').code)
})
