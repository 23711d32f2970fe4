import { Draw } from '../runtime/draw.ts'
import type { Action } from './part.ts'

/** One step of a run. Its random values depend on its own seed only, so that other steps can be removed. */
export interface Step {
  readonly action: string
  readonly seed: number
  /** How many tasks run after the action: null, until none is left. */
  readonly tasks: number | null
  /** How long time passes, instead of what the seed draws. Set in shrunk plans. */
  readonly secs?: number
}

/** The name of the step that lets time pass. */
export const PASS_TIME = 'time passes'

/** Draws the steps of a seed. Each seed leaves out some actions (swarm testing). */
export function drawPlan(seed: number, actions: readonly Action[]): Step[] {
  const draw = new Draw(seed, 'plan')
  const keeps = draw.pick([0.4, 0.7, 1])
  const allowed = actions.filter(({ fault }) => draw.chance(fault === undefined ? Math.max(0.8, keeps) : keeps))
  const timeWeight = allowed.reduce((sum, { weight }) => sum + weight, 0) * draw.pick([0.3, 0.6, 1])
  const choices: [string, number][] = [
    ...allowed.map(({ name, weight }): [string, number] => [name, weight]),
    [PASS_TIME, timeWeight],
  ]
  const interleaves = draw.pick([0, 0.3, 0.7])
  const length = draw.weighted([
    [draw.int(6, 14), 5],
    [draw.int(14, 28), 3],
    [draw.int(28, 60), 0.6],
  ])
  return Array.from({ length }, () => ({
    action: draw.weighted(choices),
    seed: draw.seed(),
    tasks: draw.chance(interleaves) ? draw.pick([0, 1, 3, 10, 30]) : null,
  }))
}

/** Draws how long a step lets time pass. */
export function drawSecs(draw: Draw): number {
  return draw.weighted([
    [draw.int(1, 4), 4],
    [draw.int(5, 30), 4],
    [draw.int(31, 200), 4],
    [draw.int(201, 1_500), 2],
    [draw.int(1_501, 10_000), 0.3],
  ])
}
