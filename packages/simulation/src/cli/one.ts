import { openDatabases } from '../run/databases.ts'
import { type Plan, planOf, run } from '../run/run.ts'
import { readKeptSeeds, readPlan } from '../run/saved-plan.ts'
import { printShrunk, printStory } from './failure.ts'
import { type Output, UsageError } from './options.ts'
import { print } from './output.ts'

const SHRINK_BOUNDS = { maxRuns: 1_000, maxSecs: 600 }

/** Runs one seed and prints its story. Returns the exit code. */
export function simulateSeed(seed: number, output: Output): Promise<number> {
  return simulate(planOf(seed), output)
}

/** Replays a saved plan and prints its story. Returns the exit code. */
export function simulatePlan(file: string, output: Output): Promise<number> {
  let plan: Plan
  try {
    plan = readPlan(file)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  return simulate(plan, { ...output, shrinks: false })
}

/** Replays a kept seed and prints its story. Returns the exit code. */
export function simulateKept(name: string, output: Output): Promise<number> {
  const plan = readKeptSeeds().find(seed => seed.name === name)
  if (!plan) throw new UsageError(`--kept must be a name in packages/simulation/seeds.jsonl, not ${name}`)
  return simulate(plan, { ...output, shrinks: false })
}

async function simulate(plan: Plan, { json, shrinks, save }: Output): Promise<number> {
  const databases = await openDatabases()
  const result = await run(databases, plan)
  const { seed, finding, digest } = result
  if (json) {
    if (finding) print(JSON.stringify({ seed, finding: finding.message }))
    print(JSON.stringify({ first: seed, seeds: 1, failed: finding ? 1 : 0, digest }))
  } else {
    printStory(result)
    if (finding && shrinks) await printShrunk(databases, result, SHRINK_BOUNDS, save)
  }
  return finding ? 1 : 0
}
