import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { conclude, knownThrough, recordedThrough } from '../../../src/domain/chain/chain-knowledge.ts'
import { ChainReader } from '../../harness/chain-reader.ts'

/** The syncs at these times, and what the last one says of `syncedThrough`. */
function syncedThrough(...times: readonly number[]): number | null {
  const reader = new ChainReader()
  return times.map(at => reader.sync(at).syncedThrough).at(-1) ?? null
}

test('a sync counts when a list of 3 s later has confirmed it, and no failure was reported for another 5 s', () => {
  assert.equal(syncedThrough(100), null)
  assert.equal(syncedThrough(100, 103, 107), null)
  assert.equal(syncedThrough(100, 103, 108), 100)
  assert.equal(syncedThrough(100, 102, 108), null, 'a list of 2 s later confirms nothing')
  assert.equal(syncedThrough(100, 103, 106, 111), 103, 'the newest of those that count')
})

test('a sync that took long is confirmed by a list that is requested 3 s after its end', () => {
  for (const [second, expected] of [
    [112, null],
    [113, 100],
  ] as const) {
    const reader = new ChainReader()
    reader.read(100)
    reader.record(110)
    reader.sync(second)
    assert.equal(reader.sync(second + 5).syncedThrough, expected)
  }
})

test('nothing is concluded while the source may not show every payment', () => {
  const reader = new ChainReader()
  for (const at of [100, 103]) reader.sync(at)
  reader.read(108)
  assert.equal(conclude(reader.known, [{ problem: 'mempool_unreadable' }]).syncedThrough, null)
  assert.equal(conclude(reader.known, [{ problem: 'estimated_lag', blocks: 9 }]).syncedThrough, 100)
})

test('a stalled server and a wrong clock leave the recorded time where it is', () => {
  const concluded = { syncedThrough: 100 }
  assert.equal(recordedThrough(concluded, { state: 'ok' }, 100), 100)
  assert.equal(recordedThrough(concluded, { state: 'ok' }, 99), null, 'a clock that was ahead was set right')
  assert.equal(recordedThrough(concluded, { state: 'unknown' }, 100), null)
  assert.equal(recordedThrough(concluded, { state: 'stalled', ageSecs: 1_500 }, 100), null)
  for (const state of ['clock_ahead', 'clock_behind'] as const)
    assert.equal(recordedThrough(concluded, { state, bySecs: 10_000 }, 100), null)
})

test('a synced time ahead of the clock, which a wrong clock wrote, counts as none', () => {
  assert.equal(knownThrough(100, 99), 0)
  assert.equal(knownThrough(100, 100), 100)
})

const DISTURBANCES: Readonly<Record<string, (reader: ChainReader) => void>> = {
  'a failure': reader => reader.fail(104),
  'a rewind': reader => reader.sync(104, { rewound: true }),
  'another server': reader => reader.sync(104, { serverEpoch: 2 }),
  'a clock that went back': reader => reader.sync(90),
}
for (const [name, disturb] of Object.entries(DISTURBANCES))
  test(`${name} between the lists takes confirmed syncs back, and a new sync has to be confirmed`, () => {
    const reader = new ChainReader()
    for (const at of [100, 103]) reader.sync(at)
    disturb(reader)
    const epoch = name === 'another server' ? { serverEpoch: 2 } : {}
    assert.equal(reader.sync(110, epoch).syncedThrough, null)
    assert.equal(reader.sync(113, epoch).syncedThrough, null)
    assert.notEqual(reader.sync(118, epoch).syncedThrough, null)
  })

test('a failure that is reported while a list is recorded takes its confirmation back', () => {
  const reader = new ChainReader()
  reader.sync(100)
  reader.read(110)
  reader.fail(110)
  reader.record(110)
  assert.equal(reader.sync(116).syncedThrough, null)
})

test('a list that is requested less than 5 s after a failure confirms nothing and proves no absence', () => {
  for (const [at, isOld] of [
    [104, true],
    [105, false],
  ] as const) {
    const reader = new ChainReader()
    reader.sync(90)
    reader.fail(100)
    reader.sync(at)
    assert.equal(reader.sync(at + 5).syncedThrough, isOld ? null : 90)
    assert.equal(reader.sync(at + 10).syncedThrough, isOld ? null : at)
  }
})

test('neither it nor the first list after it proves an absence, whenever the failure is reported', () => {
  const reports: Readonly<Record<string, (reader: ChainReader) => void>> = {
    'between the syncs': reader => {
      reader.sync(100)
      reader.fail(100)
    },
    'before the blocks are read': reader => {
      reader.see({ type: 'sync_started', at: 100, serverEpoch: 1 })
      reader.fail(100)
      reader.see({ type: 'blocks_read', rewound: false })
      assert.equal(conclude(reader.known, []).provesVanished, false)
    },
    'before the list is recorded': reader => {
      assert.equal(reader.read(100).provesVanished, true)
      reader.fail(100)
      assert.equal(conclude(reader.known, []).provesVanished, false)
      reader.record(100)
    },
    'long after the list, while blocks are read': reader => {
      reader.see({ type: 'sync_started', at: 90, serverEpoch: 1 })
      reader.see({ type: 'mempool_listed', txids: new Set() })
      reader.fail(100)
      reader.see({ type: 'blocks_read', rewound: false })
      assert.equal(conclude(reader.known, []).provesVanished, false)
      reader.record(100)
    },
  }
  for (const [name, report] of Object.entries(reports)) {
    const reader = new ChainReader()
    report(reader)
    assert.equal(reader.sync(104).provesVanished, false, name)
    assert.equal(reader.sync(110).provesVanished, false, `${name}: the first list`)
    assert.equal(reader.sync(112).provesVanished, true, `${name}: the second one`)
  }
})

test('a list that may be old proves no absence, also when a clock that was ahead has read one after the failure', () => {
  const reader = new ChainReader()
  reader.fail(1_000)
  reader.sync(1_010)
  assert.equal(reader.read(1_002).provesVanished, false)
})

test('a sync during which the clock was set back is not confirmed, since it began later than it says', () => {
  const reader = new ChainReader()
  reader.read(2_000)
  reader.record(1_901)
  reader.sync(1_904)
  assert.equal(reader.sync(1_909).syncedThrough, null)
})

test('a rewind during a sync proves no absence', () => {
  assert.equal(new ChainReader().read(100, { rewound: true }).provesVanished, false)
})

test('transactions of lists that were not recorded have not vanished, until a list that proves absences is recorded', () => {
  const reader = new ChainReader()
  reader.read(100, { txids: ['a'] })
  assert.deepEqual(reader.read(102, { txids: ['b'] }).uncompared, new Set(['a', 'b']))
  reader.record(102, { clockAgrees: false })
  assert.deepEqual(reader.read(104).uncompared, new Set(['a', 'b']), 'a wrong clock recorded no absence')
  reader.record(104)
  assert.deepEqual(reader.read(106, { txids: ['c'], rewound: true }).uncompared, new Set(['c']))
  reader.record(106)
  assert.deepEqual(reader.read(108).uncompared, new Set(['c']), 'the list before proved no absence')
})

test('beyond 100,000 ids any transaction may have been in a list', () => {
  const reader = new ChainReader()
  const ids = (count: number) => Array.from({ length: count }, (_, i) => String(i))
  assert.equal(reader.read(100, { txids: ids(100_000) }).uncompared?.size, 100_000)
  assert.equal(reader.read(102, { txids: ['another'] }).uncompared, null)
  assert.equal(reader.read(104).uncompared, null)
  reader.record(104)
  assert.deepEqual(reader.read(106).uncompared, new Set())
})

/** Seconds that pass between two steps. */
const pause = fc.integer({ min: 0, max: 4 })
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('sync' as const), pauses: fc.tuple(pause, pause, pause) }) },
  { weight: 3, arbitrary: fc.constant({ do: 'pay' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'mine' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'replace the block' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail for another client' as const), reportedAfter: pause }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/**
 * Three syncs in a row could all miss a payment if within seconds two blocks were replaced, each between the reads of
 * mempool and blocks, or one block and a failed read of another client came together.
 */
const SECS_BETWEEN_RARE_FAULTS = 30

/** Lightwalletd in front of a node: it asks at most every 2 s, and after a failed read serves the old list until then. */
class World {
  now = 1_000
  readonly mempool = new Map<string, number>()
  readonly enteredAt = new Map<string, number>()
  mined: string[] = []
  /** The transactions of the newest block, which can be replaced. */
  newest: string[] = []
  private cached = { at: 0, txids: new Set<string>() }
  private reports: number[] = []
  private payments = 0
  private replacedAt = 0
  private failedAt = 0

  private readonly reader: ChainReader

  constructor(reader: ChainReader) {
    this.reader = reader
  }

  pass(secs: number): void {
    this.now += secs
    const due = this.reports.filter(at => at <= this.now)
    this.reports = this.reports.filter(at => at > this.now)
    for (const _ of due) this.reader.fail(this.now)
  }

  pay(): void {
    const txid = `t${++this.payments}`
    this.enteredAt.set(txid, this.now)
    this.mempool.set(txid, this.now)
  }

  mine(): void {
    this.mined.push(...this.newest)
    this.newest = [...this.mempool.keys()]
    this.mempool.clear()
  }

  replaceBlock(): void {
    if (this.now - Math.max(this.replacedAt, this.failedAt) < SECS_BETWEEN_RARE_FAULTS) return
    this.replacedAt = this.now
    for (const txid of this.newest) this.mempool.set(txid, this.now)
    this.newest = []
  }

  list(): Set<string> {
    if (this.now - this.cached.at >= 2) this.cached = { at: this.now, txids: new Set(this.mempool.keys()) }
    return this.cached.txids
  }

  /** Another client asks, and the node does not answer. Its streams end, and this process learns it a little later. */
  failForAnotherClient(reportedAfter: number): void {
    if (this.now - this.cached.at < 2 || this.now - this.replacedAt < SECS_BETWEEN_RARE_FAULTS) return
    this.failedAt = this.now
    this.cached = { ...this.cached, at: this.now }
    this.reports.push(this.now + Math.min(reportedAfter, 3))
  }

  blocks(): string[] {
    return [...this.mined, ...this.newest]
  }
}

test('every payment that was made until `syncedThrough` has been in a list or a block that was read', () => {
  let proved = 0
  const script = fc.array(fc.tuple(step, pause), { minLength: 5, maxLength: 60 })
  fc.assert(
    fc.property(script, fc.infiniteStream(step), (steps, between) => {
      const reader = new ChainReader()
      const world = new World(reader)
      const seen = new Set<string>()
      let read: readonly string[] = []
      const act = (next: Step): void => {
        if (next.do === 'pay') world.pay()
        else if (next.do === 'mine') world.mine()
        else if (next.do === 'replace the block') world.replaceBlock()
        else if (next.do === 'fail for another client') world.failForAnotherClient(next.reportedAfter)
      }
      const meanwhile = (secs: number) => {
        act(between.next().value)
        world.pass(secs)
      }
      for (const [next, secs] of steps) {
        world.pass(secs)
        if (next.do !== 'sync') {
          act(next)
          continue
        }
        reader.see({ type: 'sync_started', at: world.now, serverEpoch: 1 })
        const txids = world.list()
        reader.see({ type: 'mempool_listed', txids })
        meanwhile(next.pauses[0])
        const blocks = world.blocks()
        reader.see({ type: 'blocks_read', rewound: read.some(txid => !blocks.includes(txid)) })
        read = blocks
        meanwhile(next.pauses[1])
        for (const txid of [...txids, ...blocks]) seen.add(txid)
        const { syncedThrough } = conclude(reader.known, [])
        if (syncedThrough !== null) {
          proved += 1
          for (const [txid, enteredAt] of world.enteredAt) assert.ok(enteredAt > syncedThrough || seen.has(txid), txid)
        }
        meanwhile(next.pauses[2])
        reader.record(world.now)
      }
    }),
    { numRuns: 10_000 },
  )
  assert.ok(proved > 1_000, `only ${proved} syncs proved anything`)
})
