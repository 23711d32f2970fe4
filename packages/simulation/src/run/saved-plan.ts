import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planOf } from './run.ts'
import type { FullPlan } from './shrink.ts'

/** A plan that failed. A file contains it as one line of JSON. */
export interface SavedPlan extends FullPlan {
  /** The rule that was broken. */
  readonly rule: string
  readonly finding: string
}

/** A saved plan that found a defect. `seeds.jsonl` has one on each line. */
export interface KeptSeed extends SavedPlan {
  readonly name: string
  /** The program with the defect. */
  readonly of: 'service' | 'simulation'
  /** The defect, in words. */
  readonly wrong: string
  /** The commit that fixed it. */
  readonly fixedBy: string
}

const KEPT_SEEDS = join(import.meta.dirname, '../../seeds.jsonl')

/** @throws Error when the file contains no plan */
export function readPlan(file: string): SavedPlan {
  return withNewProperties(JSON.parse(readFileSync(file, 'utf8')) as SavedPlan, file)
}

export function writePlan(file: string, plan: SavedPlan): void {
  writeFileSync(file, `${JSON.stringify(plan)}\n`)
}

/** Those of the service first, each by name. */
export function readKeptSeeds(): KeptSeed[] {
  const lines = readFileSync(KEPT_SEEDS, 'utf8').trimEnd().split('\n')
  return lines.map((line, index) =>
    withNewProperties(JSON.parse(line) as KeptSeed, `line ${index + 1} of ${KEPT_SEEDS}`),
  )
}

/** Draws the properties of the setup that are newer than the plan from its seed. */
function withNewProperties<T extends SavedPlan>(saved: T, source: string): T {
  if (!Number.isSafeInteger(saved.seed) || !Array.isArray(saved.steps) || typeof saved.setup !== 'object')
    throw new Error(`${source} is not a saved plan: it has no seed, setup and steps`)
  return { ...saved, setup: { ...planOf(saved.seed).setup, ...saved.setup } }
}
