import type { World } from '../../world/world.ts'

/** Blocks at the end of a long time, enough for their median time to follow. */
const BLOCKS = 14
const SPACING_SECS = 75

/** Late payments count for seven days. A run stays well below. */
const MAX_TOTAL_SECS = 4 * 86_400

/** Lets hours and days pass, during which the processes do little, as on a suspended machine. */
export class DaysPass {
  readonly #world: World
  #total = 0

  constructor(world: World) {
    this.#world = world
  }

  /** @param at Unix seconds */
  passUntil(at: number): string | undefined {
    return this.pass(at - this.#world.nowSecs)
  }

  pass(secs: number): string | undefined {
    const { scheduler } = this.#world
    if (secs <= BLOCKS * SPACING_SECS || this.#total + secs > MAX_TOTAL_SECS) return undefined
    this.#total += secs
    scheduler.advance((secs - BLOCKS * SPACING_SECS) * 1000)
    for (let i = 0; i < BLOCKS; i++) {
      scheduler.advance(SPACING_SECS * 1000)
      this.#world.mine()
    }
    return `${Math.round(secs / 360) / 10} hours pass`
  }
}
