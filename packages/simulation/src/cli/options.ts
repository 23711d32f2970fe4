import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { newBase } from './stopwatch.ts'

export const HELP = `Runs the service on a simulated world, one run per seed, and judges every commit.

npm run simulate -- --seed 17                 one run, with its story; a failure is shrunk
npm run simulate -- --seed 1 --seeds 1000     1000 runs from seed 1 on
npm run simulate -- --minutes 10              as many runs as fit, from a new seed on
npm run simulate -- --plan FILE               replays a saved plan
npm run simulate -- --kept NAME               replays a seed of seeds.jsonl
npm run simulate -- --faults list             every fault that is injected
npm run evidence -- --seed 1 --seeds 20000    runs seeds and mutants, and writes docs/evidence.md

--seed N       the first seed; without it, one drawn from the clock
--seeds N      the number of seeds
--minutes N    how long to run
--jobs N       processes at a time; by default the number of cores
--with A,B     only the seeds whose world has all of these: a part, sqlite, postgres, regtest, several processes
--stop         stop at the first failure
--no-shrink    leave failures as they are
--save FILE    write the shrunk plan of the first failure, as one line of JSON
--mutants PART evidence of the mutants with PART in their theme or name only; the page is printed
--resume       evidence without what an interrupted run has measured of this commit
--json         one JSON line per failed seed and one at the end
--help         this text

Exits with 1 when a seed fails, with 2 on wrong use, with 3 when the simulation itself breaks down.`

const EVIDENCE_SEEDS = 20_000

/** The parsed command line. */
export type Options =
  | { readonly command: 'help' }
  | { readonly command: 'faults' }
  | ({ readonly command: 'evidence' } & EvidenceOptions)
  | ({ readonly command: 'one'; readonly seed: number } & Output)
  | ({ readonly command: 'plan'; readonly file: string } & Output)
  | ({ readonly command: 'kept'; readonly name: string } & Output)
  | ({ readonly command: 'many' } & Many & Output)

export interface Output {
  readonly shrinks: boolean
  readonly json: boolean
  /** The file for the shrunk plan of the first failure. */
  readonly save: string | undefined
}

export interface Many {
  readonly first: number
  /** Null: no bound. */
  readonly seeds: number | null
  /** Null: no bound. */
  readonly minutes: number | null
  readonly jobs: number
  /** Features that the world of a seed must have; empty: all seeds. */
  readonly needs: readonly string[]
  readonly stops: boolean
}

export interface EvidenceOptions {
  readonly first: number
  readonly seeds: number
  readonly jobs: number
  /** Parts of the themes and names of mutants; empty: all mutants. */
  readonly mutants: readonly string[]
  /** Whether to go on where a run of the same commit was interrupted. */
  readonly resumes: boolean
}

/** @throws UsageError when the arguments make no sense */
export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args)
  if (values.help) return { command: 'help' }
  if (values.faults !== undefined) {
    if (values.faults !== 'list') throw new UsageError('--faults knows only: list')
    return { command: 'faults' }
  }
  const output = { shrinks: !values['no-shrink'], json: values.json ?? false, save: values.save }
  if (values.plan !== undefined) return { command: 'plan', file: values.plan, ...output }
  if (values.kept !== undefined) return { command: 'kept', name: values.kept, ...output }
  const seed = integer('--seed', values.seed, 0, 2 ** 48)
  const seeds = integer('--seeds', values.seeds, 1, 1e9)
  const minutes = integer('--minutes', values.minutes, 1, 100_000)
  const jobs = integer('--jobs', values.jobs, 1, 256) ?? availableParallelism()
  if (values.evidence)
    return {
      command: 'evidence',
      first: seed ?? newBase(),
      seeds: seeds ?? EVIDENCE_SEEDS,
      jobs,
      mutants: values.mutants ?? [],
      resumes: values.resume ?? false,
    }
  if (seed !== null && seeds === null && minutes === null) return { command: 'one', seed, ...output }
  return {
    command: 'many',
    first: seed ?? newBase(),
    seeds,
    minutes: seeds === null ? (minutes ?? 1) : minutes,
    jobs,
    needs: values.with?.split(',') ?? [],
    stops: values.stop ?? false,
    ...output,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        seeds: { type: 'string' },
        minutes: { type: 'string' },
        jobs: { type: 'string' },
        with: { type: 'string' },
        faults: { type: 'string' },
        plan: { type: 'string' },
        kept: { type: 'string' },
        save: { type: 'string' },
        evidence: { type: 'boolean' },
        stop: { type: 'boolean' },
        mutants: { type: 'string', multiple: true },
        resume: { type: 'boolean' },
        'no-shrink': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/[.\n]/)
    throw new UsageError(`${sentence}; see --help`)
  }
}

function integer(name: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`${name} must be an integer from ${min} to ${max}, not ${text}`)
  return value
}

/** The command line makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
