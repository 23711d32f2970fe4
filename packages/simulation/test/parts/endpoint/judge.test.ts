import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EndpointJudge } from '../../../src/parts/endpoint/judge.ts'
import type { EndpointDeliveryRow, EndpointRow } from '../../../src/parts/endpoint/ledger.ts'
import type { EventRow } from '../../../src/parts/event/new-events.ts'
import type { WebhookRequest } from '../../../src/world/receivers.ts'
import { createFakeWorld, eventRow } from '../fake-world.ts'
import { ENDPOINT, PROCESS, SENDING, URL } from './rows.ts'

const EVENTS = [1n, 2n, 3n].map(seq => eventRow(seq, 'invoice.paid', { seq: `${seq}` }))

/** A judge of a world with one endpoint, whose commits the test makes. */
function openJudge(endpoint: Partial<EndpointRow> = {}) {
  const { world, broken, tables } = createFakeWorld()
  Object.assign(world, { committer: PROCESS, storeHasFailed: false, databaseReplacements: 0 })
  const judge = new EndpointJudge(world)
  let row = { ...ENDPOINT, ...endpoint }
  let deliveries: readonly EndpointDeliveryRow[] = []
  let events: readonly EventRow[] = []
  /** A commit. @returns the rules that it breaks */
  function commit(change: {
    readonly endpoint?: Partial<EndpointRow>
    readonly deliveries?: readonly EndpointDeliveryRow[]
    readonly events?: readonly EventRow[]
  }) {
    row = { ...row, ...change.endpoint }
    deliveries = change.deliveries ?? deliveries
    events = change.events ?? events
    tables['FROM endpoints'] = [row]
    tables['FROM deliveries'] = [...deliveries].reverse()
    tables['FROM events'] = events
    tables.event_counters = [{ account_id: 1n, seq: events.at(-1)?.seq ?? 0n, pruned_seq: 0n }]
    broken.length = 0
    judge.check()
    world.scheduler.idles += 1
    return [...broken]
  }
  commit({})
  return { judge, world, broken, commit }
}

const delivery = (seq: bigint, extra: Partial<EndpointDeliveryRow> = {}): EndpointDeliveryRow => ({
  ...SENDING,
  id: seq,
  public_id: `delivery-${seq}`,
  event_seq: seq,
  ...extra,
})

test('an event that is not sent, and one that is skipped or was there before the endpoint, are found', () => {
  const { judge, commit } = openJudge({ cursor_seq: 0n })
  const works = () => true
  assert.equal(judge.unsettled(works), null)
  assert.deepEqual(commit({ events: EVENTS.slice(0, 2) }), [])
  assert.match(judge.unsettled(works) ?? '', /has not been sent event 1/)
  assert.match(judge.delayed(() => 0, -1) ?? '', /^event 1 was not sent/)
  assert.deepEqual(commit({ deliveries: [delivery(2n)] }), ['an endpoint is sent the events in their order'])
  const late = openJudge({ cursor_seq: 2n })
  late.commit({ events: EVENTS })
  const again = 'an endpoint is sent an event again only when its owner asks for it'
  assert.ok(late.commit({ deliveries: [delivery(2n)] }).includes(again))
})

test('an event of another type, and two attempts at once, are found', () => {
  const { commit } = openJudge({ types: '["invoice.expired"]' })
  commit({ events: EVENTS })
  assert.deepEqual(commit({ deliveries: [delivery(1n)] }), [
    'an endpoint gets only events of its account and of its types',
  ])
  const both = openJudge({ schedule: 'standard' })
  both.commit({ events: EVENTS })
  both.commit({ deliveries: [delivery(1n)] })
  assert.deepEqual(both.commit({ deliveries: [delivery(1n), delivery(2n)] }), ['an endpoint has one attempt at a time'])
})

test('recovery is what its owner asks for, sends what was not delivered, and nothing twice', () => {
  const rule = 'an endpoint is sent an event again only when its owner asks for it'
  for (const isAskedFor of [false, true]) {
    const { judge, broken, commit } = openJudge()
    commit({ events: EVENTS })
    const failed = delivery(1n, { state: 'failed', due_at_ms: null })
    commit({ endpoint: { cursor_seq: 3n }, deliveries: [delivery(1n)] })
    const moment = judge.now('endpoint-1')
    if (isAskedFor) judge.requests('endpoint-1', { kind: 'recover' })
    const problems = commit({ endpoint: { cursor_seq: 1n }, deliveries: [failed] })
    assert.equal(problems.includes(rule), !isAskedFor)
    if (!isAskedFor) continue
    broken.length = 0
    judge.recovered(moment, 0)
    assert.deepEqual(broken, ['recovery sends all that was never delivered'])
    assert.ok(!commit({ endpoint: { cursor_seq: 0n } }).includes(rule))
    judge.recovered(moment, 0)
    assert.deepEqual(broken, [])
  }
})

test('a shared commit may recover, enable or create an endpoint and begin its next events', () => {
  const rule = 'an endpoint is sent an event again only when its owner asks for it'
  for (const cursor_seq of [1n, 3n])
    for (const isAskedFor of [false, true])
      for (const useCases of [1, 2]) {
        const { judge, world, commit } = openJudge({ cursor_seq })
        commit({ events: EVENTS.slice(0, Number(cursor_seq)) })
        if (isAskedFor) judge.requests('endpoint-1', { kind: 'recover' })
        Object.assign(world, { useCases })
        const problems = commit({ endpoint: { cursor_seq: 1n }, deliveries: [delivery(1n)] })
        assert.equal(problems.includes(rule), !isAskedFor || useCases === 1, `${cursor_seq} ${isAskedFor} ${useCases}`)
        if (isAskedFor && useCases === 2) assert.deepEqual(problems, [])
      }
  const start = { enabled: 1n, cursor_seq: 3n }
  for (const endpoint of [
    { ...start, id: 1n },
    { ...start, id: 2n, public_id: 'endpoint-2' },
  ]) {
    const { world, commit } = openJudge({ enabled: 0n, cursor_seq: 0n })
    commit({ events: EVENTS.slice(0, 2) })
    Object.assign(world, { useCases: 2 })
    const next = delivery(3n, { endpoint_id: endpoint.id })
    assert.deepEqual(commit({ endpoint, events: EVENTS, deliveries: [next] }), [])
    const old = delivery(2n, { id: 4n, public_id: 'delivery-4', endpoint_id: endpoint.id })
    assert.ok(commit({ deliveries: [next, old] }).includes(rule))
  }
})

test('a shared commit may begin an event and then recover the endpoint, and what it recovers is sent in order', () => {
  const rule = 'an endpoint is sent the events in their order'
  for (const useCases of [1, 2]) {
    const { judge, world, commit } = openJudge({ cursor_seq: 0n })
    commit({ events: EVENTS.slice(0, 2) })
    const failed = [1n, 2n].map(seq => delivery(seq, { state: 'failed', due_at_ms: null }))
    commit({ endpoint: { cursor_seq: 2n }, deliveries: failed })
    commit({ events: EVENTS })
    judge.requests('endpoint-1', { kind: 'recover' })
    Object.assign(world, { useCases })
    const problems = commit({ endpoint: { cursor_seq: 0n }, deliveries: [...failed, delivery(3n)] })
    assert.equal(problems.includes(rule), useCases === 1)
    Object.assign(world, { useCases: 1 })
    const second = delivery(2n, { id: 5n, public_id: 'delivery-5' })
    const skipping = commit({ endpoint: { cursor_seq: 2n }, deliveries: [...failed, delivery(3n), second] })
    assert.ok(skipping.includes(rule))
  }
})

test('resuming sends what was not delivered, unless the endpoint was active before', () => {
  for (const [enabled, types, change] of [
    [0n, null, { enabled: 1n }],
    [1n, '["invoice.expired"]', { types: null }],
  ] as const) {
    const { judge, broken, commit } = openJudge({ enabled, types, cursor_seq: 3n })
    commit({ events: EVENTS })
    const moment = judge.now('endpoint-1')
    commit({ endpoint: change })
    broken.length = 0
    judge.resumed(moment, 0n)
    assert.deepEqual(broken, enabled === 0n ? ['recovery sends all that was never delivered'] : [])
  }
})

test('an endpoint that starts behind or ahead of the events is found', () => {
  const rule = 'an endpoint gets the events from its start on'
  for (const { cursor, problems } of [
    { cursor: 3n, problems: [] },
    { cursor: 4n, problems: [rule] },
    { cursor: 2n, problems: ['an endpoint is sent an event again only when its owner asks for it'] },
  ]) {
    const { commit } = openJudge()
    commit({ events: EVENTS })
    commit({ endpoint: { enabled: 0n } })
    assert.deepEqual(commit({ endpoint: { enabled: 1n, cursor_seq: cursor } }), problems)
  }
})

test('a request without a committed claim, and an open delivery that vanishes, are found', () => {
  const { judge, broken, commit } = openJudge()
  commit({ events: EVENTS })
  const request = (id: string) =>
    ({ process: PROCESS, url: URL, headers: { 'webhook-id': id } }) as unknown as WebhookRequest
  judge.received(request('event-1'))
  judge.received(request('event-9'))
  assert.deepEqual(broken, ['an attempt is counted before it is sent', 'a receiver sees only committed deliveries'])
  commit({ deliveries: [delivery(1n)] })
  assert.deepEqual(commit({ deliveries: [] }), ['an open delivery is kept'])
})
