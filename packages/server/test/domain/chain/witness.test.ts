import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  comparedFrom,
  isShown,
  NOTHING_WITNESSED,
  observeComparison,
  type ServerComparison,
  type WitnessedBlock,
  type WitnessKnowledge,
  witnessProblems,
} from '../../../src/domain/chain/witness.ts'

type Servers = Omit<WitnessedBlock, 'height'>
const AGREED: Servers = { agreeing: 2, opposing: 0 }
const ALONE: Servers = { agreeing: 1, opposing: 0 }
const OPPOSED: Servers = { agreeing: 1, opposing: 1 }

/** A process, and the height that it stores. */
class Witness {
  known: WitnessKnowledge = NOTHING_WITNESSED
  /** The stored height up to which blocks confirm payments. */
  height = 100

  /** Compares the servers about the blocks above the last agreement. */
  compare(now: number, blocks: readonly Servers[], change: Partial<ServerComparison> = {}): number {
    const from = comparedFrom(this.known, this.height)
    const { known, reached } = observeComparison(this.known, {
      blocks: blocks.map((servers, i) => ({ ...servers, height: from + 1 + i })),
      witnessed: this.height,
      tip: from + blocks.length,
      isIncomplete: false,
      shown: new Set(),
      now,
      ...change,
    })
    this.known = known
    this.height = reached
    return reached
  }

  problems(now: number, rescanned: { since: number; height: number } | null = null) {
    return witnessProblems(this.known, rescanned, now).map(({ problem, ...more }) => [problem, ...Object.values(more)])
  }
}

test('blocks count up to where two servers agree', () => {
  const witness = new Witness()
  assert.equal(witness.compare(0, [AGREED, AGREED, ALONE, AGREED]), 102)
  assert.equal(witness.compare(1, [AGREED, OPPOSED]), 103)
})

test('blocks of one server count after 300 s without a second one, and are compared when it comes back', () => {
  const witness = new Witness()
  assert.equal(witness.compare(1_000, [ALONE, ALONE]), 100)
  assert.equal(witness.compare(1_299, [ALONE, ALONE]), 100)
  assert.deepEqual(witness.problems(1_299), [])
  assert.equal(witness.compare(1_300, [ALONE, ALONE]), 102)
  assert.deepEqual(witness.problems(1_300), [['second_server_missing']])
  assert.equal(comparedFrom(witness.known, 102), 100)
  assert.equal(witness.compare(1_301, [AGREED, ALONE, ALONE]), 102, 'what counted still counts')
  assert.deepEqual(witness.problems(1_301), [], 'the wait starts again')
  assert.equal(comparedFrom(witness.known, 102), 101)
  assert.equal(witness.compare(1_302, [OPPOSED, ALONE]), 101, 'until a server disagrees')
  assert.equal(comparedFrom(witness.known, 101), 101)
})

test('of many blocks that counted without a second server, all are compared when it comes back', () => {
  const witness = new Witness()
  for (const now of [1_000, 1_300]) witness.compare(now, [ALONE, ALONE, ALONE])
  assert.equal(witness.compare(1_301, [AGREED]), 103, 'one batch of them')
  assert.equal(comparedFrom(witness.known, 103), 101)
})

test('the wait starts again with an agreement, also when another process has recorded it', () => {
  for (const others of [false, true]) {
    const witness = new Witness()
    witness.compare(1_000, [ALONE])
    if (others) witness.height = 101
    else assert.equal(witness.compare(1_200, [AGREED, ALONE]), 101)
    assert.equal(witness.compare(1_250, [ALONE]), 101)
    assert.equal(witness.compare(1_400, [ALONE]), 101)
    assert.equal(witness.compare(1_550, [ALONE]), 102)
  }
})

test('when the wait is over, blocks count below the first one about which a server disagrees', () => {
  const witness = new Witness()
  witness.compare(1_000, [ALONE, ALONE, OPPOSED])
  assert.equal(witness.compare(1_300, [ALONE, ALONE, OPPOSED]), 102)
})

test('an unmined payment counts when two servers show it, or after 300 s without a second one', () => {
  const witness = new Witness()
  const counts = (now: number) => ['a', 'b'].map(key => isShown(witness.known, key, now))
  witness.compare(1_000, [ALONE], { shown: new Set(['a']) })
  assert.deepEqual(counts(1_299), [true, false])
  assert.deepEqual(counts(1_300), [true, true])
  witness.compare(1_301, [], { shown: new Set(['b']) })
  assert.deepEqual(counts(1_299), [false, true], 'without a block to compare, too')
  assert.deepEqual(counts(1_301), [true, true], 'and the wait goes on')
})

test('a disagreement is reported after 60 s at the block above the agreement, else one about a rescanned payment', () => {
  const witness = new Witness()
  const rescanned = { since: 1_000, height: 7 }
  assert.deepEqual(witness.problems(1_059, rescanned), [])
  assert.deepEqual(witness.problems(1_060, rescanned), [['servers_disagree', 7]])
  witness.compare(1_000, [OPPOSED])
  witness.compare(1_050, [OPPOSED])
  assert.deepEqual(witness.problems(1_059), [])
  assert.deepEqual(witness.problems(1_060, rescanned), [['servers_disagree', 101]])
  witness.compare(1_061, [AGREED])
  assert.deepEqual(witness.problems(1_500), [])
})

test('a further server that contradicts two, or cannot be compared, is reported after 300 s', () => {
  const contradicted = [[{ agreeing: 2, opposing: 1 }], {}] as const
  const incomplete = [[AGREED], { isIncomplete: true }] as const
  for (const [blocks, change] of [contradicted, incomplete]) {
    const witness = new Witness()
    witness.compare(1_000, blocks, change)
    witness.compare(1_200, blocks, change)
    assert.deepEqual(witness.problems(1_299), [])
    assert.deepEqual(witness.problems(1_300), [['server_left_out']])
    witness.compare(1_301, [AGREED])
    assert.deepEqual(witness.problems(1_700), [])
  }
})

test('no block counts before two servers have agreed about it, or one has shown it alone for 300 s', () => {
  const servers = fc.constantFrom(AGREED, AGREED, ALONE, ALONE, ALONE, OPPOSED)
  const step = fc.record({ secs: fc.integer({ min: 1, max: 200 }), mined: fc.integer({ min: 0, max: 2 }), servers })
  let alone = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), steps => {
      const witness = new Witness()
      let [now, tip, agreedAt, agreed] = [1_000, 101, 1_000, 100]
      for (const { secs, mined, servers: shown } of steps) {
        now += secs
        tip += mined
        const from = comparedFrom(witness.known, witness.height)
        const blocks = Array.from({ length: tip - from }, () => shown)
        const reached = witness.compare(now, blocks, { tip })
        if (shown === AGREED) [agreed, agreedAt] = [tip, now]
        if (reached > agreed) {
          alone += 1
          assert.ok(now - agreedAt >= 300)
        }
        if (shown === OPPOSED && blocks.length > 0) assert.ok(reached <= agreed)
      }
    }),
    { numRuns: 5_000 },
  )
  assert.ok(alone > 500, `only ${alone} blocks counted alone`)
})
