import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedStartsAllow } from '../../src/domain/sale/swap.ts'
import { takeTurns } from '../../src/domain/turns.ts'

test('groups take turns, in their order, up to the limit', () => {
  const items = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']
  const groupOf = (item: string) => item.charCodeAt(0)
  assert.deepEqual(takeTurns(items, groupOf, 4), ['a1', 'b1', 'c1', 'a2'])
  assert.deepEqual(takeTurns(items, groupOf, 10), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  assert.deepEqual(takeTurns(items, groupOf, 0), [])
})

test('one account with very many swaps delays no other by more than a turn', () => {
  const accounts = [...Array(1_500).fill(1), 2]
  assert.ok(takeTurns(accounts, id => id, 16).includes(2))
})

test('starts of one account leave room for other accounts, and those of one invoice for other invoices', () => {
  const none = { invoice: 0, account: 0, service: 0 }
  assert.equal(sharedStartsAllow(none), true)
  assert.equal(sharedStartsAllow({ invoice: 1, account: 149, service: 149 }), true)
  assert.equal(sharedStartsAllow({ invoice: 1, account: 150, service: 150 }), false)
  assert.equal(sharedStartsAllow({ invoice: 0, account: 199, service: 199 }), true)
  assert.equal(sharedStartsAllow({ invoice: 0, account: 200, service: 200 }), false)
  assert.equal(sharedStartsAllow({ invoice: 0, account: 10, service: 800 }), false)
  assert.equal(sharedStartsAllow({ invoice: 0, account: 9, service: 999 }), true)
  assert.equal(sharedStartsAllow({ invoice: 0, account: 0, service: 1_000 }), false)
})
