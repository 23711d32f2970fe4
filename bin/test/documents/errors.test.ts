import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERRORS_FILE, errorsDocument } from '../../documents/errors.ts'

test('docs/errors.md is what npm run documents writes', () => {
  assert.equal(readFileSync(ERRORS_FILE, 'utf8'), errorsDocument())
})
