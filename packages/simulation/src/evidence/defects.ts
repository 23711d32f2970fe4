import { globSync } from 'node:fs'
import { join } from 'node:path'
import { readPlan } from '../run/saved-plan.ts'

const PACKAGE = join(import.meta.dirname, '../..')

/** A defect of the service that the simulation has found. */
export interface FixedDefect {
  /** What was wrong, in words. */
  readonly wrong: string
  readonly rule: string
  /** The commit that fixed it. */
  readonly fixedBy: string
}

/** The defects of the kept seeds. */
export function readFixedDefects(): FixedDefect[] {
  return globSync('seeds/*.json', { cwd: PACKAGE })
    .sort()
    .map(file => readPlan(join(PACKAGE, file)))
    .map(({ wrong = '', rule, fixedBy = '' }) => ({ wrong, rule, fixedBy }))
}
