import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventRow } from '../../../src/parts/event/new-events.ts'
import { createJudge, eventOf, INVOICE, PAYMENT, ROW } from './laboratory.ts'

const DETECTED = { ...INVOICE, status: 'detected', received_zat: 100n, due_zat: 0n }
const PAID = { ...DETECTED, status: 'paid' }
const EXPIRED = { ...INVOICE, status: 'expired' }

test('a payment that is seen, mined and confirmed breaks no rule', async () => {
  const { judge, commit, show, mine } = createJudge()
  assert.deepEqual(commit({ invoices: [INVOICE] }), [])
  await show(PAYMENT)
  assert.deepEqual(commit({ invoices: [DETECTED], payments: [ROW] }), [])
  const mined = { ...ROW, location: 'mined', height: await mine() } as const
  assert.deepEqual(commit({ invoices: [PAID], payments: [mined] }), [])
  assert.equal(judge.unsettled(), null)
})

test('an invoice is not paid by a payment of a rescan that awaits a second server', async () => {
  const { commit, show, mine } = createJudge()
  commit({ invoices: [INVOICE] })
  await show(PAYMENT)
  const found = { ...ROW, location: 'mined', height: await mine(), awaits_witness: 1n } as const
  assert.deepEqual(commit({ invoices: [DETECTED], payments: [found] }), [])
  assert.deepEqual(commit({ invoices: [PAID], payments: [found] }), ['an invoice is paid by confirmed payments'])
})

type Laboratory = ReturnType<typeof createJudge>

/** The service reads a payment, which then leaves the mempool. After a while, the invoice is paid without confirmations. */
async function payAfter(pass: (laboratory: Laboratory) => Promise<void>): Promise<string[]> {
  const laboratory = createJudge()
  const { network, scheduler, visibility, commit, show } = laboratory
  commit({ invoices: [{ ...INVOICE, confirmations: 0n }] })
  await show(PAYMENT)
  await scheduler.run()
  network.evict(PAYMENT.txid)
  visibility.update(scheduler.nowMs)
  await pass(laboratory)
  return commit({ invoices: [{ ...PAID, confirmations: 0n }], payments: [ROW] })
}

test('without confirmations, a payment that was shown long ago counts only when the process or the machine stood still', async () => {
  const work = (secs: number) => async (laboratory: Laboratory) => {
    laboratory.scheduler.advance(secs * 1_000)
    await laboratory.scheduler.run()
  }
  const workAndStall = (secs: number, stallSecs: number) => async (laboratory: Laboratory) => {
    laboratory.scheduler.stall(laboratory.process, stallSecs * 1_000)
    await work(secs)(laboratory)
  }
  const rule = ['an invoice is paid by confirmed payments']
  assert.deepEqual(await payAfter(work(25)), [])
  assert.deepEqual(await payAfter(work(35)), rule)
  assert.deepEqual(await payAfter(async ({ scheduler }) => scheduler.advance(60_000)), [])
  assert.deepEqual(await payAfter(workAndStall(200, 175)), [])
  assert.deepEqual(await payAfter(workAndStall(200, 165)), rule)
})

test('amounts that the payments do not give are found', async () => {
  const { commit, show } = createJudge()
  assert.deepEqual(commit({ invoices: [{ ...INVOICE, received_zat: 7n, due_zat: 93n }] }), [
    'received_zat counts every live payment once',
  ])
  assert.deepEqual(commit({ invoices: [{ ...INVOICE, overpaid_zat: 1n }] }).slice(0, 1), [
    'due_zat is what is left to pay, overpaid_zat the excess',
  ])
  await show(PAYMENT)
  assert.ok(
    commit({ invoices: [{ ...DETECTED, status: 'expired', amount_zat: 200n }], payments: [ROW] }).includes(
      'the status agrees with the amounts',
    ),
  )
})

test('a paid invoice without its payments is found, and so is a confirmed one that is not paid', async () => {
  const { commit, show, mine } = createJudge()
  commit({ invoices: [INVOICE] })
  const alone = { ...INVOICE, status: 'paid' }
  assert.deepEqual(commit({ invoices: [alone] }), [
    'a paid invoice without its payments needs attention',
    'an invoice is paid by confirmed payments',
  ])
  await show(PAYMENT)
  const mined = { ...ROW, location: 'mined', height: await mine() } as const
  assert.ok(
    commit({ invoices: [DETECTED], payments: [mined] }).includes(
      'a confirmed invoice is paid in the commit of its block',
    ),
  )
})

test('a payment of another address, another amount, or one that no server has shown is found', async () => {
  const { network, commit, show } = createJudge()
  network.broadcast(PAYMENT)
  assert.deepEqual(commit({ invoices: [DETECTED], payments: [ROW] }), ['a payment was shown by a server'])
  await show(PAYMENT)
  const other = { ...DETECTED, id: 2n, address: 'utest1 uview-1 2' }
  const rule = 'a payment is a note to the address of its invoice'
  assert.ok(commit({ invoices: [other], payments: [{ ...ROW, id: 2n, invoice_id: 2n }] }).includes(rule))
  const more = { ...DETECTED, received_zat: 101n, overpaid_zat: 1n }
  assert.ok(commit({ invoices: [more], payments: [{ ...ROW, id: 3n, value_zat: 101n }] }).includes(rule))
})

test('a payment in a block that does not contain it is found', async () => {
  const { commit, show, mine } = createJudge()
  await mine()
  await show(PAYMENT)
  assert.deepEqual(commit({ invoices: [PAID], payments: [{ ...ROW, location: 'mined', height: 10n }] }), [
    'a mined payment is in the recorded block of its height',
  ])
})

/** The service reads the payment, and 130 s later in this way. Then the payment leaves the mempool, and is dropped. */
async function dropAfter(read: (judge: Laboratory) => Promise<void>): Promise<string[]> {
  const judge = createJudge()
  const { network, scheduler, visibility, commit, show } = judge
  await show(PAYMENT)
  commit({ invoices: [DETECTED], payments: [ROW] })
  scheduler.advance(130_000)
  await read(judge)
  scheduler.advance(4_000)
  network.evict(PAYMENT.txid)
  visibility.update(scheduler.nowMs)
  await judge.read('mempool', 'tip')
  const dropped = { ...ROW, location: 'dropped' } as const
  return commit({ invoices: [INVOICE], payments: [dropped] })
}

test('a payment may be dropped 120 s after the last list of a sync with it, also when a comparison has seen it since', async () => {
  assert.deepEqual(await dropAfter(async () => {}), [])
  assert.deepEqual(await dropAfter(({ compare }) => compare()), [])
})

test('a payment that a sync has seen a moment ago is not dropped, also when the tip could not be read after the list', async () => {
  const rule = ['a payment is dropped only after two minutes without it']
  assert.deepEqual(await dropAfter(({ read }) => read('mempool', 'tip')), rule)
  assert.deepEqual(await dropAfter(({ read }) => read('mempool')), rule)
  const both = async ({ compare, read }: Laboratory) => {
    await compare()
    await read('mempool', 'tip')
  }
  assert.deepEqual(await dropAfter(both), rule)
})

test('a payment that is dropped while every server shows it is found', async () => {
  const { scheduler, commit, show } = createJudge()
  await show(PAYMENT)
  commit({ invoices: [DETECTED], payments: [ROW] })
  scheduler.advance(60_000)
  const dropped = { ...ROW, location: 'dropped' } as const
  assert.deepEqual(commit({ invoices: [INVOICE], payments: [dropped] }), [
    'a payment is dropped only after two minutes without it',
    'a payment that every server shows is not dropped',
  ])
})

test('a missing event, one without a cause, one with another state and a change that is not in the log are found', async () => {
  const { commit, show } = createJudge()
  commit({ invoices: [INVOICE] })
  await show(PAYMENT)
  const detect = (events: EventRow[]) => commit({ invoices: [DETECTED], payments: [ROW], events })
  assert.deepEqual(detect([]), ['each cause has its event in the same commit'])
  commit({ invoices: [INVOICE] })
  const received = eventOf(10n, 'invoice.payment_received', DETECTED)
  assert.deepEqual(detect([received, eventOf(11n, 'invoice.detected', INVOICE)]), [
    'an event contains the state of its commit',
  ])
  assert.deepEqual(detect([eventOf(12n, 'invoice.detected', DETECTED)]), [
    'each event has its cause in the same commit',
  ])
  assert.deepEqual(detect([eventOf(13n, 'invoice.paid', PAID)]), [
    'invoice.paid is raised once, when the invoice is paid',
    'each event has its cause in the same commit',
    'an event contains the state of its commit',
  ])
  commit({ invoices: [INVOICE] })
  assert.deepEqual(commit({ invoices: [DETECTED], payments: [ROW], isLogged: false }), [
    'a change of an invoice wakes its WebSockets',
  ])
})

test('a purchase has no event of its invoice, and a sale has invoice.created once', () => {
  const { commit } = createJudge()
  commit({ invoices: [] })
  const created = eventOf(1n, 'invoice.created', INVOICE)
  assert.deepEqual(commit({ invoices: [INVOICE], events: [created] }), [])
  const plan = { ...INVOICE, id: 2n, public_id: 'invoice-2', purpose: 'plan' } as const
  assert.deepEqual(commit({ invoices: [INVOICE, plan], events: [eventOf(2n, 'invoice.created', plan)] }), [
    'only a sale has events of its invoice',
  ])
  const sold = { ...INVOICE, id: 3n, public_id: 'invoice-3' }
  assert.deepEqual(commit({ invoices: [INVOICE, plan, sold], events: [] }), [
    'each cause has its event in the same commit',
  ])
})

test('in a shared commit the event of a new invoice may be deleted again, once it is older than events are kept', () => {
  for (const { ageSecs, useCases, broken } of [
    { ageSecs: 86_399, useCases: 2, broken: ['each cause has its event in the same commit'] },
    { ageSecs: 86_401, useCases: 1, broken: ['each cause has its event in the same commit'] },
    { ageSecs: 86_401, useCases: 2, broken: [] },
  ]) {
    const { world, commit } = createJudge()
    commit({ invoices: [] })
    Object.assign(world, {
      useCases,
      parts: [{ config: { eventRetentionDays: 1 } }],
      nowSecs: Number(INVOICE.created_at) + ageSecs,
    })
    assert.deepEqual(commit({ invoices: [INVOICE], events: [] }), broken)
  }
})

test('in a shared commit an invoice without required confirmations may be paid by a block that is removed again', async () => {
  for (const [useCases, broken] of [
    [1, ['an invoice is paid by confirmed payments']],
    [2, []],
  ] as const) {
    const { world, network, scheduler, commit, show, mine } = createJudge()
    commit({ invoices: [{ ...INVOICE, confirmations: 0n }] })
    await show(PAYMENT)
    commit({ invoices: [{ ...DETECTED, confirmations: 0n }], payments: [ROW] })
    await mine()
    network.removeBlocks(1, () => false)
    scheduler.advance(60_000)
    await scheduler.run()
    Object.assign(world, { useCases })
    assert.deepEqual(commit({ invoices: [{ ...PAID, confirmations: 0n }], payments: [ROW] }), broken)
  }
})

test('a payment of a rescan that awaits a second server pays nothing, also in a shared commit', async () => {
  const { world, commit, show, mine } = createJudge()
  const open = { ...INVOICE, confirmations: 0n }
  commit({ invoices: [open] })
  await show(PAYMENT)
  const found = { ...ROW, location: 'mined', height: await mine(), awaits_witness: 1n } as const
  commit({ invoices: [{ ...open, ...DETECTED, confirmations: 0n }], payments: [found] })
  Object.assign(world, { useCases: 2 })
  assert.deepEqual(commit({ invoices: [{ ...PAID, confirmations: 0n }], payments: [found] }), [
    'an invoice is paid by confirmed payments',
  ])
})

test('an invoice that expires long after the last recorded block is found', () => {
  const { network, scheduler, commit } = createJudge()
  const expiresAt = BigInt(network.tip.time) + 20n * 75n
  for (const [lateSecs, broken] of [
    [1n, []],
    [2n, ['no invoice expires by a chain that has stalled']],
  ] as const) {
    const terms = { id: 7n + lateSecs, expires_at: expiresAt + lateSecs }
    commit({ invoices: [{ ...INVOICE, ...terms }] })
    scheduler.advance(10_000_000)
    const expired = { ...EXPIRED, ...terms }
    assert.deepEqual(commit({ invoices: [expired] }), broken)
  }
})

test('a payment in the mempool that is not recorded is named', async () => {
  const { judge, commit, show } = createJudge()
  await show(PAYMENT)
  commit({ invoices: [INVOICE] })
  assert.match(judge.unreported() ?? '', /has 0 of/)
  commit({ invoices: [DETECTED], payments: [ROW] })
  assert.equal(judge.unreported(), null)
})

test('an invoice that expires before its time, or after it was paid in time, is found', async () => {
  const early = createJudge()
  early.commit({ invoices: [INVOICE] })
  assert.deepEqual(early.commit({ invoices: [EXPIRED] }), ['no invoice expires before its time'])
  const late = createJudge()
  late.commit({ invoices: [INVOICE] })
  await late.show(PAYMENT)
  late.scheduler.advance(1_000_000)
  assert.deepEqual(late.commit({ invoices: [EXPIRED] }), ['nothing paid in time expires'])
})

interface Reading {
  /** After the expiry. */
  readonly secs: number
  /** Default: the mempool, then the tip. */
  readonly order?: readonly ('mempool' | 'tip')[]
}

/** The payment is broadcast 2 s before the expiry, and in a block whenever the server makes its list. */
async function expireUnseen(readings: readonly Reading[]): Promise<string[]> {
  const { network, scheduler, visibility, commit, read, readByOthersInBlock } = createJudge()
  commit({ invoices: [INVOICE] })
  const expiresMs = Number(INVOICE.expires_at) * 1000
  scheduler.advance(expiresMs - 2_000 - scheduler.nowMs)
  network.broadcast(PAYMENT)
  visibility.update(scheduler.nowMs)
  for (const { secs, order = ['mempool', 'tip'] as const } of readings) {
    scheduler.advance(expiresMs + secs * 1000 - 1_900 - scheduler.nowMs)
    readByOthersInBlock()
    scheduler.advance(1_900)
    await read(...order)
  }
  return commit({ invoices: [EXPIRED] })
}

test('a payment that was in a block whenever the server made a list, and in none at any tip, could not be seen', async () => {
  for (const seconds of [
    [0, 2, 4, 6, 8, 10],
    [0, 3, 8],
  ])
    assert.deepEqual(await expireUnseen(seconds.map(secs => ({ secs }))), [])
})

test('a service that reads too little after the expiry could have seen the payment', async () => {
  for (const seconds of [[8], [0, 8], [0, 2, 4, 6, 8], [0, 3, 7]])
    assert.deepEqual(
      await expireUnseen(seconds.map(secs => ({ secs }))),
      ['nothing paid in time expires'],
      `${seconds}`,
    )
})

test('a service that reads the tip before the mempool could have seen the payment, also if it does so once', async () => {
  const right = [0, 2, 4, 6, 8, 10, 12].map((secs): Reading => ({ secs }))
  const wrong = right.map(({ secs }): Reading => ({ secs, order: ['tip', 'mempool'] }))
  // Such as a list that is read to compare the servers.
  const list: Reading = { secs: 0, order: ['mempool'] }
  for (const readings of [wrong, [...wrong.slice(0, 1), ...right.slice(1)], [list, ...wrong.slice(1)]])
    assert.deepEqual(await expireUnseen(readings), ['nothing paid in time expires'])
})

test('a step that the contract does not allow is found', () => {
  const { scheduler, commit } = createJudge()
  scheduler.advance(1_000_000)
  commit({ invoices: [EXPIRED] })
  assert.deepEqual(commit({ invoices: [INVOICE] }), ['an invoice takes only the lawful steps'])
})

test('an invoice whose payment was not noticed has not settled', async () => {
  const { judge, commit, show } = createJudge()
  await show(PAYMENT)
  commit({ invoices: [INVOICE] })
  assert.match(judge.unsettled() ?? '', /pending with 0 zat, although 100 were received/)
})

test('after a restored backup the state may go back once', () => {
  const { scheduler, commit, restore } = createJudge()
  scheduler.advance(1_000_000)
  commit({ invoices: [EXPIRED] })
  restore()
  assert.deepEqual(commit({ invoices: [INVOICE] }), [])
})
