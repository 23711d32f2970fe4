import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coalesce as coalesceWithin } from '../../../src/workers/chain/coalesce.ts'

/** Coalesces items without a size. */
const coalesce = <T>(source: AsyncIterable<T>, maxItems: number) =>
  coalesceWithin(source, { maxItems, maxBytes: 1, bytesOf: () => 0 })

/** A source that yields given items and counts how many were read. */
function sourceOf<T>() {
  const items: (T | 'end' | Error)[] = []
  let notify = () => {}
  const state = { read: 0, ended: false }
  async function* source(): AsyncGenerator<T> {
    try {
      for (;;) {
        const item = items.shift()
        if (item === 'end') return
        if (item instanceof Error) throw item
        if (item === undefined) await new Promise<void>(resolve => (notify = resolve))
        else {
          state.read++
          yield item
        }
      }
    } finally {
      state.ended = true
    }
  }
  const push = (...more: (T | 'end' | Error)[]) => {
    items.push(...more)
    notify()
  }
  return { source: source(), push, state }
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

test('yields all items that have arrived in one batch, then waits for more', async () => {
  const { source, push } = sourceOf<number>()
  const batches = coalesce(source, 10)
  push(1, 2, 3)
  assert.deepEqual((await batches.next()).value, [1])
  await nextTurn()
  assert.deepEqual((await batches.next()).value, [2, 3])
  const waiting = batches.next()
  push(4)
  assert.deepEqual((await waiting).value, [4])
  push(5, 'end')
  assert.deepEqual((await batches.next()).value, [5])
  assert.equal((await batches.next()).done, true)
})

test('pauses the source at the limit while no batch is taken', async () => {
  const { source, push, state } = sourceOf<number>()
  const batches = coalesce(source, 3)
  push(...Array.from({ length: 100 }, (_, i) => i))
  await batches.next()
  await nextTurn()
  assert.ok(state.read <= 4, `${state.read}`)
  assert.equal((await batches.next()).value!.length, 3)
  await batches.return()
})

test('pauses the source when as many bytes wait as a batch may have', async () => {
  const { source, push, state } = sourceOf<number>()
  const batches = coalesceWithin(source, { maxItems: 100, maxBytes: 1_000, bytesOf: bytes => bytes })
  push(1, ...Array.from({ length: 50 }, () => 300))
  await batches.next()
  await nextTurn()
  assert.ok(state.read <= 6, `${state.read}`)
  assert.deepEqual((await batches.next()).value, [300, 300, 300, 300])
  await nextTurn()
  assert.deepEqual((await batches.next()).value, [300, 300, 300, 300])
  push(5_000)
  await batches.return()
})

test('an item larger than a batch is yielded', async () => {
  const { source, push } = sourceOf<number>()
  const batches = coalesceWithin(source, { maxItems: 9, maxBytes: 1_000, bytesOf: bytes => bytes })
  push(5_000, 5_000, 'end')
  assert.deepEqual((await batches.next()).value, [5_000])
  assert.deepEqual((await batches.next()).value, [5_000])
  assert.equal((await batches.next()).done, true)
})

test('yields the items before a failure, then throws it', async () => {
  const { source, push } = sourceOf<number>()
  const batches = coalesce(source, 10)
  push(1, new Error('broken'))
  assert.deepEqual((await batches.next()).value, [1])
  await assert.rejects(batches.next(), /broken/)
})

test('ends the source when the consumer returns', async () => {
  const { source, push, state } = sourceOf<number>()
  const batches = coalesce(source, 2)
  push(1, 2, 3, 4)
  await batches.next()
  await batches.return()
  push(5)
  await nextTurn()
  assert.ok(state.ended)
})

test('every item is yielded once and in order, independent of timing', async () => {
  const { source, push } = sourceOf<number>()
  const taken: number[] = []
  const taking = (async () => {
    for await (const batch of coalesce(source, 4)) {
      taken.push(...batch)
      if (taken.length % 3 === 0) await nextTurn()
    }
  })()
  for (let i = 0; i < 200; i++) {
    push(i)
    if (i % 7 === 0) await nextTurn()
  }
  push('end')
  await taking
  assert.deepEqual(
    taken,
    Array.from({ length: 200 }, (_, i) => i),
  )
})
