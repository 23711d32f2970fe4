import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { actionId, ScanCache, untriedKeys } from '../../../src/adapters/zcash/scan-cache.ts'
import type { ScanKey } from '../../../src/ports/note-scanner.ts'

const key = (id: number, fill = id): ScanKey => ({ id, incoming: new Uint8Array(64).fill(fill) })
const note = (viewingKeyId: number) => ({ viewingKeyId, valueZat: 5n, diversifierIndex: BigInt(viewingKeyId) })

/** The ids of the keys that must be tried on an action, and of those whose notes are known. */
function plan(cache: ScanCache, action: string, keys: readonly ScanKey[]) {
  const scan = cache.begin(keys)
  const known = cache.lookup(action, scan)
  return {
    scan,
    untried: untriedKeys(scan, known.scan).map(({ id }) => id),
    found: known.notes.map(({ viewingKeyId }) => viewingKeyId),
  }
}

test('a key is tried once on an action, and its notes are known afterwards', () => {
  const cache = new ScanCache(10)
  const first = plan(cache, 'a', [key(1), key(2)])
  assert.deepEqual([first.untried, first.found], [[1, 2], []])
  cache.store('a', first.scan, [note(2)])
  const second = plan(cache, 'a', [key(1), key(2), key(3)])
  assert.deepEqual([second.untried, second.found], [[3], [2]])
  assert.deepEqual(plan(cache, 'b', [key(1)]).untried, [1])
})

test('a key is tried again when a scan was without it, or when its id has other bytes', () => {
  const cache = new ScanCache(10)
  cache.store('a', plan(cache, 'a', [key(1), key(2)]).scan, [note(1), note(2)])
  cache.store('b', plan(cache, 'b', [key(2)]).scan, [])
  const back = plan(cache, 'b', [key(1), key(2)])
  assert.deepEqual(back.untried, [1])
  const changed = plan(cache, 'a', [key(1), key(2, 9)])
  assert.deepEqual([changed.untried, changed.found], [[1, 2], []])
})

test('the result of a scan that ends after a later one began does not hide a key that it did not have', () => {
  const cache = new ScanCache(10)
  const early = plan(cache, 'a', [key(1)])
  const late = plan(cache, 'a', [key(1), key(2)])
  cache.store('a', late.scan, [note(2)])
  cache.store('a', early.scan, [])
  assert.deepEqual(plan(cache, 'a', [key(1), key(2)]).untried, [2])
})

test('after clear nothing is known, also of scans that end later', () => {
  const cache = new ScanCache(10)
  const running = plan(cache, 'a', [key(1)])
  cache.clear()
  cache.store('a', running.scan, [note(1)])
  const next = plan(cache, 'a', [key(1)])
  assert.deepEqual([next.untried, next.found], [[1], []])
})

test('the oldest actions are forgotten', () => {
  const cache = new ScanCache(2)
  const { scan } = plan(cache, 'a', [key(1)])
  for (const action of ['a', 'b', 'c']) cache.store(action, scan, [])
  assert.deepEqual(
    ['a', 'b', 'c'].map(action => plan(cache, action, [key(1)]).untried.length),
    [1, 0, 0],
  )
})

test('over any order of scans, every key has been tried on every action that it is said to be', () => {
  const scans = fc.array(
    fc.record({
      action: fc.constantFrom('a', 'b'),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
      ends: fc.nat(3),
    }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(scans, steps => {
      const cache = new ScanCache(10)
      const tried = new Set<string>()
      const running: (() => void)[] = []
      for (const { action, ids, ends } of steps) {
        const { scan, untried } = plan(
          cache,
          action,
          ids.map(id => key(id)),
        )
        for (const id of ids)
          if (!untried.includes(id)) assert.ok(tried.has(`${action}${id}`), `${action} with key ${id}`)
        running.push(() => {
          for (const id of ids) tried.add(`${action}${id}`)
          cache.store(action, scan, [])
        })
        // Scans end in any order.
        if (running.length > ends) running.splice(ends % running.length, 1)[0]!()
      }
    }),
  )
})

test('every byte of an action, and its pool, make its id', () => {
  const action = {
    nullifier: new Uint8Array(32),
    cmx: new Uint8Array(32),
    ephemeralKey: new Uint8Array(32),
    ciphertext: new Uint8Array(52),
  }
  const ids = new Set([actionId('orchard', action), actionId('ironwood', action)])
  for (const field of ['nullifier', 'cmx', 'ephemeralKey', 'ciphertext'] as const)
    for (let i = 0; i < action[field].length; i++)
      ids.add(actionId('orchard', { ...action, [field]: action[field].with(i, 1) }))
  assert.equal(ids.size, 2 + 148)
})
