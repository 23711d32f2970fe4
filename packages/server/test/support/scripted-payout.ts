import type { Payout, PayoutOrder, PayoutProvider } from '../../src/ports/payout-provider.ts'

export interface ScriptedPayout extends PayoutProvider {
  /** Every order it was called with, oldest first. */
  readonly asked: PayoutOrder[]
  /** The next answers, in order; without one a call fails. */
  readonly answers: (Payout | Error | (() => Promise<Payout>))[]
}

/** A payout provider that answers as it is told to, and keeps what it was called with. */
export function scriptedPayout(): ScriptedPayout {
  const asked: PayoutOrder[] = []
  const answers: ScriptedPayout['answers'] = []
  return {
    name: 'scripted',
    asked,
    answers,
    async pay(order) {
      asked.push(order)
      const answer = answers.shift()
      if (answer === undefined) throw new Error('asked once more than expected')
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer() : answer
    },
  }
}
