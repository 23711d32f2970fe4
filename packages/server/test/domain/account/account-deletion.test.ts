import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletionDueAt, isDeletionDue } from '../../../src/domain/account/account-deletion.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'

const REQUESTED_AT = 1_770_000_000

test('an account is due for deletion a week after the request, and never without one', () => {
  const account = { deletionRequestedAt: REQUESTED_AT }
  const dueAt = REQUESTED_AT + 7 * DAY_SECS
  assert.equal(deletionDueAt(account), dueAt)
  assert.ok(!isDeletionDue(account, dueAt - 1))
  assert.ok(isDeletionDue(account, dueAt))
  assert.equal(deletionDueAt({}), null)
  assert.ok(!isDeletionDue({}, Number.MAX_SAFE_INTEGER))
})
