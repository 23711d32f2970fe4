import type { Payout, PayoutOrder, PayoutProvider } from '../../src/ports/payout-provider.ts'

export interface ScriptedPayout extends PayoutProvider {
  /** All orders it was called with, oldest first. */
  readonly asked: PayoutOrder[]
  /** The next results, in order. A call without one fails. */
  readonly answers: (Payout | Error | (() => Promise<Payout>))[]
}

/** A payout provider that returns scripted results and records its calls. */
export function scriptedPayout(): ScriptedPayout {
  const asked: PayoutOrder[] = []
  const answers: ScriptedPayout['answers'] = []
  return {
    name: 'scripted',
    asked,
    answers,
    async pay(order) {
      asked.push(order)
      const result = answers.shift()
      if (result === undefined) throw new Error('called more often than expected')
      if (result instanceof Error) throw result
      return typeof result === 'function' ? result() : result
    },
  }
}
