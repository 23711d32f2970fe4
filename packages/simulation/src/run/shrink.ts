import { Draw } from '../runtime/draw.ts'
import { drawSecs, PASS_TIME, type Step } from './plan.ts'
import type { Setup } from './setup.ts'

/** A plan with all its steps. */
export interface FullPlan {
  readonly seed: number
  readonly setup: Setup
  readonly steps: readonly Step[]
}

export interface ShrinkOptions {
  /** Whether a plan still fails in the same way. */
  readonly fails: (plan: FullPlan) => Promise<boolean>
  /** The optional part that an action belongs to; undefined for parts that are always there. */
  readonly partOf: (action: string) => string | undefined
  /** Asked before each run: whether there is time for it. */
  readonly goesOn: () => boolean
}

/** Makes a failing plan smaller: fewer and simpler steps, a simpler setup. Ends when nothing more can be left out. */
export async function shrink(plan: FullPlan, options: ShrinkOptions): Promise<FullPlan> {
  let best = plan

  /** Takes a smaller plan if it fails too. */
  async function accept(candidate: FullPlan): Promise<boolean> {
    if (!options.goesOn() || !(await options.fails(candidate))) return false
    best = candidate
    return true
  }

  for (let before: FullPlan | null = null; before !== best && options.goesOn(); ) {
    before = best
    await dropSteps(() => best, accept)
    await simplifySetup(() => best, accept, options.partOf)
    await simplifySteps(() => best, accept)
  }
  return best
}

type Best = () => FullPlan
type Accept = (candidate: FullPlan) => Promise<boolean>

/** Leaves out chunks of steps, from the end to the start, and then smaller chunks. */
async function dropSteps(best: Best, accept: Accept): Promise<void> {
  for (let size = best().steps.length; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let end = best().steps.length; end > 0; end -= size) {
      const steps = best().steps.filter((_, index) => index < end - size || index >= end)
      await accept({ ...best(), steps })
    }
  }
}

async function simplifySetup(best: Best, accept: Accept, partOf: ShrinkOptions['partOf']): Promise<void> {
  for (const part of best().setup.parts) {
    const { setup, steps } = best()
    const parts = setup.parts.filter(other => other !== part)
    await accept({
      ...best(),
      setup: { ...setup, parts },
      steps: steps.filter(({ action }) => partOf(action) !== part),
    })
  }
  const simpler: readonly Partial<Setup>[] = [
    { processes: 1 },
    { processes: 2 },
    { chainServers: 1 },
    { chainServers: 2 },
    { merchants: 1 },
    { database: 'sqlite' },
    { switchRate: 0 },
    { switchRate: 1 },
    { punctuality: 1 },
    { nu7Height: null },
    { nu63Height: 0 },
    { network: 'test' },
    { confirmations: 1 },
    { confirmations: 0 },
  ]
  for (const change of simpler) {
    const { setup } = best()
    if (isSimpler(change, setup)) await accept({ ...best(), setup: { ...setup, ...change } })
  }
}

/** Not smaller values are simpler, but these themselves. */
const NO_COUNTS = new Set(['nu63Height', 'punctuality'])

/** Whether the change simplifies this setup. Counts only decrease; a rate of 0 or 1 stays as it is. */
function isSimpler(change: Partial<Setup>, setup: Setup): boolean {
  if (change.switchRate !== undefined) return setup.switchRate !== 0 && setup.switchRate !== 1
  return Object.entries(change).every(([name, value]) => {
    const present = setup[name as keyof Setup]
    return typeof value === 'number' && !NO_COUNTS.has(name) ? Number(present) > value : present !== value
  })
}

/** Lets every step run to its end, and shortens the passes of time. */
async function simplifySteps(best: Best, accept: Accept): Promise<void> {
  const { steps } = best()
  if (steps.some(({ tasks }) => tasks !== null))
    await accept({ ...best(), steps: steps.map(step => ({ ...step, tasks: null })) })
  for (const index of steps.keys()) {
    const step = best().steps[index]!
    if (step.tasks !== null) await accept(withStep(best(), index, { ...step, tasks: null }))
    if (step.action !== PASS_TIME) continue
    const secs = step.secs ?? drawSecs(new Draw(step.seed, step.action))
    for (const shorter of [1, 10, 60, 600].filter(other => other < secs))
      if (await accept(withStep(best(), index, { ...best().steps[index]!, secs: shorter }))) break
  }
}

function withStep(plan: FullPlan, index: number, step: Step): FullPlan {
  return { ...plan, steps: plan.steps.with(index, step) }
}
