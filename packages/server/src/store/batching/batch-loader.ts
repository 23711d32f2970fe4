import { setImmediate as nextTurn } from 'node:timers/promises'
import { overloaded } from '../limits.ts'

interface Call<In, Out> {
  readonly item: In
  readonly resolve: (answer: Out) => void
  readonly reject: (error: unknown) => void
}

export interface GatherLimits {
  /** Items answered together. */
  readonly batch: number
  /** Items that wait; beyond, a caller is turned away. */
  readonly waiting: number
}

/**
 * Collects the calls of one turn of the event loop, and those that come while the last are being answered, and answers
 * them all at once. Every call is answered by work that began after it was made.
 *
 * @param all Gives an answer for each item, in their order. When it fails, so do all the calls.
 */
export function gather<In, Out>(
  all: (items: readonly In[]) => Promise<readonly Out[]>,
  { batch, waiting }: GatherLimits,
): (item: In) => Promise<Out> {
  const line: Call<In, Out>[] = []
  let answering = false

  async function answerAll(): Promise<void> {
    do {
      await nextTurn()
      await answer(line.splice(0, batch))
    } while (line.length > 0)
    answering = false
  }

  async function answer(calls: readonly Call<In, Out>[]): Promise<void> {
    try {
      const answers = await all(calls.map(call => call.item))
      calls.forEach((call, at) => {
        call.resolve(answers[at] as Out)
      })
    } catch (error) {
      for (const call of calls) call.reject(error)
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      if (line.length >= waiting) return reject(overloaded())
      line.push({ item, resolve, reject })
      if (answering) return
      answering = true
      void answerAll()
    })
}
