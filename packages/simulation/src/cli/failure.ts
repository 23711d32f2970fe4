import type { Databases, RunResult } from '../run/run.ts'
import { writePlan } from '../run/saved-plan.ts'
import { shrinkFailure } from '../run/shrink-failure.ts'
import { print, showProgress } from './output.ts'
import { startStopwatch } from './stopwatch.ts'

/** Tells a run from its first to its last step. */
export function printStory({ story, seed, steps, setup, tasks, digest, finding }: RunResult): void {
  for (const line of story) print(line)
  const { parts, ...fixed } = setup
  const properties = Object.entries(fixed).map(([name, value]) => `${name} ${value}`)
  print(`\nseed ${seed}: ${steps.length} steps, ${tasks} tasks, digest ${digest}`)
  print(`${properties.join(', ')}, parts ${parts.join(' ') || 'none'}`)
  print(finding ? `FAILED ${finding.message}` : 'every rule held')
}

/** Shrinks a failed run and prints what is left of it. @param save the file for the plan */
export async function printShrunk(
  databases: Databases,
  failed: RunResult,
  { maxRuns, maxSecs }: { readonly maxRuns: number; readonly maxSecs: number },
  save: string | undefined,
): Promise<void> {
  const secsPassed = startStopwatch()
  const bounds = { maxRuns, goesOn: () => secsPassed() < maxSecs }
  const { result, runs } = await shrinkFailure(databases, failed, bounds, count =>
    showProgress(`shrinking: run ${count}`),
  )
  showProgress('')
  const { seed, setup, steps, finding } = result
  print(`\nSeed ${seed}, shrunk from ${failed.steps.length} to ${steps.length} steps in ${runs} runs:\n`)
  printStory(result)
  if (save !== undefined) writePlan(save, { seed, rule: finding!.rule, finding: finding!.message, setup, steps })
  print(`\nreplay: npm run simulate -- ${save === undefined ? `--seed ${seed}` : `--plan ${save}`}`)
}
