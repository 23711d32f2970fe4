import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Chain } from '@zatgate/sandbox/chain/chain'
import { demoViewingKey } from '@zatgate/sandbox/chain/keys'
import type { ChainTransaction } from '@zatgate/sandbox/chain/transaction'
import { Wallet } from '@zatgate/sandbox/chain/wallet'
import { orchardReceiver } from '@zatgate/zcash/address'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { ManualClock } from '../harness/manual-clock.ts'
import { Ledger } from '../harness/soak/ledger.ts'
import type { InvoiceResponse } from '../harness/soak/shop.ts'
import { finalProblems, pollProblems, witnessedSpans } from '../harness/soak/verdict.ts'

const SEED = new Uint8Array(32).fill(4)
const receiver = orchardReceiver(parseViewingKey(demoViewingKey(SEED)).orchard!, 1n)
const ALWAYS = [{ fromMs: 0, toMs: Number.POSITIVE_INFINITY }]

let clock: ManualClock
let chain: Chain
let ledger: Ledger
let expiresAtMs: number

beforeEach(() => {
  clock = new ManualClock()
  chain = new Chain({ seed: SEED, clock })
  ledger = new Ledger()
  chain.subscribe(event => ledger.observe(event, clock.nowMs()))
  expiresAtMs = clock.nowMs() + 60_000
  ledger.created({ id: 'i', amount: 10n, expiresAtMs })
})

function pay(value: bigint): ChainTransaction {
  const transaction = new Wallet(chain).send([{ receiver, value }])
  ledger.paid('i', transaction.id, value)
  return transaction
}

const statuses = () => [...ledger.expectation('i', clock.nowMs()).statuses].sort()
const witnessed = () => witnessedSpans(ledger.fullSpans('i'), ALWAYS, { expiresAtMs, witnessMs: 8_000 })

function invoiceResponse(changes: Partial<InvoiceResponse>): InvoiceResponse {
  const open = {
    id: 'i',
    status: 'pending',
    received_zat: 0,
    overpaid_zat: 0,
    txid: null,
    zip321_uri: '',
    expires_at: 0,
  }
  return { ...open, ...changes }
}

test('the ledger tracks partial payments, confirmations and overpayment of an invoice', () => {
  assert.deepEqual(statuses(), ['pending'])
  pay(4n)
  assert.deepEqual(statuses(), ['pending'])
  pay(7n)
  assert.deepEqual(statuses(), ['detected'])
  chain.mine(2)
  assert.deepEqual(statuses(), ['detected'])
  chain.mine()
  const { received, overpaid } = ledger.expectation('i', clock.nowMs())
  assert.deepEqual([statuses(), received, overpaid], [['paid'], 11n, 1n])
})

test('the ledger distinguishes unpaid, underpaid and late paid invoices after their expiry', () => {
  clock.advance(61)
  assert.deepEqual(statuses(), ['expired'])
  const part = pay(4n)
  assert.deepEqual(statuses(), ['underpaid'])
  chain.evict(part.id)
  assert.deepEqual(statuses(), ['expired', 'underpaid'])
  pay(10n)
  chain.mine(3)
  assert.deepEqual(statuses(), ['paid'])
})

test('the ledger allows `paid` and `pending` when a reorganisation removed the confirmed payments for good', () => {
  const { id } = pay(10n)
  chain.mine(3)
  chain.reorg({ depth: 3, drop: [id] })
  assert.deepEqual(statuses(), ['paid', 'pending'])
  assert.equal(ledger.expectation('i', clock.nowMs()).received, 0n)
})

test('a full payment is witnessed when it was live and readable long enough before the expiry', () => {
  clock.advance(55)
  const late = pay(10n)
  assert.deepEqual(witnessed(), [], 'five seconds are too short')
  chain.evict(late.id)
  clock.advance(-30)
  pay(10n)
  assert.equal(witnessed().length, 1)
  assert.deepEqual(witnessedSpans(ledger.fullSpans('i'), [], { expiresAtMs, witnessMs: 8_000 }), [])
})

test('a transaction that returns within a minute counts throughout; otherwise it counts until it disappears', () => {
  const transaction = pay(10n)
  chain.mine()
  clock.advance(20)
  chain.reorg({ depth: 1, drop: [transaction.id] })
  clock.advance(30)
  new Wallet(chain).rebroadcast(transaction)
  assert.equal(ledger.fullSpans('i').length, 1)
  const { fromMs } = ledger.fullSpans('i')[0]!
  chain.evict(transaction.id)
  assert.deepEqual(ledger.fullSpans('i'), [{ fromMs, toMs: fromMs + 50_000 }])
})

test('a response that closes an invoice early, closes a witnessed invoice or reopens an invoice is a problem', () => {
  const polls = (...observed: [number, string][]) =>
    observed.map(([secs, status]) => ({ atMs: expiresAtMs + secs * 1_000, status }))
  const problems = (...observed: [number, string][]) => pollProblems(polls(...observed), expiresAtMs, [])
  assert.deepEqual(problems([-1, 'pending'], [1, 'expired'], [2, 'underpaid'], [3, 'paid']), [])
  assert.deepEqual(problems([-1, 'expired']), ['was expired before its expiry'])
  assert.deepEqual(problems([1, 'expired'], [2, 'pending']), ['went from expired to pending'])
  assert.deepEqual(problems([1, 'paid'], [2, 'detected']), ['went from paid to detected'])
  assert.deepEqual(pollProblems(polls([1, 'expired']), expiresAtMs, ALWAYS), [
    'was expired although it had been paid in time',
  ])
})

test('each final difference in status, amounts, transaction or events is a problem', () => {
  const { id } = pay(12n)
  chain.mine(3)
  const expected = ledger.expectation('i', clock.nowMs())
  const correct = invoiceResponse({ status: 'paid', received_zat: 12, overpaid_zat: 2, txid: id })
  assert.deepEqual(finalProblems(correct, expected, { 'invoice.paid': 1 }), [])
  assert.deepEqual(finalProblems(correct, expected, { 'invoice.paid': 2, 'invoice.underpaid': 2 }), [
    'is paid and has 2 events invoice.paid',
    'has 2 events invoice.underpaid',
  ])
  assert.deepEqual(finalProblems(invoiceResponse({ status: 'underpaid', txid: '00' }), expected, {}), [
    'is underpaid, not paid',
    'has received 0, not 12',
    'is overpaid by 0, not 2',
    'has a txid that does not count',
    'is underpaid without an event',
  ])
})
