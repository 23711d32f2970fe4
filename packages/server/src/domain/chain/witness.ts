import type { ChainProblem } from './chain-problem.ts'

/**
 * With several chain servers, confirmations count only up to the height to which two of them serve the recorded blocks
 * and the payments in them: one server alone could invent both.
 */
export interface WitnessedBlock {
  readonly height: number
  /** Servers that serve the recorded block with every payment recorded in it. */
  readonly agreeing: number
  /** Servers near the tip that serve a block at this height and do not agree. */
  readonly opposing: number
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

/** `waiting`: only one server shows it, and none shows anything else. */
type Agreement = 'agreed' | 'waiting' | 'disagreed'

export function agreementOf({ agreeing, opposing }: Omit<WitnessedBlock, 'height'>): Agreement {
  if (agreeing >= MIN_WITNESSES) return 'agreed'
  return opposing > 0 ? 'disagreed' : 'waiting'
}

/**
 * Whether a server beyond the two that have to agree contradicts them.
 * @param blocks that were compared
 */
function contradictsTwo(blocks: readonly WitnessedBlock[]): boolean {
  return blocks.some(({ agreeing, opposing }) => agreeing >= MIN_WITNESSES && opposing > 0)
}

/**
 * The outcome of a comparison. `agreed`: up to the recorded tip. `waiting`: no second server serves the blocks above
 * `height`. `disagreed`: servers serve different blocks or payments above `height`.
 */
interface WitnessOutcome {
  readonly state: Agreement
  /** The last height at which servers agree. */
  readonly height: number
}

/** @param blocks in order, the first one above `from` */
function witnessOutcome(blocks: readonly WitnessedBlock[], from: number): WitnessOutcome {
  let height = from
  for (const block of blocks) {
    const state = agreementOf(block)
    if (state !== 'agreed') return { state, height }
    height = block.height
  }
  return { state: 'agreed', height }
}

/**
 * The height up to which blocks count when the wait for a second server is over: below the first one about which a server
 * that responds disagrees.
 * @param blocks in order
 */
function unopposedHeight(blocks: readonly WitnessedBlock[], tip: number): number {
  const opposed = blocks.find(block => agreementOf(block) === 'disagreed')
  return opposed ? opposed.height - 1 : tip
}

/** Whether the wait for a second server has ended without one. @param since Unix seconds; null: it has not begun */
export function waitIsOver(since: number | null, now: number): boolean {
  return since !== null && now - since >= MAX_WAIT_SECS
}

/** A height, and since when servers wait or disagree above it, in Unix seconds. */
export interface SinceHeight {
  readonly since: number
  readonly height: number
}

/**
 * The knowledge of one process about the agreement of its servers, as a value. In memory only, except for the height up to
 * which blocks confirm payments: after a restart a wait begins again, so `paid` comes later, never earlier.
 */
export interface WitnessKnowledge {
  /** The last agreement, while the blocks above it wait for a second server. */
  readonly waiting: SinceHeight | null
  /** The last agreement, while blocks above it count without one. */
  readonly agreed: number | null
  readonly disagreed: SinceHeight | null
  /** Unix seconds: since when a server beyond two that agree contradicts them. */
  readonly contradictedSince: number | null
  /** Unix seconds: since when a server beyond two cannot be compared. */
  readonly incompleteSince: number | null
  /** Keys of the payments that the mempools of two servers show. */
  readonly shown: ReadonlySet<string>
}

export const NOTHING_WITNESSED: WitnessKnowledge = {
  waiting: null,
  agreed: null,
  disagreed: null,
  contradictedSince: null,
  incompleteSince: null,
  shown: new Set(),
}

/** A comparison of the servers with the recorded blocks above `comparedFrom`. */
export interface ServerComparison extends Pick<WitnessKnowledge, 'shown'> {
  /** In order. */
  readonly blocks: readonly WitnessedBlock[]
  /** The stored height up to which blocks confirm payments. */
  readonly witnessed: number
  /** A server beyond two does not respond or is not near the tip. */
  readonly isIncomplete: boolean
  readonly tip: number
  /** Unix seconds. */
  readonly now: number
}

/** The height above which blocks are compared: again from the last agreement, after blocks that counted without one. */
export function comparedFrom({ agreed }: WitnessKnowledge, witnessed: number): number {
  return Math.min(witnessed, agreed ?? witnessed)
}

/** @returns the next knowledge, and the height up to which blocks confirm payments now */
export function observeComparison(
  known: WitnessKnowledge,
  { blocks, witnessed, isIncomplete, shown, tip, now }: ServerComparison,
): { readonly known: WitnessKnowledge; readonly reached: number } {
  const { waiting, disagreed, contradictedSince, incompleteSince } = known
  const start = comparedFrom(known, witnessed)
  const { state, height } = witnessOutcome(blocks, start)
  // Another process may have recorded the agreement first.
  const isFurther = height > Math.min(start, waiting?.height ?? start)
  const since = isFurther ? now : (waiting?.since ?? now)
  const isAlone = state === 'waiting' && waitIsOver(since, now)
  const agreedHeight = state === 'disagreed' ? height : Math.max(witnessed, height)
  const reached = isAlone ? unopposedHeight(blocks, tip) : agreedHeight
  const seen = { ...known, shown, incompleteSince: isIncomplete ? (incompleteSince ?? now) : null }
  if (blocks.length === 0) return { known: seen, reached }
  return {
    known: {
      ...seen,
      contradictedSince: contradictsTwo(blocks) ? (contradictedSince ?? now) : null,
      waiting: state === 'waiting' ? { since, height } : null,
      agreed: height < reached ? height : null,
      disagreed: state === 'disagreed' ? { since: disagreed?.since ?? now, height } : null,
    },
    reached,
  }
}

/** Whether an unmined payment counts: two servers show it, or no second server has been there for a time. */
export function isShown({ waiting, shown }: WitnessKnowledge, payment: string, now: number): boolean {
  return waitIsOver(waiting?.since ?? null, now) || shown.has(payment)
}

/** Servers see a new block or a reorganisation within seconds of each other. */
const REPORT_AFTER_SECS = 60

/** @param rescanned the block of a rescanned payment that a server does not show, and since when */
export function witnessProblems(known: WitnessKnowledge, rescanned: SinceHeight | null, now: number): ChainProblem[] {
  const { waiting, disagreed, contradictedSince, incompleteSince } = known
  const isReported = (it: SinceHeight | null) => it !== null && now - it.since >= REPORT_AFTER_SECS
  const found: ChainProblem[] = []
  if (disagreed && isReported(disagreed)) found.push({ problem: 'servers_disagree', height: disagreed.height + 1 })
  else if (rescanned && isReported(rescanned)) found.push({ problem: 'servers_disagree', height: rescanned.height })
  if (waitIsOver(waiting?.since ?? null, now)) found.push({ problem: 'second_server_missing' })
  else if (waitIsOver(contradictedSince, now) || waitIsOver(incompleteSince, now))
    found.push({ problem: 'server_left_out' })
  return found
}
