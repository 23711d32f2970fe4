import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { actionId, type KeysOfScan, ScanCache } from '../../../src/adapters/zcash/scan-cache.ts'
import type { ScanKey } from '../../../src/ports/note-scanner.ts'

const key = (id: number, fill = id): ScanKey => ({ id, incoming: new Uint8Array(64).fill(fill) })
const note = (viewingKeyId: number) => ({ viewingKeyId, valueZat: 5n, diversifierIndex: BigInt(viewingKeyId) })

/** The ids of the keys that must be tried on an action, and of those whose notes are known. */
function plan(cache: ScanCache, action: string, keys: readonly ScanKey[]) {
  return planned(cache, action, cache.begin(keys))
}

function planned(cache: ScanCache, action: string, scan: KeysOfScan) {
  const known = cache.lookup(action, scan)
  return {
    scan,
    untried: cache.untried(scan, known.scan).map(({ id }) => id),
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

test('a later scan without a key does not hide the key from one that began before and asks after it', () => {
  const cache = new ScanCache(10)
  const early = cache.begin([key(1), key(2)])
  const late = plan(cache, 'a', [key(1)])
  cache.store('a', late.scan, [note(1)])
  const asked = planned(cache, 'a', early)
  assert.deepEqual([asked.untried, asked.found], [[2], [1]])
})

test('over any order of scans, every key has been tried on every action that it is said to be', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('begin' as const), ids: fc.uniqueArray(fc.integer({ min: 1, max: 4 })) }),
      fc.record({ do: fc.constant('ask' as const), scan: fc.nat(5), action: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('end' as const), task: fc.nat(5) }),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, all => {
      const cache = new ScanCache(10)
      const tried = new Set<string>()
      const begun: KeysOfScan[] = []
      const running: (() => void)[] = []
      for (const step of all) {
        if (step.do === 'begin') begun.push(cache.begin(step.ids.map(id => key(id))))
        if (step.do === 'end') running.splice(step.task % (running.length || 1), 1)[0]?.()
        const scan = step.do === 'ask' ? begun.at(-1 - step.scan) : undefined
        if (step.do !== 'ask' || scan === undefined) continue
        const { action } = step
        const { untried } = planned(cache, action, scan)
        const ids = scan.keys.map(({ id }) => id)
        for (const id of ids)
          if (!untried.includes(id)) assert.ok(tried.has(`${action}${id}`), `${action} with key ${id}`)
        running.push(() => {
          for (const id of ids) tried.add(`${action}${id}`)
          cache.store(action, scan, [])
        })
      }
    }),
    { numRuns: 2_000 },
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
