import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiredKeyError, expiryReason } from '../../../src/domain/account/viewing-key.ts'

const TIME = 1_800_000_000

test('a key is valid up to and including its expiry time and height', () => {
  const byTime = { time: TIME, height: null }
  assert.equal(expiryReason(byTime, { now: TIME, tipHeight: 9_999_999 }), null)
  assert.equal(expiryReason(byTime, { now: TIME + 1, tipHeight: null }), 'expired on 2027-01-15T08:00:00Z')
  const byHeight = { time: null, height: 100 }
  assert.equal(expiryReason(byHeight, { now: TIME, tipHeight: 100 }), null)
  assert.equal(
    expiryReason(byHeight, { now: TIME, tipHeight: 101 }),
    'expired at block 100, and the chain is at block 101',
  )
  assert.equal(expiryReason(byHeight, { now: TIME, tipHeight: null }), null)
  assert.equal(expiryReason({ time: 0, height: 0 }, { now: 0, tipHeight: 0 }), null)
})

test('the earlier of both limits counts', () => {
  const both = { time: TIME, height: 100 }
  assert.match(expiryReason(both, { now: TIME + 1, tipHeight: 1 }) ?? '', /2027-01-15/)
  assert.match(expiryReason(both, { now: TIME, tipHeight: 101 }) ?? '', /block 100/)
  assert.equal(expiryReason(both, { now: TIME, tipHeight: 100 }), null)
})

test('an invoice must expire before its key, so that no address outlives the key', () => {
  const expiry = { time: TIME, height: 100 }
  const at = (now: number, tipHeight: number | null, endsAt: number) => {
    const error = expiredKeyError(expiry, { now, tipHeight }, endsAt)
    return error && [error.kind, error.code, error.message, error.extra.detail]
  }
  assert.equal(at(TIME - 900, 100, TIME), null)
  assert.equal(at(TIME - 900, null, TIME), null)
  assert.deepEqual(at(TIME - 899, 100, TIME + 1), [
    'conflict',
    'viewing_key_expires_too_soon',
    'viewing key expires too soon',
    'the viewing key expires on 2027-01-15T08:00:00Z, before the invoice would: set another viewing key, or a shorter expires_in_secs',
  ])
  assert.deepEqual(at(TIME + 1, 100, TIME + 901), [
    'conflict',
    'viewing_key_expired',
    'viewing key expired',
    'the viewing key expired on 2027-01-15T08:00:00Z: set another viewing key',
  ])
  assert.equal(at(TIME - 900, 101, TIME)?.[1], 'viewing_key_expired')
})
