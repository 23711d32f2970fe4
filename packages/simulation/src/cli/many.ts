import { readCatalogue } from '../run/catalogue.ts'
import { addOutcome, type Coverage, emptyCoverage, type FailedSeed } from '../run/coverage.ts'
import { openDatabases } from '../run/databases.ts'
import { RUN_DOES_NOT_END } from '../run/outcome.ts'
import { reportLines } from '../run/report.ts'
import { type Databases, hasAll, planOf, run, WORLD_FEATURES } from '../run/run.ts'
import { printShrunk } from './failure.ts'
import { type Many, type Output, UsageError } from './options.ts'
import { print, showProgress } from './output.ts'
import { runInProcesses } from './pool.ts'
import { startStopwatch } from './stopwatch.ts'

/** For each broken rule. */
const SHRINK_BOUNDS = { maxRuns: 500, maxSecs: 60 }
/** Rules whose first failure is shrunk. */
const MAX_SHRUNK = 5

/** Runs many seeds and reports on them. Returns the exit code. */
export async function simulateMany(options: Many & Output): Promise<number> {
  const { first, minutes, jobs, json } = options
  if (!json && minutes !== null) print(`from seed ${first} on, for ${minutes} min, in ${jobs} processes`)
  const secsPassed = startStopwatch()
  const coverage = await runSeeds(options, secsPassed, failure => {
    if (json) print(JSON.stringify(failure))
  })
  const secs = secsPassed()
  const failed = [...coverage.failures.values()].reduce((sum, list) => sum + list.length, 0)
  if (json) {
    const { seeds, simulatedSecs } = coverage
    print(JSON.stringify({ first, seeds, failed, secs: Math.round(secs), simulatedSecs }))
  } else {
    const databases = await openDatabases()
    for (const line of reportLines(coverage, readCatalogue(databases), first, secs)) print(line)
    await shrinkFailures(databases, coverage, options)
  }
  return failed > 0 ? 1 : 0
}

/** Runs the seeds in child processes. */
export async function runSeeds(
  { first, seeds, minutes, jobs, stops, needs }: Many,
  secsPassed: () => number,
  onFailure: (failure: FailedSeed) => void,
): Promise<Coverage> {
  const coverage = emptyCoverage()
  const maxSecs = minutes === null ? Number.POSITIVE_INFINITY : minutes * 60
  await runInProcesses({
    seeds: seedsFrom(first, seeds ?? Number.MAX_SAFE_INTEGER - first, needs),
    jobs,
    goesOn: () => secsPassed() < maxSecs,
    onOutcome(outcome) {
      addOutcome(coverage, outcome)
      const { seed, rule, finding } = outcome
      if (rule !== null) onFailure({ seed, finding })
      showProgress(`seed ${seed}, rules broken: ${coverage.failures.size}`)
      return rule === null || !stops
    },
  })
  showProgress('')
  return coverage
}

/** The seeds whose world has what is needed. @throws UsageError when no world has it */
function* seedsFrom(first: number, count: number, needs: readonly string[]): Generator<number> {
  const unknown = needs.find(name => !WORLD_FEATURES.includes(name))
  if (unknown !== undefined) throw new UsageError(`--with knows ${WORLD_FEATURES.join(', ')}; not ${unknown}`)
  for (let seed = first; seed < first + count; seed++) if (hasAll(planOf(seed).setup, needs)) yield seed
}

/** Shrinks the first failure of each rule. */
async function shrinkFailures(databases: Databases, { failures }: Coverage, { shrinks, save }: Output): Promise<void> {
  if (!shrinks) return
  let file = save
  for (const [rule, [failed]] of [...failures].slice(0, MAX_SHRUNK)) {
    if (!failed || rule === RUN_DOES_NOT_END) continue
    await printShrunk(databases, await run(databases, planOf(failed.seed)), SHRINK_BOUNDS, file)
    file = undefined
  }
}
