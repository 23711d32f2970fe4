import { Counter, type Registry } from 'prom-client'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the metrics of sign-in. */
export function createSignInMetrics(
  registry: Registry,
): Pick<Metrics, 'wrongCode' | 'signInBudgetSpent' | 'codesDropped'> {
  const registers = [registry]
  const wrongCodes = new Counter({
    name: 'zatgate_sign_in_wrong_codes_total',
    help: 'Wrong codes that were entered to sign in.',
    registers,
  })
  const spent = new Counter({
    name: 'zatgate_sign_in_budgets_spent_total',
    help:
      'Budgets of sign-in that were spent before the end of their hour, or for wrong_codes their day. While wrong_codes ' +
      'is spent, unknown browsers get codes of ten digits.',
    labelNames: ['budget'],
    registers,
  })
  const dropped = new Counter({
    name: 'zatgate_sign_in_codes_dropped_total',
    help: 'Requested codes that were not mailed because the budget was spent.',
    labelNames: ['budget'],
    registers,
  })
  return {
    wrongCode: () => wrongCodes.inc(),
    signInBudgetSpent: budget => spent.labels(budget).inc(),
    codesDropped: (budget, codes) => dropped.labels(budget).inc(codes),
  }
}
