import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ComparedPayment,
  NOTHING_RESCANNED,
  observeRescanned,
  type PaymentView,
  type RescanKnowledge,
} from '../../../src/domain/chain/rescan-witness.ts'

const SHOWN: PaymentView = { isNearTip: true, hash: 'a', showsPayment: true }
const LACKING: PaymentView = { isNearTip: true, hash: 'a', showsPayment: false }
const OTHER_BLOCK: PaymentView = { isNearTip: true, hash: 'b', showsPayment: true }
const BEHIND: PaymentView = { isNearTip: false, hash: null, showsPayment: false }

function payment(views: readonly PaymentView[], change: Partial<ComparedPayment> = {}): ComparedPayment {
  return { key: 'p', height: 5, views, recordedHash: 'a', ...change }
}

/** A process that compares the payments of the blocks 1 to 10. */
class Witness {
  known: RescanKnowledge = NOTHING_RESCANNED

  /** @returns the keys of the payments that count */
  compare(now: number, payments: readonly ComparedPayment[], range = { from: 1, to: 10 }): string[] {
    const { known, witnessed } = observeRescanned(this.known, { ...range, payments, now })
    this.known = known
    return [...witnessed]
  }
}

test('a rescanned payment counts when two servers show it in the recorded block', () => {
  assert.deepEqual(new Witness().compare(0, [payment([SHOWN, SHOWN])]), ['p'])
  for (const views of [[SHOWN, LACKING], [SHOWN, OTHER_BLOCK], [SHOWN, BEHIND], [OTHER_BLOCK, OTHER_BLOCK], []])
    assert.deepEqual(new Witness().compare(0, [payment(views)]), [], JSON.stringify(views))
})

test('below the recorded blocks, two servers have to show it in equal blocks', () => {
  const below = { recordedHash: null }
  assert.deepEqual(new Witness().compare(0, [payment([OTHER_BLOCK, OTHER_BLOCK], below)]), ['p'])
  assert.deepEqual(new Witness().compare(0, [payment([SHOWN, OTHER_BLOCK], below)]), [])
})

test('it counts after 300 s without a second server, if the one there is shows it', () => {
  const witness = new Witness()
  const compare = (now: number) => {
    const payments = [payment([SHOWN, BEHIND], { key: 'shown' }), payment([BEHIND, BEHIND], { key: 'lacking' })]
    return witness.compare(now, payments)
  }
  assert.deepEqual([1_000, 1_299, 1_300].map(compare), [[], [], ['shown']])
  assert.deepEqual([...witness.known.waiting], [['lacking', 1_000]])
})

test('each payment waits for itself, and the wait ends when a server disagrees', () => {
  const witness = new Witness()
  witness.compare(1_000, [payment([SHOWN, BEHIND])])
  witness.compare(1_100, [payment([SHOWN, BEHIND], { key: 'later', height: 20 })], { from: 11, to: 20 })
  assert.deepEqual(
    [...witness.known.waiting],
    [
      ['p', 1_000],
      ['later', 1_100],
    ],
  )
  witness.compare(1_200, [payment([SHOWN, LACKING])])
  assert.deepEqual([...witness.known.waiting], [['later', 1_100]])
  assert.deepEqual(witness.compare(1_300, [payment([SHOWN, BEHIND])]), [])
})

test('a disagreement lasts until its block is compared without one', () => {
  const witness = new Witness()
  witness.compare(1_000, [payment([SHOWN, LACKING]), payment([SHOWN, LACKING], { key: 'q', height: 6 })])
  assert.deepEqual(witness.known.disagreed, { since: 1_000, height: 5 })
  witness.compare(1_010, [], { from: 11, to: 20 })
  assert.deepEqual(witness.known.disagreed, { since: 1_000, height: 5 })
  witness.compare(1_020, [payment([SHOWN, LACKING], { height: 12 })], { from: 11, to: 20 })
  assert.deepEqual(witness.known.disagreed, { since: 1_000, height: 12 })
  witness.compare(1_030, [], { from: 12, to: 12 })
  assert.equal(witness.known.disagreed, null)
})
