import type { PayoutProvider, PayoutRequest, PayoutResult } from '../../src/ports/payout-provider.ts'

export interface ScriptedPayout extends PayoutProvider {
  /** All orders it was called with, oldest first. */
  readonly calls: PayoutRequest[]
  /** The next results, in order. A call without one fails. */
  readonly results: (PayoutResult | Error | (() => Promise<PayoutResult>))[]
}

/** A payout provider that returns scripted results and records its calls. */
export function scriptedPayout(): ScriptedPayout {
  const calls: PayoutRequest[] = []
  const results: ScriptedPayout['results'] = []
  return {
    name: 'scripted',
    calls,
    results,
    async pay(order) {
      calls.push(order)
      const result = results.shift()
      if (result === undefined) throw new Error('called more often than expected')
      if (result instanceof Error) throw result
      return typeof result === 'function' ? result() : result
    },
  }
}
