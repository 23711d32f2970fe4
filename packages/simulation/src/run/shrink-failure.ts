import { PARTS } from '../parts/parts.ts'
import { readCatalogue } from './catalogue.ts'
import { type Databases, type Plan, type RunResult, run } from './run.ts'
import { shrink } from './shrink.ts'

/** How much a shrink may cost. */
export interface ShrinkBounds {
  readonly maxRuns: number
  /** Asked before each run: whether there is time for it. */
  readonly goesOn: () => boolean
}

/** A failure in its smallest form. */
export interface ShrunkFailure {
  readonly result: RunResult
  /** How many runs it took. */
  readonly runs: number
}

/** The broken rule; of an error with a stack, also its first line without ids and numbers. */
function kindOf({ finding }: RunResult): string | undefined {
  if (!finding?.message.includes('\n    at ')) return finding?.rule
  return finding.message.split('\n', 1)[0]!.replaceAll(/\b[0-9a-f]{4,}\b|\d+/g, '…')
}

/** Shrinks a failed run. The smaller runs break the same rule. */
export async function shrinkFailure(
  databases: Databases,
  failed: RunResult,
  { maxRuns, goesOn }: ShrinkBounds,
  onRun: (runs: number) => void = () => {},
): Promise<ShrunkFailure> {
  const optional = new Set(PARTS.filter(({ probability }) => probability < 1).map(({ name }) => name))
  const { actions } = readCatalogue(databases)
  const partOfAction = new Map(actions.map(({ name, part }) => [name, part]))
  let best = failed
  let runs = 0
  await shrink(failed, {
    async fails(plan: Plan) {
      onRun(++runs)
      const result = await run(databases, plan)
      if (kindOf(result) !== kindOf(failed)) return false
      best = result
      return true
    },
    partOf(action) {
      const part = partOfAction.get(action)
      return part !== undefined && optional.has(part) ? part : undefined
    },
    goesOn: () => runs < maxRuns && goesOn(),
  })
  return { result: best, runs }
}
