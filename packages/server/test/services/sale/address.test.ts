import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import type { NoteScanner } from '../../../src/ports/note-scanner.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createDatabaseIdentity } from '../../../src/services/database-identity.ts'
import { type Addresses, createAddresses } from '../../../src/services/sale/address.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { reserveIndexes } from '../../harness/fixtures.ts'
import { silentLog } from '../../harness/log.ts'
import { withRepositories } from '../../harness/tx.ts'
import { until } from '../../harness/until.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

let api: TestApi
let keys = 0
before(async () => {
  api = await startTestApi()
})
after(() => api.close())

/**
 * Records the origin of each address, the sizes of derivations, and the reserved ranges.
 * @param options `ahead`: the key is one of those that were used last
 */
async function createTestAddresses(options: { failAt?: number; gate?: Promise<void>; ahead?: boolean } = {}) {
  const { account } = await api.merchant({ viewingKey: testViewingKey(++keys) })
  const slices: number[] = []
  const seen = { ranges: 0 }
  const noteScanner: Pick<NoteScanner, 'deriveAddresses'> = {
    async deriveAddresses(_incoming, _network, from, count) {
      slices.push(count)
      if (slices.length === options.failAt) throw new Error('the thread is lost')
      if (slices.length > 2) await options.gate
      return Array.from({ length: count }, (_, offset) => `address ${from + BigInt(offset)}`)
    },
  }
  const vault = { seal: (secret: Uint8Array) => secret, open: (sealed: Uint8Array) => sealed }
  const counting: Store = {
    ...api.store,
    // The other keys of this file are those of other tests.
    read: work =>
      api.store.read(tx => {
        const lastUsed = async () => (options.ahead ? [(await tx.viewingKeys.byId(account.viewingKeyId!))!] : [])
        return work(withRepositories(tx, { viewingKeys: { ...tx.viewingKeys, lastUsed } }))
      }),
    write(work) {
      seen.ranges += 1
      return api.store.write(work)
    },
  }
  const { clock } = api
  const databaseIdentity = createDatabaseIdentity({
    store: counting,
    clock,
    random: systemRandom,
    lateWatchDays: 7,
    log: silentLog,
  })
  const deps = {
    store: counting,
    noteScanner: noteScanner as NoteScanner,
    vault,
    databaseIdentity,
    clock,
    log: silentLog,
  }
  return { id: account.viewingKeyId!, slices, seen, make: () => createAddresses(deps) }
}

test('each index is reserved once, with its own address', async () => {
  const { id, make } = await createTestAddresses()
  const addresses = make()
  const taken = []
  for (let i = 0; i < 20; i++) taken.push(await addresses.reserve(id))
  assert.ok(taken.every(({ index, address }) => address === `address ${index}`))
  assert.equal(new Set(taken.map(({ index }) => index)).size, 20)
})

test('indexes start far above those of a wallet, at a different index for each service with the key', async t => {
  const other = await startTestApi()
  t.after(() => other.close())
  const viewingKey = testViewingKey(++keys)
  const first = async ({ merchant, store }: TestApi) => {
    const { account } = await merchant({ viewingKey })
    return reserveIndexes(store, account.viewingKeyId!, 1)
  }
  const [here, there] = await Promise.all([first(api), first(other)])
  for (const index of [here, there]) assert.ok(index >= 2n ** 40n && index < 2n ** 49n, `${index}`)
  assert.notEqual(here, there)
})

test('the cache grows with demand, and addresses are derived in slices', async () => {
  const { id, slices, seen, make } = await createTestAddresses()
  const addresses = make()
  await Promise.all(Array.from({ length: 400 }, () => addresses.reserve(id)))
  assert.deepEqual(slices.slice(0, 4), [128, 128, 128, 16])
  assert.ok(seen.ranges <= 2, `${seen.ranges} ranges for 400 addresses`)
})

test('a batch that is used up within a second is doubled, a slower one is not', async () => {
  const { id, slices, make } = await createTestAddresses({ ahead: true })
  const addresses = make()
  await addresses.start()
  const useUp = async (secs: number, count: number, derived: number) => {
    api.clock.advance(secs)
    await sell(addresses, id, count)
    await until(`${derived} addresses`, () => slices.reduce((sum, slice) => sum + slice) >= derived)
    assert.equal(
      slices.reduce((sum, slice) => sum + slice),
      derived,
    )
  }
  await useUp(1, 70, 128 + 128)
  await useUp(0.9, 130, 128 + 128 + 256)
  await useUp(1, 200, 128 + 128 + 256 + 256)
})

test('waiting callers get the first addresses of a batch before its last are derived', async () => {
  const gate = Promise.withResolvers<void>()
  const { id, slices, make } = await createTestAddresses({ gate: gate.promise })
  const addresses = make()
  const order: number[] = []
  const taken = Array.from({ length: 400 }, async (_, number) => {
    await addresses.reserve(id)
    order.push(number)
  })
  await until('the gate', () => slices.length === 4)
  assert.deepEqual(slices, [128, 128, 128, 16])
  await until('the first two slices', () => order.length === 256)
  gate.resolve()
  await Promise.all(taken)
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
})

test('the next address is derived before it is requested', async () => {
  const { id, slices, make } = await createTestAddresses()
  await make().reserve(id)
  await until('the next address', () => slices.length === 2)
})

test('a process derives addresses of the keys used last before its first request', async () => {
  const { id, slices, seen, make } = await createTestAddresses({ ahead: true })
  const addresses = make()
  await addresses.start()
  assert.deepEqual(slices, [128])
  const { ranges } = seen
  await Promise.all(Array.from({ length: 64 }, () => addresses.reserve(id)))
  assert.equal(seen.ranges, ranges)
})

test('a released address is reserved again', async () => {
  const { id, make } = await createTestAddresses()
  const addresses = make()
  const reserved = await addresses.reserve(id)
  addresses.release(id, reserved)
  const next = await Promise.all(Array.from({ length: 5 }, () => addresses.reserve(id)))
  assert.ok(next.some(({ index }) => index === reserved.index))
})

test('after a crash the reserved range is skipped and never used again', async () => {
  const { id, make } = await createTestAddresses()
  const first = await make().reserve(id)
  const second = await make().reserve(id)
  assert.ok(second.index > first.index)
})

test('a failed derivation rejects waiting callers, and the next call retries', async () => {
  const { id, make } = await createTestAddresses({ failAt: 1 })
  const addresses = make()
  await assert.rejects(addresses.reserve(id), /the thread is lost/)
  assert.match((await addresses.reserve(id)).address, /^address \d+$/)
})

test('a key that does not exist causes an error, not an endless wait', async () => {
  const { make } = await createTestAddresses()
  await assert.rejects(make().reserve(999_999), /viewing key/)
})

/** As many addresses as one key has available for a burst. */
async function sell(addresses: Addresses, id: number, count: number): Promise<bigint[]> {
  const reserved = await Promise.all(Array.from({ length: count }, () => addresses.reserve(id)))
  assert.ok(reserved.every(({ index, address }) => address === `address ${index}`))
  return reserved.map(({ index }) => index)
}

test('a process that goes on, a crashed one and two that start at once reserve different addresses', async () => {
  const { id, make } = await createTestAddresses({ ahead: true })
  const first = make()
  await first.start()
  const sold = await sell(first, id, 100)
  const [second, third] = [make(), make()]
  await Promise.all([second.start(), third.start()])
  // The second one crashes, and the first one still answers requests.
  sold.push(...(await sell(second, id, 70)), ...(await sell(third, id, 70)), ...(await sell(first, id, 200)))
  const fourth = make()
  await fourth.start()
  sold.push(...(await sell(fourth, id, 200)))
  assert.equal(new Set(sold).size, sold.length)
})

test('a process whose addresses cannot be derived at the start reserves them later', async () => {
  const { id, slices, make } = await createTestAddresses({ ahead: true, failAt: 1 })
  const addresses = make()
  await addresses.start()
  await sell(addresses, id, 3)
  assert.ok(slices.length > 1)
})
