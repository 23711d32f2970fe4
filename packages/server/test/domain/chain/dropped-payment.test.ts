import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ComparedList, presenceOf } from '../../../src/domain/chain/dropped-payment.ts'

const NOW = 10_000
const LIST: ComparedList = {
  txids: new Set(),
  lastSeq: 9,
  continuesAbsences: true,
  clockIsRight: true,
  provesVanished: true,
  uncompared: new Set(),
  listedAt: NOW,
  now: NOW,
  tip: 50,
}
const PRESENT = { txid: 'a', seq: 1, inSnapshot: true, vanished: null }
const VANISHED = { ...PRESENT, inSnapshot: false, vanished: { since: NOW - 120, height: 49 } }

test('a payment in the list is present, and returns when the last list lacked it or was not compared with it', () => {
  const list = { ...LIST, txids: new Set(['a']) }
  assert.equal(presenceOf(PRESENT, list), 'present')
  assert.equal(presenceOf({ ...PRESENT, inSnapshot: false }, list), 'returned')
  assert.equal(presenceOf({ ...VANISHED, inSnapshot: true }, list), 'returned')
})

test('a vanished payment is dropped after 120 s and a new block, not before', () => {
  assert.equal(presenceOf(PRESENT, LIST), 'vanished')
  assert.equal(presenceOf(VANISHED, LIST), 'dropped')
  assert.equal(
    presenceOf(VANISHED, { ...LIST, listedAt: NOW - 1 }),
    'absent',
    'it may have returned while the list was recorded',
  )
  assert.equal(presenceOf(VANISHED, { ...LIST, tip: 49 }), 'absent')
})

const UNPROVEN: Readonly<Record<string, Partial<ComparedList>>> = {
  'the list proves nothing': { provesVanished: false },
  'the clock is wrong': { clockIsRight: false },
  'the payment was recorded after the list was requested': { lastSeq: 0 },
}
for (const [name, change] of Object.entries(UNPROVEN))
  test(`no payment has vanished when ${name}`, () => {
    assert.equal(presenceOf(PRESENT, { ...LIST, ...change }), 'unproven')
    assert.equal(presenceOf(VANISHED, { ...LIST, ...change }), 'absent')
  })

const RESTARTED: Readonly<Record<string, Partial<ComparedList>>> = {
  'at another server, or after a long time without a list': { continuesAbsences: false },
  'when a list that was not compared had it': { uncompared: new Set(['a']) },
  'when too many lists were not compared': { uncompared: null },
  'when a clock that was ahead began it': { now: NOW - 121 },
}
for (const [name, change] of Object.entries(RESTARTED))
  test(`the wait starts again ${name}`, () => {
    assert.equal(presenceOf(VANISHED, { ...LIST, ...change }), 'vanished')
  })
