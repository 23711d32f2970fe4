import { readKeptSeeds } from '../run/saved-plan.ts'

/** A defect of the service that the simulation has found. */
export interface FixedDefect {
  /** The defect, in words. */
  readonly wrong: string
  readonly rule: string
  /** The commit that fixed it. */
  readonly fixedBy: string
}

/** The defects of the kept seeds. */
export function readFixedDefects(): FixedDefect[] {
  return readKeptSeeds().filter(seed => seed.of === 'service')
}
