import { setImmediate as nextTurn } from 'node:timers/promises'
import { overloadedError } from '../limits.ts'

interface Call<In, Out> {
  readonly item: In
  readonly resolve: (result: Out) => void
  readonly reject: (error: unknown) => void
}

export interface BatchLimits {
  /** Most items of one batch. */
  readonly maxBatch: number
  /** Most items that wait; further calls are rejected. */
  readonly maxWaiting: number
}

/**
 * Loads items in batches: the calls of one event loop turn, and those made while the previous batch is loading, share
 * one call of `loadAll`. Every result comes from a load that began after its call was made.
 *
 * @param loadAll Resolves with one result for each item, in their order. Its errors reject all calls of the batch.
 * @throws AppError `overloaded` when too many items wait
 */
export function batchLoader<In, Out>(
  loadAll: (items: readonly In[]) => Promise<readonly Out[]>,
  { maxBatch, maxWaiting }: BatchLimits,
): (item: In) => Promise<Out> {
  const queue: Call<In, Out>[] = []
  let running = false

  async function drain(): Promise<void> {
    do {
      await nextTurn()
      await loadBatch(queue.splice(0, maxBatch))
    } while (queue.length > 0)
    running = false
  }

  async function loadBatch(calls: readonly Call<In, Out>[]): Promise<void> {
    try {
      const results = await loadAll(calls.map(call => call.item))
      calls.forEach((call, index) => {
        call.resolve(results[index] as Out)
      })
    } catch (error) {
      for (const call of calls) call.reject(error)
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      if (queue.length >= maxWaiting) return reject(overloadedError())
      queue.push({ item, resolve, reject })
      if (running) return
      running = true
      void drain()
    })
}
