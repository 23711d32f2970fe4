import type { Outcome } from './outcome.ts'

/** The coverage of the runs of several seeds, and those that failed. */
export interface Coverage {
  seeds: number
  simulatedSecs: number
  /** In how many seeds each action had an effect. */
  readonly actions: Map<string, number>
  /** In how many seeds each state transition was taken. */
  readonly transitions: Map<string, number>
  /** Failed seeds by the broken rule. */
  readonly failures: Map<string, FailedSeed[]>
}

export interface FailedSeed {
  readonly seed: number
  readonly finding: string
}

export function emptyCoverage(): Coverage {
  return { seeds: 0, simulatedSecs: 0, actions: new Map(), transitions: new Map(), failures: new Map() }
}

export function addOutcome(
  coverage: Coverage,
  { seed, rule, finding, actions, transitions, simulatedSecs }: Outcome,
): void {
  coverage.seeds += 1
  coverage.simulatedSecs += simulatedSecs
  for (const action of actions) increment(coverage.actions, action)
  for (const transition of transitions) increment(coverage.transitions, transition)
  if (rule === null) return
  const failed = coverage.failures.get(rule) ?? []
  failed.push({ seed, finding })
  coverage.failures.set(rule, failed)
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
