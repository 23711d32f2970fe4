/**
 * With several chain servers, confirmations count only up to the height to which two of them serve the recorded blocks
 * and the payments in them: one server alone could invent both.
 */
export interface WitnessedBlock {
  readonly height: number
  /** Servers that serve the recorded block with every payment recorded in it. */
  readonly agreeing: number
  /** Servers near the tip that serve a block at this height. */
  readonly serving: number
}

/** Servers that have to agree. */
export const MIN_WITNESSES = 2

/** How long `paid` waits for a second server that does not respond, lags or restarts. */
const MAX_WAIT_SECS = 300

/** A server this far below the recorded tip has stalled: its blocks may be those that a reorganisation has replaced. */
const MAX_LAG_BLOCKS = 3

export function isNearTip(height: number, tip: number): boolean {
  return height >= tip - MAX_LAG_BLOCKS
}

/**
 * The outcome of a comparison. `agreed`: up to the recorded tip. `waiting`: no second server serves the blocks above
 * `height`. `disagreed`: servers serve different blocks or payments above `height`.
 */
export interface WitnessOutcome {
  readonly state: 'agreed' | 'waiting' | 'disagreed'
  /** The last height at which servers agree. */
  readonly height: number
}

/** @param blocks in order, the first one above `from` */
export function witnessOutcome(blocks: readonly WitnessedBlock[], from: number): WitnessOutcome {
  let height = from
  for (const block of blocks) {
    if (block.agreeing < MIN_WITNESSES)
      return { state: block.serving >= MIN_WITNESSES ? 'disagreed' : 'waiting', height }
    height = block.height
  }
  return { state: 'agreed', height }
}

/** Whether the wait for a second server has ended without one. @param since Unix seconds; null: it has not begun */
export function waitIsOver(since: number | null, now: number): boolean {
  return since !== null && now - since >= MAX_WAIT_SECS
}
