import type { RunResult } from './run.ts'

/** The result of a seed as the processes exchange it. */
export interface Outcome {
  readonly seed: number
  /** The broken rule; null when every rule held. */
  readonly rule: string | null
  /** The rule and what broke it; empty when every rule held. */
  readonly finding: string
  /** Names of the actions that had an effect. */
  readonly actions: readonly string[]
  readonly transitions: readonly string[]
  readonly tasks: number
  readonly simulatedSecs: number
  readonly digest: string
}

const MAX_FINDING_CHARS = 4_000

export function outcomeOf({ seed, finding, actions, transitions, tasks, simulatedSecs, digest }: RunResult): Outcome {
  return {
    seed,
    rule: finding?.rule ?? null,
    finding: finding?.message.slice(0, MAX_FINDING_CHARS) ?? '',
    actions: [...actions],
    transitions: [...transitions],
    tasks,
    simulatedSecs,
    digest,
  }
}

/** The rule of a run that does not come to an end, or ends its process. */
export const RUN_DOES_NOT_END = 'a run comes to an end'

/** The outcome of a seed whose process had to be ended, or ended by itself. */
export function brokenOutcome(seed: number, detail: string): Outcome {
  return {
    seed,
    rule: RUN_DOES_NOT_END,
    finding: `${RUN_DOES_NOT_END}: ${detail}`,
    actions: [],
    transitions: [],
    tasks: 0,
    simulatedSecs: 0,
    digest: '',
  }
}
