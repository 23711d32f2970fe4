import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTANTS } from '../../mutants/list.ts'
import { isSimulated, selectMutants } from '../../mutants/mutant.ts'
import { describe, requireCleanSeeds, seedsUntil, simulateMutant } from '../../mutants/simulate.ts'
import { copyTrees, inTrees } from '../../mutants/tree.ts'
import { runSeeds } from '../cli/many.ts'
import type { EvidenceOptions } from '../cli/options.ts'
import { print } from '../cli/output.ts'
import { startStopwatch, today } from '../cli/stopwatch.ts'
import { RULES } from '../rules.ts'
import { readCatalogue } from '../run/catalogue.ts'
import { openDatabases } from '../run/databases.ts'
import { readFixedDefects } from './defects.ts'
import { evidenceDocument } from './document.ts'
import { currentCommit, type Measured, type Measurement, readMeasured, writeMeasured } from './measured.ts'

/** The path of the document. */
export const EVIDENCE_FILE = join(import.meta.dirname, '../../../../docs/evidence.md')

/**
 * Runs the seeds and then the mutants. Writes the document when every rule held; prints it when only some of the mutants
 * are asked for. A broken rule ends neither: a run takes hours. Returns the exit code: 1 when a rule was broken or a
 * mutant was not found.
 */
export async function makeEvidence(options: EvidenceOptions): Promise<number> {
  const commit = currentCommit()
  const mutants = selectMutants(MUTANTS, options.mutants).filter(isSimulated)
  const earlier = options.resumes ? readMeasured(commit) : null
  const seeds = earlier?.seeds ?? (await measureSeeds(options))
  let measured: Measured = { commit, seeds, mutants: earlier?.mutants ?? {} }
  writeMeasured(measured)
  const left = mutants.filter(({ name }) => measured.mutants[name] === undefined)
  print(`${left.length} mutants`)
  const trees = left.length > 0 ? copyTrees() : []
  if (trees[0]) await requireCleanSeeds(trees[0])
  await inTrees(trees, left, async (tree, mutant) => {
    const result = await simulateMutant(tree, mutant)
    print(`${mutant.name}: ${describe(result)}`)
    measured = { ...measured, mutants: { ...measured.mutants, [mutant.name]: seedsUntil(result) } }
    writeMeasured(measured)
  })
  if (seeds.broken.length > 0) {
    print(`rules were broken in ${seeds.broken.length} seeds, the document stays as it is`)
    for (const { seed, finding } of seeds.broken) print(`seed ${seed}: ${finding}`)
    return 1
  }
  const text = evidenceDocument({
    rules: RULES,
    catalogue: readCatalogue(await openDatabases()),
    date: today(),
    measured,
    mutants,
    defects: readFixedDefects(),
  })
  if (options.mutants.length > 0) print(text)
  else writeFileSync(EVIDENCE_FILE, text)
  return mutants.every(({ name }) => measured.mutants[name] !== null) ? 0 : 1
}

async function measureSeeds({ first, seeds, jobs }: EvidenceOptions): Promise<Measurement> {
  print(`${seeds} seeds from ${first} on, in ${jobs} processes`)
  const secsPassed = startStopwatch()
  const coverage = await runSeeds(
    { first, seeds, minutes: null, jobs, stops: false, needs: [] },
    secsPassed,
    ({ seed, finding }) => print(`seed ${seed}: ${finding}`),
  )
  const broken = [...coverage.failures.values()].flat()
  print(
    `${broken.length === 0 ? 'every rule held' : `${broken.length} seeds broke a rule`}, in ${Math.round(secsPassed())} s`,
  )
  return {
    first,
    count: coverage.seeds,
    secs: Math.round(secsPassed()),
    broken,
    simulatedHours: Math.round(coverage.simulatedSecs / 3600),
    actions: Object.fromEntries(coverage.actions),
    transitions: Object.fromEntries(coverage.transitions),
  }
}
