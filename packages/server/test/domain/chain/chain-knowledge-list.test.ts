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
  assert.deepEqual(listState(reader.known, 100), { listedAt: 0, isRecent: false, isFirst: true, sameServer: false })
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
      reader.see({ type: 'sync_started', at: 150, serverEpoch })
      return listState(reader.known, 150).sameServer
    }
    assert.equal(isSame(1), false)
    reader.sync(100)
    assert.deepEqual([isSame(1), isSame(2)], [true, false])
    see(reader)
    assert.deepEqual([isSame(1), isSame(2)], [true, false])
    reader.sync(150, { serverEpoch: 2 })
    assert.deepEqual([isSame(1), isSame(2)], [false, true])
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

test('a payment is dropped only when the lists of one server have proved its absence for 120 s and none had it', () => {
  const listed = fc.record({
    serverEpoch: fc.constantFrom(1, 1, 1, 2),
    has: fc.constantFrom(false, false, false, true),
    recorded: fc.constantFrom(true, true, true, false),
    rewound: fc.constantFrom(false, false, true),
    clockIsRight: fc.constantFrom(true, true, true, false),
    secs: fc.integer({ min: 1, max: 70 }),
    /** The blocks are read before the list is recorded. */
    delaySecs: fc.constantFrom(0, 0, 0, 25),
    blocks: fc.integer({ min: 0, max: 1 }),
  })
  let drops = 0
  fc.assert(
    fc.property(fc.array(listed, { minLength: 4, maxLength: 30 }), lists => {
      const reader = new ChainReader()
      let payment: Parameters<typeof presenceOf>[0] = { txid: 'a', seq: 1, inSnapshot: true, vanished: null }
      let [now, tip] = [1_000, 50]
      let proof = null as { readonly serverEpoch: number; readonly since: number; readonly tip: number } | null
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
        if (isProof && proof?.serverEpoch !== serverEpoch) proof = { serverEpoch, since: listedAt, tip }
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
