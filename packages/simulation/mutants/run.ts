/**
 * Applies one mutant at a time to a copy of the tree and runs the simulation there until a seed fails: `npm run mutants`,
 * or `npm run mutants -- PART` for those with PART in their theme or name. A mutant counts as found only when the seed passes
 * without it. Exits with 1 when a mutant survives. `--record` keeps the results for `npm run evidence`, each as soon as it is
 * known. `--stale` leaves out the mutants whose result is recorded and of the present sources.
 */
import { copyTrees, type Tree } from '../../server/mutants/tree.ts'
import { readMutantRecord, readRecordedSources, writeMutantRecord } from '../src/evidence/records.ts'
import { mutantFingerprints } from '../src/evidence/sources.ts'
import { MUTANTS } from './list.ts'
import type { Mutant } from './mutant.ts'
import { type SimulationResult, simulate } from './simulate.ts'

const BASE_SEED = 1
/** Seeds that must pass without a mutant before the first one is applied. */
const CLEAN_SEEDS = 200
/** Mutants at a time. */
const CONCURRENCY = 2

interface Outcome {
  readonly result: SimulationResult
  readonly secs: number
}

const RECORD = '--record'
const STALE = '--stale'
const args = process.argv.slice(2)
const parts = args.filter(part => part !== RECORD && part !== STALE)
const fingerprintOf = mutantFingerprints()
const fingerprints = new Map(MUTANTS.map(mutant => [mutant, fingerprintOf(mutant)]))
const named = MUTANTS.filter(({ name, theme }) => parts.every(part => `${theme}: ${name}`.includes(part)))
if (named.length === 0) fail('no mutant has this name')
const recorded = readRecordedSources().mutants
const selected = named.filter(mutant => !args.includes(STALE) || recorded[mutant.name] !== fingerprints.get(mutant))
if (selected.length === 0) {
  print('every result is of the present sources')
  process.exit(0)
}
const trees = copyTrees(Math.min(CONCURRENCY, selected.length))

const clean = await simulate(trees[0]!.path, { first: BASE_SEED, count: CLEAN_SEEDS })
if (clean.kind !== 'passed') fail(`the simulation fails without a mutant: ${describe(clean)}`)
print(`${CLEAN_SEEDS} seeds from ${BASE_SEED} on pass without a mutant`)

const queue = [...selected]
const outcomes = new Map<Mutant, Outcome>()
await Promise.all(trees.map(work))
printTable()
const found = [...outcomes.values()].filter(({ result }) => result.kind === 'failed').length
print(`\n${found} of ${selected.length} found`)
process.exit(found === selected.length ? 0 : 1)

async function work(tree: Tree): Promise<void> {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const startedAt = performance.now()
    const result = await runMutant(tree, mutant)
    const outcome = { result, secs: (performance.now() - startedAt) / 1000 }
    outcomes.set(mutant, outcome)
    printOutcome(mutant, outcome)
    if (args.includes(RECORD)) record()
  }
}

async function runMutant(tree: Tree, mutant: Mutant): Promise<SimulationResult> {
  const restore = tree.mutate(mutant)
  const mutated = await simulate(tree.path, { first: BASE_SEED, count: mutant.withinSeeds, needs: mutant.needs })
  restore()
  if (mutated.kind !== 'failed' || mutated.seed < BASE_SEED + CLEAN_SEEDS) return mutated
  const unmutated = await simulate(tree.path, { first: mutated.seed, count: 1 })
  if (unmutated.kind === 'passed') return mutated
  return { kind: 'broken', reason: `seed ${mutated.seed} also fails without the mutant: ${describe(unmutated)}` }
}

function printOutcome({ name, withinSeeds }: Mutant, { result, secs }: Outcome): void {
  const mark = { failed: 'found   ', passed: 'SURVIVED', broken: 'BROKEN  ' }[result.kind]
  const seeds = result.kind === 'failed' ? `seed ${result.seed}, ${result.seed - BASE_SEED + 1} of at most ` : ''
  print(`${mark} ${name} (${seeds}${withinSeeds} seeds, ${secs.toFixed(1)} s)`)
  if (result.kind !== 'passed') print(`         ${describe(result)}`)
}

/** Keeps the results of this run, and the recorded ones of the other mutants of the list. */
function record(): void {
  const earlier = readMutantRecord() ?? {}
  const seeds = MUTANTS.flatMap(mutant => {
    const result = outcomes.get(mutant)?.result
    if (!result) return mutant.name in earlier ? [[mutant.name, earlier[mutant.name]]] : []
    return [[mutant.name, result.kind === 'failed' ? result.seed - BASE_SEED + 1 : null]]
  })
  const sources = [...outcomes.keys()].map(mutant => [mutant.name, fingerprints.get(mutant)!])
  writeMutantRecord(Object.fromEntries(seeds), Object.fromEntries(sources))
}

function printTable(): void {
  print('\n| theme | mutant | seeds at most | found by seed | seconds | finding |\n|---|---|---|---|---|---|')
  for (const mutant of selected) {
    const { result, secs } = outcomes.get(mutant)!
    const seed = result.kind === 'failed' ? result.seed : 'not found'
    const finding = describe(result).replaceAll('|', '\\|')
    print(`| ${mutant.theme} | ${mutant.name} | ${mutant.withinSeeds} | ${seed} | ${secs.toFixed(1)} | ${finding} |`)
  }
}

/** The first line of the finding, or why there is no finding. */
function describe(result: SimulationResult): string {
  if (result.kind === 'passed') return ''
  if (result.kind === 'broken') return result.reason.replaceAll(/\s+/g, ' ')
  return result.finding.trim().split('\n', 1)[0] ?? ''
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
