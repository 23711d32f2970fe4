import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { EventRow } from '../../src/parts/event/new-events.ts'
import { SwapJudge } from '../../src/parts/swap/judge.ts'
import type { StartRow, SwapInvoiceRow, SwapRow } from '../../src/parts/swap/ledger.ts'
import { plannedPolls, SwapPollJudge } from '../../src/parts/swap/poll-judge.ts'
import { SimulatedClock } from '../../src/runtime/clock.ts'
import { Scheduler } from '../../src/runtime/scheduler.ts'
import { ASSETS } from '../../src/world/swap-provider/asset.ts'
import { SwapProviderServer } from '../../src/world/swap-provider/provider.ts'
import type { World } from '../../src/world/world.ts'
import { eventRow } from './fake-world.ts'

const START_MS = Date.UTC(2026, 0, 1)
const EXPIRES_AT = START_MS / 1000 + 900
const ADDRESS = 'utest1 uview-1 7'

let scheduler: Scheduler
let provider: SwapProviderServer
let world: World
let judge: SwapJudge
let rules: string[]
let swaps: SwapRow[]
let invoice: SwapInvoiceRow
let starts: StartRow[]
let events: EventRow[]
/** The kept responses by the id of their swap. */
let quotes: string[]
let statuses: string[]

/** A world whose database holds what the test says. */
beforeEach(() => {
  scheduler = new Scheduler(1, START_MS)
  scheduler.switchRate = 0
  provider = new SwapProviderServer(scheduler, 1)
  rules = []
  swaps = []
  starts = []
  events = []
  quotes = []
  statuses = []
  invoice = {
    id: 1n,
    public_id: 'invoice',
    purpose: 'sale',
    status: 'pending',
    address: ADDRESS,
    amount_zat: 10_000n,
    expires_at: BigInt(EXPIRES_AT),
    swap_id: 1n,
    kept_open: 1n,
  }
  const committed = (sql: string, value: bigint) => {
    if (sql.includes('quote_raw')) return [{ quote_raw: quotes[Number(value)] }]
    if (sql.includes('status_raw')) return [{ status_raw: statuses[Number(value)] ?? null }]
    if (sql.includes('count(*)')) return [{ changes: BigInt(events.length) }]
    if (sql.includes('FROM swaps')) return swaps
    if (sql.includes('FROM invoices')) return swaps.length > 0 ? [invoice] : []
    return sql.includes('FROM swap_starts') ? starts : events.filter(({ row }) => row >= value)
  }
  world = {
    useCases: 1,
    scheduler,
    clockErrors: { minMs: 0, maxMs: 0 },
    processes: [],
    story: { tell: () => {} },
    transition: () => {},
    onRestore: () => {},
    fail: (rule: string) => rules.push(rule),
    database: { committed },
  } as unknown as World
  judge = new SwapJudge(world, provider)
})

const client = () => provider.connect(new SimulatedClock(scheduler))

/** Stores a swap as the service does, with a real quote. */
async function startSwap(): Promise<void> {
  const id = swaps.length + 1
  const [asset] = await client().assets()
  const offer = await client().quote({
    asset: asset!,
    amountZat: 10_000n,
    recipient: ADDRESS,
    refundTo: 'refund',
    deadline: EXPIRES_AT,
  })
  quotes[id] = offer.raw
  swaps.push({
    id: BigInt(id),
    public_id: `swap ${id}`,
    invoice_id: 1n,
    deposit_address: offer.depositAddress,
    deposit_memo: offer.depositMemo,
    refund_to: 'refund',
    amount_in: String(offer.amountIn),
    quote_deadline: BigInt(offer.quoteDeadline),
    status: 'PENDING_DEPOSIT',
    provider_status: '',
    updated_at_ms: 0n,
    last_report_at: null,
  })
  invoice = { ...invoice, swap_id: BigInt(id), kept_open: 1n }
  starts.push({ id: BigInt(id), invoice_id: 1n, started_at: BigInt(Math.floor(scheduler.nowMs / 1000)) })
  raise()
  judge.check()
}

/** Lets the provider set a status, and stores its answer. */
async function answer(status: string): Promise<void> {
  const swap = swaps.at(-1)!
  const order = provider.orders.get(swap.deposit_address)!
  scheduler.advance(1_000)
  provider.setStatus(order, status)
  const response = await client().status({ address: order.depositAddress, memo: order.depositMemo })
  statuses[Number(swap.id)] = response!.raw
  const heardAt = BigInt(Math.floor(scheduler.nowMs / 1000))
  change({ status, provider_status: status, updated_at_ms: BigInt(response!.updatedAtMs), last_report_at: heardAt })
}

/** Changes the newest swap. */
function change(changes: Partial<SwapRow>): void {
  swaps = [...swaps.slice(0, -1), { ...swaps.at(-1)!, ...changes }]
}

/** An event of the newest swap. By default it has a new status. */
function raise(type = 'swap.updated', status = swaps.at(-1)!.status): void {
  const body = {
    type,
    invoice_id: 'invoice',
    swap: {
      asset: ASSETS[0]!.assetId,
      blockchain: ASSETS[0]!.blockchain,
      amount_in_formatted: `0.${swaps.at(-1)!.amount_in.padStart(8, '0')}`,
      status,
    },
  }
  events.push(eventRow(BigInt(events.length + 1), type, body, 1n))
}

function assertBroken(rule: string): void {
  judge.check()
  assert.deepEqual(rules.slice(0, 1), [rule])
}

test('an honest course breaks no rule', async () => {
  await startSwap()
  await answer('INCOMPLETE_DEPOSIT')
  raise()
  raise('swap.incomplete_deposit', 'INCOMPLETE_DEPOSIT')
  judge.check()
  await answer('REFUNDED')
  raise()
  raise('swap.refunded', 'REFUNDED')
  invoice = { ...invoice, kept_open: 0n }
  judge.check()
  await startSwap()
  assert.deepEqual(rules, [])
})

test('a status that the provider has not given', async () => {
  await startSwap()
  change({ status: 'PROCESSING', provider_status: 'PROCESSING', updated_at_ms: 5n })
  assertBroken('a swap has the status that the provider has given')
})

test('a status that goes back', async () => {
  await startSwap()
  await answer('KNOWN_DEPOSIT_TX')
  raise()
  judge.check()
  change({ status: 'PENDING_DEPOSIT', updated_at_ms: BigInt(START_MS) })
  assertBroken('an older answer of the provider changes nothing')
})

test('a time that goes back by the clock after a report that was dated ahead', async () => {
  await startSwap()
  provider.faults.aheadRate = 1
  await answer('KNOWN_DEPOSIT_TX')
  raise()
  judge.check()
  provider.faults.aheadRate = 0
  await answer('KNOWN_DEPOSIT_TX')
  judge.check()
  assert.deepEqual(rules, [])
})

test('a time that goes back by minutes after a report that was dated ahead', async () => {
  await startSwap()
  provider.faults.aheadRate = 1
  await answer('KNOWN_DEPOSIT_TX')
  raise()
  judge.check()
  change({ updated_at_ms: BigInt(scheduler.nowMs - 302_000) })
  assertBroken('an older answer of the provider changes nothing')
})

test('a swap that is deleted on its day', async () => {
  await startSwap()
  await startSwap()
  swaps = swaps.slice(1)
  assertBroken('only a swap that was abandoned weeks ago is deleted')
})

test('a response that was not kept', async () => {
  await startSwap()
  await answer('KNOWN_DEPOSIT_TX')
  statuses = []
  assertBroken('the response with a status is kept')
})

test('a successor of a swap with a deposit', async () => {
  await startSwap()
  await answer('KNOWN_DEPOSIT_TX')
  raise()
  judge.check()
  await startSwap()
  assertBroken('a swap with a deposit is not replaced')
})

test('an event without its status, twice, or missing', async () => {
  await startSwap()
  await answer('REFUNDED')
  raise()
  assertBroken('every outcome of a swap has its event')
  rules.length = 0
  raise('swap.refunded', 'REFUNDED')
  assertBroken('a status of a swap and its event are one commit')
  rules.length = 0
  raise('swap.refunded', 'REFUNDED')
  assertBroken('an event of a swap is raised once')
})

test('an invoice that is released while the provider has a deposit, or before it was asked', async () => {
  await startSwap()
  invoice = { ...invoice, kept_open: 0n }
  assertBroken('a swap keeps its invoice open')
  rules.length = 0
  scheduler.advance(900_000 + 121_000)
  judge.check()
  assert.deepEqual(rules, [])
  await answer('PROCESSING')
  raise()
  assertBroken('a swap keeps its invoice open')
})

test('a sixth start within ten minutes', async () => {
  for (let i = 0; i < 5; i++) await startSwap()
  scheduler.advance(590_000)
  assert.deepEqual(rules, [])
  await startSwap()
  assert.deepEqual(rules, ['an invoice has at most five starts of a swap in ten minutes'])
})

test('a stored swap whose start is not counted', async () => {
  await startSwap()
  starts = []
  assertBroken('every stored swap is counted as a start')
})

test('a start that its own commit forgets is excused only where clocks were as far apart as the window', async () => {
  await startSwap()
  Object.assign(world, { useCases: 2, clocksChangedMs: scheduler.nowMs })
  const [first] = swaps as [SwapRow]
  const twice = new Map([1n, 2n].map(id => [id, { ...first, id }]))
  const checkWith = (rangeMs: number) => {
    world.clockErrors.maxMs = rangeMs
    judge.starts.check({ starts, swaps: twice, invoices: new Map([[1n, invoice]]) })
  }
  checkWith(599_000)
  assert.deepEqual(rules, ['every stored swap is counted as a start'])
  rules.length = 0
  checkWith(600_000)
  assert.deepEqual(rules, [])
})

test('a current swap that is not the newest', async () => {
  await startSwap()
  await startSwap()
  invoice = { ...invoice, swap_id: 1n }
  assertBroken('the current swap of an invoice is the newest one')
})

test('a provider that is asked too often', async () => {
  await startSwap()
  const order = [...provider.orders.values()][0]!
  const polls = new SwapPollJudge(world, () => 0)
  scheduler.advance(60_000)
  order.statusRequests = plannedPolls(order, scheduler.nowMs) + events.length
  polls.check(order)
  assert.deepEqual(rules, [])
  order.statusRequests += 1
  polls.check(order)
  assert.deepEqual(rules, ['the provider is not asked more often than allowed'])
})
