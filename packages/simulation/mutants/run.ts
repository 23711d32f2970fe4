/**
 * Applies one mutant at a time to a copy of the tree, and checks that its test fails and that a seed of the simulation fails:
 * `npm run mutants`, or `npm run mutants -- PART` for those with PART in their theme or name. `--tests` leaves out the
 * simulation, and `--simulation` the tests. With `--tested` the tests do not run without a mutant first, because they have
 * just passed. `--killed FOLDER` keeps there which mutants a test has killed, and leaves them out until the mutant, its file or
 * its test changes. Exits with 1 when a mutant survives.
 */
import { parseArgs } from 'node:util'
import { KilledMutants } from './killed.ts'
import { MUTANTS } from './list.ts'
import { isSimulated, isTested, type Mutant, selectMutants } from './mutant.ts'
import { describe, requireCleanSeeds, simulateMutant } from './simulate.ts'
import { requirePassingTests, testMutant } from './tests.ts'
import { copyTrees, inTrees } from './tree.ts'

const USAGE = 'npm run mutants -- [--tests | --simulation] [--tested] [--killed FOLDER] [PART …]'

const { values: options, positionals: parts } = readArguments()
const selected = selectMutants(MUTANTS, parts)
const killed = options.killed === undefined ? null : new KilledMutants(options.killed)
const allTested = options.simulation ? [] : selected.filter(isTested)
const tested = allTested.filter(mutant => !killed?.has(mutant))
const simulated = options.tests ? [] : selected.filter(isSimulated)
if (allTested.length + simulated.length === 0) {
  console.error(`no mutant has ${parts.join(' and ')} in its theme or name`)
  process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        tests: { type: 'boolean' },
        simulation: { type: 'boolean' },
        tested: { type: 'boolean' },
        killed: { type: 'string' },
      },
    })
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}

/** Tests at a time, when no simulation runs: they wait for databases and time limits. */
const TEST_CONCURRENCY = 3

const counts = { found: 0, survived: 0, skipped: 0 }
const trees = copyTrees(simulated.length > 0 ? undefined : TEST_CONCURRENCY)

if (!options.tested) await requirePassingTests(trees, tested)
await inTrees(trees, tested, async (tree, mutant) => {
  const secsPassed = startWatch()
  const outcome = await testMutant(tree, mutant)
  if (outcome === 'found') killed?.add(mutant)
  report(mutant, outcome, `tests, ${secsPassed()} s`)
})

if (simulated.length > 0) await requireCleanSeeds(trees[0]!)
await inTrees(trees, simulated, async (tree, mutant) => {
  const secsPassed = startWatch()
  const result = await simulateMutant(tree, mutant)
  const outcome = result.kind === 'failed' ? 'found' : 'survived'
  report(mutant, outcome, `${describe(result)}; at most ${mutant.withinSeeds} seeds, ${secsPassed()} s`)
})

const { found, survived, skipped } = counts
const known = allTested.length - tested.length
const leftOut = known === 0 ? '' : `, ${known} left out: killed before, and nothing of them has changed`
process.stdout.write(`\n${found} found, ${survived} survived, ${skipped} skipped${leftOut}\n`)
process.exit(survived > 0 ? 1 : 0)

function report({ name }: Mutant, outcome: keyof typeof counts, detail: string): void {
  counts[outcome] += 1
  const mark = outcome === 'survived' ? 'SURVIVED' : outcome.padEnd('SURVIVED'.length)
  process.stdout.write(`${mark} ${name} (${detail})\n`)
}

function startWatch(): () => string {
  const startedAt = performance.now()
  return () => ((performance.now() - startedAt) / 1000).toFixed(1)
}
