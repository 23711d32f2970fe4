import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FeedJudge } from '../../src/parts/event/feed-judge.ts'
import { type EventRow, NewEvents } from '../../src/parts/event/new-events.ts'
import { NumberJudge } from '../../src/parts/event/number-judge.ts'
import { createFakeWorld, eventRow } from './fake-world.ts'

const [FIRST, SECOND, THIRD] = [1n, 2n, 3n].map(seq =>
  eventRow(seq, seq === 2n ? 'test' : 'invoice.paid', { seq: `${seq}` }),
)
const SKIPPED = 2n ** 16n + 2n

/** A world whose database has the events that the test gives. */
function openWorld() {
  const fake = createFakeWorld()
  let rows: readonly EventRow[] = []
  Object.assign(fake.world, { databaseIdentity: 'database-1', databaseReplacements: 0 })
  Object.assign(fake.world.database, {
    committed: (sql: string, from: bigint) =>
      sql.includes('event_counters')
        ? (fake.tables.event_counters ?? [])
        : sql.includes('FROM events')
          ? rows.filter(({ row }) => row >= from)
          : (fake.tables.accounts ?? []),
  })
  const counter = (seq: bigint, pruned = 0n) => {
    fake.tables.event_counters = [{ account_id: 1n, seq, pruned_seq: pruned }]
  }
  return {
    ...fake,
    counter,
    set: (...events: readonly (EventRow | undefined)[]) => (rows = events.map(event => event!)),
  }
}

test('new events are read once, also when the rows of deleted ones are given to others', () => {
  const { world, set, restore } = openWorld()
  const events = new NewEvents(world)
  const read = () => events.read().map(({ seq }) => seq)
  set(FIRST, SECOND)
  assert.deepEqual(read(), [1n, 2n])
  assert.deepEqual(read(), [])
  set(FIRST, { ...THIRD!, row: 2n })
  assert.deepEqual(read(), [3n])
  set()
  assert.deepEqual(read(), [])
  set({ ...eventRow(4n, 'test', {}), row: 1n })
  assert.deepEqual(read(), [4n])
  // The account was deleted, and has an event after that.
  set({ ...FIRST!, public_id: 'a later event' })
  assert.deepEqual(read(), [1n])
  restore()
  assert.deepEqual(read(), [1n])
})

test('a gap in the numbers of an account, and a number that comes too late, are found; a copy skips numbers, and some are deleted at once', () => {
  const rule = ['the events of an account are numbered in the order of the commits']
  for (const { events, replacements = 0, broken = [], isDeleted = false, pruned = 0n } of [
    { events: [SECOND, THIRD] },
    { events: [THIRD], broken: rule },
    { events: [THIRD], pruned: 1n, broken: rule },
    { events: [THIRD], pruned: 2n },
    { events: [{ ...FIRST!, row: 2n }], broken: rule },
    { events: [eventRow(SKIPPED, 'test', {})], broken: rule },
    { events: [eventRow(SKIPPED, 'test', {})], replacements: 1 },
    { events: [{ ...FIRST!, row: 2n }], isDeleted: true },
  ]) {
    const { world, broken: found, set, tables, counter } = openWorld()
    counter(3n, pruned)
    if (isDeleted) tables.accounts = [{ id: 1n }]
    Object.assign(world, { databaseReplacements: replacements })
    const judge = new NumberJudge(world)
    set(FIRST)
    judge.check()
    set(FIRST, ...events)
    judge.check()
    assert.deepEqual(found, broken)
  }
})

/** A judge that has seen the three events. */
function createJudge() {
  const fake = openWorld()
  const judge = new FeedJudge(fake.world)
  fake.set(FIRST, SECOND, THIRD)
  fake.counter(3n)
  judge.check()
  const ask = (after?: bigint, types?: readonly string[]) => ({
    accountId: 1n,
    after,
    types,
    replacements: 0,
    newest: 3n,
  })
  /** @returns the rules that the page breaks */
  function receive(asked: ReturnType<typeof ask>, nextAfter: bigint, ...events: readonly (EventRow | undefined)[]) {
    fake.broken.length = 0
    judge.received(asked, { events: events.map(event => event!), nextAfter })
    return [...fake.broken]
  }
  return { ...fake, judge, ask, receive }
}

const ONCE = 'a reader sees each event once, in their order'

test('a page has the next events of its types, in their order', () => {
  const { ask, receive } = createJudge()
  assert.deepEqual(receive(ask(), 2n, FIRST, SECOND), [])
  assert.deepEqual(receive(ask(2n), 3n, THIRD), [])
  assert.deepEqual(receive(ask(0n, ['test']), 3n, SECOND), [])
  assert.deepEqual(receive(ask(3n), 3n), [])
})

test('an event that is missing, repeated, passed, of another type or account, or not committed is found', () => {
  const { ask, receive } = createJudge()
  assert.deepEqual(receive(ask(0n), 3n, FIRST, THIRD), [ONCE])
  assert.deepEqual(receive(ask(1n), 2n), [ONCE])
  assert.deepEqual(receive(ask(1n), 2n, FIRST, SECOND), [ONCE])
  assert.deepEqual(receive(ask(0n), 3n, SECOND, FIRST, THIRD), [ONCE])
  assert.deepEqual(receive(ask(0n), 1n, FIRST, SECOND), [ONCE])
  assert.deepEqual(receive(ask(0n, ['test']), 3n, FIRST, SECOND), ['a reader sees only the types it asks for'])
  const unknown = ['a reader sees only committed events of its account']
  assert.deepEqual(receive(ask(3n), 4n, eventRow(4n, 'test', {})), unknown)
  assert.deepEqual(receive(ask(1n), 2n, { ...SECOND!, body: '{}' }), unknown)
  assert.deepEqual(receive({ ...ask(2n), accountId: 2n }, 3n, THIRD), unknown)
})

test('a new event behind what a reader has passed is found, also in a copy of the database', () => {
  for (const { identity, seq, broken } of [
    { identity: 'database-1', seq: 3n, broken: [] },
    { identity: 'database-2', seq: 3n, broken: ['no event is added behind a number that was read'] },
    { identity: 'database-2', seq: SKIPPED, broken: [] },
  ]) {
    const { world, judge, ask, receive, set, restore, broken: found } = createJudge()
    receive(ask(0n), 3n, FIRST, SECOND, THIRD)
    Object.assign(world, { databaseIdentity: identity, databaseReplacements: 1 })
    restore()
    assert.equal(judge.restored(), identity === 'database-1')
    set(FIRST)
    judge.check()
    set(FIRST, { ...eventRow(seq, 'test', {}), row: 2n, public_id: 'other' })
    judge.check()
    assert.deepEqual(found, broken)
  }
})

test('a refusal of events that are kept, or of a number that exists, is found', () => {
  const { judge, ask, broken, counter } = createJudge()
  counter(3n, 2n)
  judge.check()
  judge.refused(ask(1n), 3n)
  judge.unknown(ask(4n))
  assert.deepEqual(broken, [])
  const rule = 'only an event that is no longer kept is refused'
  judge.refused(ask(2n), 3n)
  judge.refused(ask(0n), 4n)
  judge.refused(ask(1n), 2n)
  judge.unknown(ask(3n))
  assert.deepEqual(broken, [rule, rule, rule, 'a reader goes on after what it has read'])
  assert.equal(judge.hasUnread(1n, 1n, undefined), true)
  assert.equal(judge.hasUnread(1n, 1n, ['test']), false)
})
