import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Watchers } from '../../src/parts/websocket/watchers.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { createFakeWorld } from './fake-world.ts'

/** A world with one process, whose service reports this status of the one invoice. */
function openWorld(reported: string) {
  const fake = createFakeWorld()
  const invoice = { id: 1, publicId: 'a1b2c3d4', status: reported, receivedZat: 0n, swapId: null }
  const changes = {
    cursor: { seq: 1, event: null },
    invoices: [invoice],
    swaps: new Map(),
    changed: new Set(),
    hasMore: false,
  }
  const container = {
    services: { invoiceFeed: { changesSince: async () => changes } },
    infrastructure: { store: { listen: () => {} }, clock: { nowMs: () => 0 }, log: { error: assert.fail } },
  }
  const services = { invoices: { read: async () => invoice } }
  const process = {
    name: 'process 1',
    alive: true,
    services,
    call: async (work: (...args: unknown[]) => unknown) => work(services, container),
  }
  const requests: Promise<void>[] = []
  Object.assign(fake.world, {
    running: [process],
    shop: { invoices: [invoice] },
    client: (_: string, work: () => Promise<void>) => requests.push(work()),
  })
  return { ...fake, done: () => Promise.all(requests) }
}

async function watch(reported: string, stored: string) {
  const { world, broken, tables, done } = openWorld(reported)
  tables['FROM invoices'] = [{ status: stored }]
  const watchers = new Watchers(world)
  watchers.actions[0]?.run(new Draw(1, 'test'))
  await done()
  await new Promise(resolve => setImmediate(resolve))
  return { watchers, broken, tables }
}

test('a status that the invoice of the WebSocket never had is found', async () => {
  assert.deepEqual((await watch('paid', 'paid')).broken, [])
  assert.deepEqual((await watch('paid', 'pending')).broken, ['a WebSocket reports its own invoice'])
})

test('a status that does not arrive is found; one of an invoice that is gone, or after the end, is not missing', async () => {
  const { watchers, tables } = await watch('pending', 'pending')
  assert.equal(watchers.unsettled(), null)
  tables['FROM invoices'] = [{ status: 'detected' }]
  assert.match(watchers.unsettled() ?? '', /has received pending, not detected/)
  tables['FROM invoices'] = []
  assert.equal(watchers.unsettled(), null)

  const ended = await watch('paid', 'paid')
  ended.tables['FROM invoices'] = [{ status: 'pending' }]
  assert.equal(ended.watchers.unsettled(), null, 'the service closes the WebSocket with the final status')
})
