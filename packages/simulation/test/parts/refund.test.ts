import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@zatgate/server/domain/error'
import { RefundJudge } from '../../src/parts/refund/judge.ts'
import type { RefundRow } from '../../src/parts/refund/ledger.ts'
import { Refunders } from '../../src/parts/refund/refunders.ts'
import type { Wish } from '../../src/parts/refund/wish.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { createFakeWorld, eventRow } from './fake-world.ts'

const ID = '6f0e35a2-0000-4000-8000-000000000000'
const TXID = 'ab'.repeat(32)

const AWAITING: RefundRow = {
  public_id: ID,
  account_id: 1n,
  email: 'merchant-1@example.org',
  invoice: 'invoice-1',
  refunded: null,
  status: 'awaiting_address',
  amount_zat: 60n,
  price: null,
  rate: null,
  reason: null,
  address: null,
  from_buyer: 0n,
  seen_at: null,
  link_id: 'link-1',
  txid: null,
  key: 'key-1',
}
const READY: RefundRow = { ...AWAITING, status: 'ready', address: 'first', from_buyer: 1n }
const SEEN: RefundRow = { ...READY, seen_at: 7n }
const SENT: RefundRow = { ...SEEN, status: 'sent', txid: TXID, refunded: 60n }
const CANCELED: RefundRow = { ...READY, status: 'canceled' }
const OTHER: RefundRow = { ...READY, public_id: '7f0e35a2', key: null, amount_zat: 40n }

const LIMIT = 'the refunds of an invoice never exceed its confirmed payments'
const ORIGINAL = 'a refund has the terms of its request'
const STEPS = 'a refund takes only the lawful steps'
const ADDRESS = 'the address of a refund changes until the merchant sees it'
const REPEAT = 'a repeated request returns its refund'
const EVENT = 'a change of a refund and refund.updated are one commit'
const SUM = 'refunded_zat is the sum of the sent refunds'

/** An event with the state of a refund. */
const eventOf = ({ public_id: refund_id, status, amount_zat, txid }: RefundRow) => {
  return { refund_id, status, amount_zat: Number(amount_zat), txid }
}

/** A judge of a world in which 100 zat are confirmed, and a request whose answer shows the refund is open. */
function createJudge() {
  const { world, broken, tables } = createFakeWorld()
  const judge = new RefundJudge(world)
  let seq = 0n
  let rows: readonly RefundRow[] = []
  /** Judges a commit after which the database has these refunds. By default each new status has its event. */
  function commit(now: readonly RefundRow[], events?: readonly object[]): string[] {
    const isNew = (row: RefundRow) =>
      !rows.some(({ public_id: id, status }) => id === row.public_id && status === row.status)
    const raised = events ?? now.filter(isNew).map(eventOf)
    broken.length = 0
    rows = now
    tables['FROM refunds r'] = now
    tables['FROM events'] = raised.map(event => eventRow(++seq, 'refund.updated', event))
    judge.check()
    return [...broken]
  }
  const confirm = (zat: bigint) => {
    tables['FROM payments p'] = [{ invoice: 'invoice-1', zat }]
  }
  confirm(100n)
  void judge.showing([ID], () => new Promise<void>(() => {}))
  return { judge, world, tables, broken, commit, confirm }
}

test('a refund from its request to its end breaks no rule', () => {
  const { judge, commit } = createJudge()
  for (const row of [AWAITING, READY, { ...READY, address: 'second' }, { ...SEEN, address: 'second' }])
    assert.deepEqual(commit([row]), [])
  judge.saw(ID, 'second')
  const sent = { ...SENT, address: 'second' }
  assert.deepEqual(commit([sent]), [])
  assert.deepEqual(commit([sent, { ...OTHER, refunded: 60n }]), [])
})

test('refunds beyond the confirmed payments are found, canceled ones left out', () => {
  const { commit } = createJudge()
  assert.deepEqual(commit([READY]), [])
  assert.deepEqual(commit([READY, { ...OTHER, amount_zat: 41n }]), [LIMIT])
  const { commit: commitOther, confirm } = createJudge()
  assert.deepEqual(commitOther([READY]), [])
  assert.deepEqual(commitOther([CANCELED]), [])
  assert.deepEqual(commitOther([CANCELED, { ...OTHER, amount_zat: 100n }]), [])
  confirm(0n)
  assert.deepEqual(commitOther([CANCELED, { ...OTHER, amount_zat: 100n, reason: null }]), [], 'a later reorganisation')
})

test('a block that goes while a refund is requested does not count against it', async () => {
  const { judge, commit, confirm } = createJudge()
  await judge.creating('invoice-1', async () => {
    confirm(0n)
    assert.deepEqual(commit([READY]), [])
  })
  assert.deepEqual(commit([READY, OTHER]), [LIMIT])
})

test('a change of what was requested is found, and a refund that is gone', () => {
  for (const change of [{ amount_zat: 61n }, { price: '{}' }, { rate: '{}' }, { reason: 'x' }, { link_id: 'x' }]) {
    const { commit } = createJudge()
    commit([READY])
    assert.deepEqual(commit([{ ...READY, ...change }]), [ORIGINAL])
  }
  const { commit, tables } = createJudge()
  commit([READY, OTHER])
  assert.deepEqual(commit([READY]), [ORIGINAL])
  tables['coalesce(erased_at'] = [{ at: 7n }]
  assert.deepEqual(commit([]), [], 'its account is being deleted')
})

test('an unlawful step is found, and a status without its address or transaction', () => {
  for (const [before, after] of [
    [SENT, { ...CANCELED, refunded: 0n, seen_at: 7n }],
    [CANCELED, READY],
    [AWAITING, { ...SENT, seen_at: null }],
  ] as const) {
    const { commit } = createJudge()
    commit([before])
    assert.ok(commit([after]).includes(STEPS), `${before.status} → ${after.status}`)
  }
  for (const row of [
    { ...READY, address: null },
    { ...AWAITING, address: 'first' },
    { ...READY, txid: TXID },
  ])
    assert.ok(createJudge().commit([row]).includes(STEPS))
  const { commit } = createJudge()
  commit([READY])
  commit([SENT])
  assert.deepEqual(commit([{ ...SENT, txid: 'cd'.repeat(32) }]), [STEPS])
})

test('an address that changes after it was shown is found, and one that is fixed although nothing showed it', () => {
  const changed = { ...READY, address: 'second' }
  const { judge, commit, broken } = createJudge()
  commit([READY])
  judge.saw(ID, 'first')
  assert.deepEqual(commit([changed]), [ADDRESS])
  judge.saw(ID, 'second')
  assert.deepEqual(broken, [ADDRESS, ADDRESS])
  for (const fixed of [SEEN, { ...READY, from_buyer: 0n }, CANCELED]) {
    const { commit: commitFixed } = createJudge()
    commitFixed([fixed])
    assert.deepEqual(commitFixed([{ ...fixed, address: 'second' }]), [ADDRESS])
  }
  const other = createJudge()
  other.commit([OTHER])
  assert.deepEqual(other.commit([{ ...OTHER, seen_at: 7n }]), [ADDRESS])
})

test('a second refund for one key is found, until the key is forgotten', () => {
  const repeated = { ...OTHER, key: 'key-1' }
  const { commit } = createJudge()
  commit([READY])
  assert.deepEqual(commit([READY, repeated]), [REPEAT])
  const other = createJudge()
  other.commit([READY])
  assert.deepEqual(other.commit([READY, { ...repeated, account_id: 2n }]), [], 'of another account')
  const late = createJudge()
  late.commit([READY])
  late.world.scheduler.nowMs += 86_400_000
  assert.deepEqual(late.commit([READY, repeated]), [])
})

/** A merchant with one request for a refund, and a service that answers it with the refunds or errors of the test. */
function createRefunders() {
  const { world, broken, tables } = createFakeWorld()
  const refunders = new Refunders(world, new RefundJudge(world))
  const invoice = { publicId: 'invoice-1', merchant: { name: 'merchant 1', email: AWAITING.email } }
  const wish = { invoice, amountZat: 60n, idempotencyKey: 'key-1', atMs: world.scheduler.nowMs } as Wish
  /** Sends the request; the answer takes some time. */
  async function send(answer: string | AppError, { amountZat = 60n, afterMs = 0, isMisuse = false } = {}) {
    const refund = { publicId: answer, linkId: 'link', amountZat, price: null, reason: null, address: null }
    const respond = async () => {
      world.scheduler.nowMs += afterMs
      if (answer instanceof AppError) throw answer
      return { refund, invoice }
    }
    const services = { accounts: { findByEmail: () => null }, refunds: { create: respond } }
    Object.assign(world, { running: [{ call: (work: (given: unknown) => unknown) => work(services) }] })
    broken.length = 0
    const draw = new Draw(1)
    const sent = isMisuse ? refunders.misuseKey(draw, refunders.known[0]!) : refunders.create(draw, wish, 1)
    await world.scheduler.run()
    await sent
    return [...broken]
  }
  return { world, tables, send }
}

test('a repeat that is answered with another refund, amount or error is found', async () => {
  const { tables, send } = createRefunders()
  assert.deepEqual(await send(ID), [])
  assert.deepEqual(await send(ID), [])
  assert.deepEqual(await send(OTHER.public_id), [REPEAT], 'by what the merchant knows')
  assert.deepEqual(await send(ID, { amountZat: 59n }), [REPEAT])
  tables['FROM refunds r'] = [AWAITING]
  assert.deepEqual(await send(new AppError('rate_unavailable')), [REPEAT])
  assert.deepEqual(await send(new AppError('idempotency_key_reused'), { isMisuse: true }), [])
  assert.deepEqual(await send(ID, { isMisuse: true }), ['an idempotency key belongs to one request'])
})

test('a key returns its refund for 24 hours by every clock, and another one or an error after that', async () => {
  const { world, tables, send } = createRefunders()
  tables['FROM refunds r'] = [AWAITING]
  await send(ID)
  world.scheduler.nowMs += 86_399_000
  assert.deepEqual(await send(OTHER.public_id), [REPEAT, REPEAT])
  const late = createRefunders()
  late.tables['FROM refunds r'] = [AWAITING]
  await late.send(ID)
  late.world.scheduler.nowMs += 86_399_000
  for (const answer of [OTHER.public_id, ID, new AppError('refund_exceeds_received')])
    assert.deepEqual(await late.send(answer, { afterMs: 1_000 }), [], 'it is forgotten before the answer')
  assert.deepEqual(await late.send(OTHER.public_id, { isMisuse: true }), [])
  assert.deepEqual(await late.send(ID, { amountZat: 59n }), [REPEAT], 'a refund that the merchant knows')
  const wrongClock = createRefunders()
  await wrongClock.send(ID)
  wrongClock.world.clockErrors.maxMs = 86_400_000
  assert.deepEqual(await wrongClock.send(OTHER.public_id), [])
})

test('an event that is missing, repeated or differs from the refund is found', () => {
  const { commit } = createJudge()
  commit([AWAITING])
  assert.deepEqual(commit([READY], []), [EVENT])
  assert.deepEqual(commit([{ ...READY, address: 'second' }], [eventOf(READY)]), [EVENT])
  for (const change of [{ amount_zat: 59 }, { txid: TXID }])
    assert.deepEqual(createJudge().commit([READY], [{ ...eventOf(READY), ...change }]), [EVENT])
})

test('a sum that is not that of the sent refunds is found, of an invoice and of a day', () => {
  const { commit, tables } = createJudge()
  commit([READY])
  assert.deepEqual(commit([{ ...SENT, refunded: null }]), [SUM])
  assert.deepEqual(commit([SENT]), [])
  tables['FROM daily_totals'] = [{ account_id: 1n, day: 0n }]
  assert.deepEqual(commit([SENT]), [SUM])
})

test('an amount that is one zat off its price is found', () => {
  const priced = { ...READY, price: '{"amount":"0.01","currency":"USD"}', rate: '{"price":"30000"}' }
  assert.deepEqual(createJudge().commit([{ ...priced, amount_zat: 34n }]), [])
  assert.deepEqual(createJudge().commit([{ ...priced, amount_zat: 33n }]), ['a price is rounded up to the zat'])
})
