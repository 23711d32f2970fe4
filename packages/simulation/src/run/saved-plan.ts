import { readFileSync, writeFileSync } from 'node:fs'
import { planOf } from './run.ts'
import type { FullPlan } from './shrink.ts'

/** A plan that failed, in a file. */
export interface SavedPlan extends FullPlan {
  /** The rule that was broken. */
  readonly rule: string
  readonly finding: string
  /** The defect, in words. Set in kept seeds. */
  readonly wrong?: string
  /** The commit that fixed it. Set in kept seeds. */
  readonly fixedBy?: string
}

/** Reads a saved plan. Properties of the setup that are newer than the file are drawn from its seed. @throws Error */
export function readPlan(file: string): SavedPlan {
  const saved = JSON.parse(readFileSync(file, 'utf8')) as SavedPlan
  if (!Number.isSafeInteger(saved.seed) || !Array.isArray(saved.steps) || typeof saved.setup !== 'object')
    throw new Error(`${file} is not a saved plan: it has no seed, setup and steps`)
  return { ...saved, setup: { ...planOf(saved.seed).setup, ...saved.setup } }
}

/** Writes a plan, one step per line. */
export function writePlan(file: string, { setup, steps, ...rest }: SavedPlan): void {
  const fields = Object.entries({ ...rest, setup }).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  const lines = steps.map(step => `    ${JSON.stringify(step)}`)
  writeFileSync(file, `{\n${fields.join('\n')}\n  "steps": [\n${lines.join(',\n')}\n  ]\n}\n`)
}
