import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Store, Viewer } from '../../src/ports.ts'
import { createAddresses } from '../../src/services/addresses.ts'
import { startTestApi, type TestApi, testViewingKey } from '../support/api.ts'
import { until } from '../support/until.ts'

let api: TestApi
let keys = 0
before(async () => {
  api = await startTestApi()
})
after(() => api.close())

/** Addresses that only say where they come from, and a count of the ranges taken. */
async function pools(options: { failAt?: number } = {}) {
  const { account } = await api.merchant({ viewingKey: testViewingKey(++keys) })
  const ranges: number[] = []
  const viewer: Pick<Viewer, 'addresses'> = {
    async addresses(_incoming, _network, from, count) {
      ranges.push(count)
      if (ranges.length === options.failAt) throw new Error('the thread is lost')
      return Array.from({ length: count }, (_, offset) => `address ${from + BigInt(offset)}`)
    },
  }
  const vault = { seal: (secret: Uint8Array) => secret, open: (sealed: Uint8Array) => sealed }
  const make = (store: Store = api.store) => createAddresses({ store, viewer: viewer as Viewer, vault })
  return { id: account.viewingKeyId!, ranges, make }
}

test('each index comes once, with the address of its index', async () => {
  const { id, make } = await pools()
  const addresses = make()
  const taken = []
  for (let i = 0; i < 20; i++) taken.push(await addresses.take(id))
  assert.ok(taken.every(({ index, address }) => address === `address ${index}`))
  assert.equal(new Set(taken.map(({ index }) => index)).size, 20)
})

test('indexes begin far above those of a wallet, and elsewhere for each service with the key', async t => {
  const other = await startTestApi()
  t.after(() => other.close())
  const viewingKey = testViewingKey(++keys)
  const first = async ({ merchant, store }: TestApi) => {
    const { account } = await merchant({ viewingKey })
    return store.write(rows => rows.viewingKeys.reserve(account.viewingKeyId!, 1))
  }
  const [here, there] = await Promise.all([first(api), first(other)])
  for (const index of [here, there]) assert.ok(index >= 2n ** 40n && index < 2n ** 49n, `${index}`)
  assert.notEqual(here, there)
})

test('what is kept ready grows with what is asked for, up to 64 at a time', async () => {
  const { id, ranges, make } = await pools()
  const addresses = make()
  await Promise.all(Array.from({ length: 400 }, () => addresses.take(id)))
  assert.equal(ranges[0], 1)
  assert.equal(Math.max(...ranges), 64)
  assert.ok(ranges.length < 20, `${ranges.length} ranges for 400 addresses`)
})

test('the next address is derived before anybody asks for it', async () => {
  const { id, ranges, make } = await pools()
  await make().take(id)
  await until('the next address', () => ranges.length === 2)
})

test('an address given back is handed out again', async () => {
  const { id, make } = await pools()
  const addresses = make()
  const spare = await addresses.take(id)
  addresses.giveBack(id, spare)
  const next = await Promise.all(Array.from({ length: 5 }, () => addresses.take(id)))
  assert.ok(next.some(({ index }) => index === spare.index))
})

test('after a crash the range that was taken is left out, never handed out again', async () => {
  const { id, make } = await pools()
  const first = await make().take(id)
  const second = await make().take(id)
  assert.ok(second.index > first.index)
})

test('a failed derivation fails those who wait, and the next one tries again', async () => {
  const { id, make } = await pools({ failAt: 1 })
  const addresses = make()
  await assert.rejects(addresses.take(id), /the thread is lost/)
  assert.match((await addresses.take(id)).address, /^address \d+$/)
})

test('a key that does not exist is an error, not an endless wait', async () => {
  const { make } = await pools()
  await assert.rejects(make().take(999_999), /viewing key/)
})
