import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ZatgateError } from '../src/error.ts'
import { poll } from '../src/poll.ts'
import type { Invoice } from '../src/wire.ts'

const PENDING: Invoice = {
  id: '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f',
  status: 'pending',
  amount_zat: 100,
  address: 'u1',
  zip321_uri: 'zcash:u1',
  expires_at: 2_000_000_000,
  txid: null,
  received_zat: 0,
  overpaid_zat: 0,
  swap: null,
}
const SWAP = { symbol: 'BTC', blockchain: 'btc', deposit_address: 'a', amount_in_formatted: '1', deadline: '' } as const

const MAX_READ_MS = 30_000

/** Reads these states or errors in turn, the last one again and again, without waiting. */
function follow(states: readonly (Partial<Invoice> | Error)[], signal?: AbortSignal) {
  const left = [...states]
  const read = async () => {
    const next = (left.length > 1 ? left.shift() : left[0]) as Partial<Invoice> | Error
    if (next instanceof Error) throw next
    return { ...PENDING, ...next }
  }
  return poll(read, MAX_READ_MS, signal, async () => {})
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const unavailable = new ZatgateError(503, 'unavailable', 'service unavailable')

test('it yields the state, then each change of it, of the swap or of the amount, until it is final', async () => {
  const states = follow([
    {},
    {},
    { swap: { ...SWAP, status: 'PENDING_DEPOSIT' } },
    { swap: { ...SWAP, status: 'PROCESSING' } },
    { swap: { ...SWAP, status: 'PROCESSING' }, received_zat: 50 },
    unavailable,
    { swap: { ...SWAP, status: 'SUCCESS' }, status: 'paid', received_zat: 100 },
  ])
  assert.deepEqual(await collect(states), [
    { status: 'pending' },
    { status: 'pending', swap_status: 'PENDING_DEPOSIT' },
    { status: 'pending', swap_status: 'PROCESSING' },
    { status: 'pending', swap_status: 'PROCESSING' },
    { status: 'paid', swap_status: 'SUCCESS' },
  ])
})

test('an unknown invoice is an error at once, a service without a response after a minute', async t => {
  await assert.rejects(follow([new ZatgateError(404, 'no_such_invoice', 'no such invoice')]).next(), { status: 404 })
  t.mock.timers.enable({ apis: ['Date'] })
  const states = poll(
    async () => {
      t.mock.timers.tick(20_000)
      throw unavailable
    },
    MAX_READ_MS,
    undefined,
    async () => {},
  )
  await assert.rejects(states.next(), unavailable)
  assert.equal(Date.now(), 80_000)
})

test('a service without a response is an error also when the client waits long for each one', async t => {
  t.mock.timers.enable({ apis: ['Date'] })
  const states = poll(
    async () => {
      t.mock.timers.tick(62_000)
      throw unavailable
    },
    60_000,
    undefined,
    async () => {},
  )
  await assert.rejects(states.next(), unavailable)
})

test('an aborted signal ends it', async () => {
  assert.deepEqual(await collect(follow([{}], AbortSignal.abort())), [])
  const stop = new AbortController()
  for await (const _ of follow([{}, unavailable], stop.signal)) stop.abort()
})

test('it goes on after the device slept between two failures, however long', async t => {
  t.mock.timers.enable({ apis: ['Date'] })
  let reads = 0
  const states = poll(
    async () => {
      reads += 1
      if (reads < 4) throw unavailable
      return { ...PENDING, status: 'paid' }
    },
    MAX_READ_MS,
    undefined,
    async () => t.mock.timers.tick(8 * 3_600_000),
  )
  assert.deepEqual(await collect(states), [{ status: 'paid' }])
})
