import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { listState, mempoolIsKnown } from '../../../src/domain/chain/chain-knowledge.ts'
import { presenceOf } from '../../../src/domain/chain/dropped-payment.ts'
import { ChainReader } from '../../harness/chain-reader.ts'

test('mempool payments may confirm an invoice for 30 s after a recorded list was requested', () => {
  const reader = new ChainReader()
  const isKnown = (now: number) => mempoolIsKnown(reader.known, now)
  reader.read(100)
  assert.equal(isKnown(100), false)
  reader.record(110)
  assert.deepEqual([99, 100, 130, 131].map(isKnown), [false, true, true, false])
  reader.read(120)
  assert.equal(isKnown(120), true, 'while the next list is read')
  reader.see({ type: 'page_recorded' })
  assert.equal(isKnown(120), false, 'while the next list is recorded in part')
  reader.read(140)
  reader.record(140)
  assert.equal(isKnown(140), true)
  reader.read(150)
  reader.record(190, { compared: false })
  assert.equal(isKnown(150), false, 'a list that was too old to be compared')
})

test('a list is compared within 30 s of its request, and is the first one when none was recorded so lately', () => {
  const reader = new ChainReader()
  assert.deepEqual(listState(reader.known, 100), {
    listedAt: 0,
    isRecent: false,
    isFirst: true,
    continuesAbsences: false,
  })
  reader.read(100)
  assert.deepEqual(
    [99, 100, 130, 131].map(now => listState(reader.known, now).isRecent),
    [false, true, true, false],
  )
  reader.record(100)
  reader.read(130)
  assert.equal(listState(reader.known, 130).isFirst, false)
  assert.equal(listState(reader.known, 131).isFirst, true)
})

const WITHOUT_ABSENCES: Readonly<Record<string, (reader: ChainReader) => void>> = {
  'is recorded after a rewind': reader => reader.sync(102, { rewound: true, serverEpoch: 2 }),
  'is recorded by a wrong clock': reader => {
    reader.read(102, { serverEpoch: 2 })
    reader.record(102, { clockAgrees: false })
  },
  'is too old to be compared': reader => {
    reader.read(102, { serverEpoch: 2 })
    reader.record(140, { compared: false })
  },
  'is recorded in part': reader => {
    reader.read(102, { serverEpoch: 2 })
    reader.see({ type: 'page_recorded' })
  },
}
for (const [name, see] of Object.entries(WITHOUT_ABSENCES))
  test(`absences at two servers do not add up, also when a list of the new one ${name}`, () => {
    const reader = new ChainReader()
    const isSame = (serverEpoch: number) => {
      reader.see({ type: 'sync_started', at: 125, serverEpoch })
      return listState(reader.known, 125).continuesAbsences
    }
    assert.equal(isSame(1), false)
    reader.sync(100)
    assert.deepEqual([isSame(1), isSame(2)], [true, false])
    see(reader)
    assert.deepEqual([isSame(1), isSame(2)], [true, false])
    reader.sync(120, { serverEpoch: 2 })
    assert.deepEqual([isSame(1), isSame(2)], [false, true])
  })

test('absences of lists with a long time between them do not add up: a payment may have been there meanwhile', () => {
  const reader = new ChainReader()
  reader.sync(100)
  const continues = (at: number) => {
    reader.see({ type: 'sync_started', at, serverEpoch: 1 })
    return listState(reader.known, at).continuesAbsences
  }
  assert.deepEqual([continues(130), continues(131), continues(99)], [true, false, false])
  reader.sync(289)
  assert.ok(continues(300), 'the wait begins again')
})

test('the transactions of a list that was too old to be compared have not vanished', () => {
  const reader = new ChainReader()
  reader.read(100, { txids: ['a'] })
  reader.record(140, { compared: false })
  assert.deepEqual(reader.read(142).uncompared, new Set(['a']))
})

test('payments that no second server had shown are remembered from one recorded list to the next', () => {
  const reader = new ChainReader()
  reader.read(100)
  reader.record(100, { unwitnessed: [1, 2] })
  reader.read(102)
  assert.deepEqual(reader.known.unwitnessed, new Set([1, 2]))
  reader.record(102, { unwitnessed: [2] })
  assert.deepEqual(reader.known.unwitnessed, new Set([2]))
})

/** The lists that prove an absence. */
interface Proof {
  readonly serverEpoch: number
  /** The time of the first list and of the last one. */
  readonly since: number
  readonly listedAt: number
  readonly tip: number
}

test('a payment is dropped only when lists of one server, at most 30 s apart, have proved its absence for 120 s and none had it', () => {
  const mostly = <T>(usual: T, other: T) => fc.constantFrom(...Array<T>(12).fill(usual), other)
  const listed = fc.record({
    serverEpoch: mostly(1, 2),
    has: mostly(false, true),
    recorded: mostly(true, false),
    rewound: mostly(false, true),
    clockIsRight: mostly(true, false),
    secs: fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 5, max: 30 }) }, fc.integer({ min: 31, max: 200 })),
    /** The blocks are read before the list is recorded. */
    delaySecs: mostly(0, 25),
    blocks: fc.integer({ min: 0, max: 1 }),
  })
  let drops = 0
  fc.assert(
    fc.property(fc.array(listed, { minLength: 20, maxLength: 40 }), lists => {
      const reader = new ChainReader()
      let payment: Parameters<typeof presenceOf>[0] = { txid: 'a', seq: 1, inSnapshot: true, vanished: null }
      let [now, tip] = [1_000, 50]
      let proof = null as Proof | null
      for (const { serverEpoch, has, recorded, rewound, clockIsRight, secs, delaySecs, blocks } of lists) {
        now += secs
        tip += blocks
        const txids = has ? ['a'] : []
        const listedAt = now
        const conclusions = reader.read(listedAt, { txids, rewound, serverEpoch })
        now += delaySecs
        if (has) proof = null
        if (!recorded) continue
        const isProof = !has && !rewound && clockIsRight
        if (isProof) {
          const continues = proof?.serverEpoch === serverEpoch && listedAt - proof.listedAt <= 30
          proof = proof && continues ? { ...proof, listedAt } : { serverEpoch, since: listedAt, listedAt, tip }
        }
        const state = listState(reader.known, now)
        const list = { ...conclusions, ...state, txids: new Set(txids), lastSeq: 1, clockIsRight, now, tip }
        const presence = presenceOf(payment, list)
        reader.record(now, { clockAgrees: clockIsRight })
        if (presence === 'returned') payment = { ...payment, inSnapshot: true, vanished: null }
        if (presence === 'unproven') payment = { ...payment, inSnapshot: false }
        if (presence === 'vanished') payment = { ...payment, inSnapshot: false, vanished: { since: now, height: tip } }
        if (presence !== 'dropped') continue
        drops += 1
        assert.ok(proof && listedAt - proof.since >= 120 && tip > proof.tip)
        return
      }
    }),
    { numRuns: 20_000 },
  )
  assert.ok(drops > 1_000, `only ${drops} payments were dropped`)
})
