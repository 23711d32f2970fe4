import { SIMULATION_FAILS } from '../src/rules.ts'
import { RUN_DOES_NOT_END } from '../src/run/outcome.ts'
import type { SimulatedMutant } from './mutant.ts'
import { runNode } from './node.ts'
import type { Tree } from './tree.ts'

const SIMULATOR = 'packages/simulation/src/cli.ts'
/** How the simulation reports that it failed itself, or that a run did not end: no judge has found anything. */
const SIMULATOR_ERRORS = [SIMULATION_FAILS, RUN_DOES_NOT_END]
const BASE_SEED = 1
/** Seeds that must pass without a mutant before the first one is applied. */
const CLEAN_SEEDS = 200
/** A mutated service may never come to an end. */
const TIMEOUT_MS = 900_000

interface Seeds {
  /** The first seed. */
  readonly first: number
  readonly count: number
  /** Only the seeds whose world has all of these. */
  readonly needs?: readonly string[] | undefined
}

/** The first seed that fails, and what the judge found. */
interface Failure {
  readonly seed: number
  readonly finding: string
}

/** The result of a run of the simulation. */
type SimulationResult =
  | { readonly kind: 'passed' }
  | ({ readonly kind: 'failed' } & Failure)
  /** The simulator itself failed, or did not end in time. */
  | { readonly kind: 'broken'; readonly reason: string }

/** Runs some seeds without a mutant. @throws Error when one fails */
export async function requireCleanSeeds(tree: Tree): Promise<void> {
  const clean = await simulate(tree, { first: BASE_SEED, count: CLEAN_SEEDS })
  if (clean.kind !== 'passed') throw new Error(`the simulation fails without a mutant: ${describe(clean)}`)
}

/** Looks for a seed that fails with the mutant and passes without it. */
export async function simulateMutant(tree: Tree, mutant: SimulatedMutant): Promise<SimulationResult> {
  const restore = tree.apply(mutant)
  const mutated = await simulate(tree, { first: BASE_SEED, count: mutant.withinSeeds, needs: mutant.needs })
  restore()
  if (mutated.kind !== 'failed' || mutated.seed < BASE_SEED + CLEAN_SEEDS) return mutated
  const unmutated = await simulate(tree, { first: mutated.seed, count: 1 })
  if (unmutated.kind === 'passed') return mutated
  return { kind: 'broken', reason: `seed ${mutated.seed} also fails without the mutant: ${describe(unmutated)}` }
}

/** How many seeds it took to find the mutant. Null when it was not found. */
export function seedsUntil(result: SimulationResult): number | null {
  return result.kind === 'failed' ? result.seed - BASE_SEED + 1 : null
}

/** One line: the finding with its seed, or why there is no finding. */
export function describe(result: SimulationResult): string {
  if (result.kind === 'passed') return 'no seed fails'
  if (result.kind === 'broken') return result.reason.replaceAll(/\s+/g, ' ')
  return `seed ${result.seed}: ${result.finding.trim().split('\n', 1)[0]}`
}

/** Runs the simulation of the tree in another process, until a seed fails or all have passed. */
async function simulate(tree: Tree, { first, count, needs = [] }: Seeds): Promise<SimulationResult> {
  const args = [SIMULATOR, '--seed', String(first), '--seeds', String(count), '--jobs', '1', '--stop', '--json']
  if (needs.length > 0) args.push('--with', needs.join())
  const { code, signal, stdout, stderr } = await runNode(tree, args, TIMEOUT_MS)
  if (code === 0) return { kind: 'passed' }
  const failure = code === 1 ? parseFailure(stdout) : null
  if (!failure) {
    const end = signal === null ? `exit code ${code}` : `ended by ${signal}`
    return { kind: 'broken', reason: `${end}: ${(stderr.trim() || stdout.trim()).slice(-500)}` }
  }
  const { finding } = failure
  if (SIMULATOR_ERRORS.some(rule => finding.startsWith(rule))) return { kind: 'broken', reason: finding.slice(0, 500) }
  return { kind: 'failed', ...failure }
}

function parseFailure(stdout: string): Failure | null {
  for (const line of stdout.split('\n')) {
    if (!line.startsWith('{')) continue
    const { seed, finding } = JSON.parse(line) as Partial<Failure>
    if (typeof seed === 'number' && typeof finding === 'string') return { seed, finding }
  }
  return null
}
