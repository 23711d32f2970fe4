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

/** One server's view of a payment that a rescan has found. */
export interface PaymentView {
  readonly isNearTip: boolean
  /** Of its block at the height of the payment; null: it serves none. */
  readonly hash: string | null
  readonly showsPayment: boolean
}

/**
 * Counts the servers that show a payment in the recorded block, or in equal blocks where none is recorded any more.
 * @param recordedHash null: the block is below the recorded ones
 */
export function countViews(views: readonly PaymentView[], recordedHash: string | null): Omit<WitnessedBlock, 'height'> {
  const showing = views.filter(({ showsPayment, hash }) => showsPayment && (recordedHash ?? hash) === hash)
  const byHash = [...Map.groupBy(showing, ({ hash }) => hash).values()]
  const agreeing = byHash.reduce((largest, group) => (group.length > largest.length ? group : largest), [])
  const opposing = views.filter(view => view.isNearTip && view.hash !== null && !agreeing.includes(view))
  return { agreeing: agreeing.length, opposing: opposing.length }
}

/**
 * Whether a server beyond the two that have to agree contradicts them.
 * @param blocks that were compared
 */
export function contradictsTwo(blocks: readonly WitnessedBlock[]): boolean {
  return blocks.some(({ agreeing, opposing }) => agreeing >= MIN_WITNESSES && opposing > 0)
}

/**
 * The outcome of a comparison. `agreed`: up to the recorded tip. `waiting`: no second server serves the blocks above
 * `height`. `disagreed`: servers serve different blocks or payments above `height`.
 */
export interface WitnessOutcome {
  readonly state: Agreement
  /** The last height at which servers agree. */
  readonly height: number
}

/** @param blocks in order, the first one above `from` */
export function witnessOutcome(blocks: readonly WitnessedBlock[], from: number): WitnessOutcome {
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
export function unopposedHeight(blocks: readonly WitnessedBlock[], tip: number): number {
  const opposed = blocks.find(block => agreementOf(block) === 'disagreed')
  return opposed ? opposed.height - 1 : tip
}

/** Whether the wait for a second server has ended without one. @param since Unix seconds; null: it has not begun */
export function waitIsOver(since: number | null, now: number): boolean {
  return since !== null && now - since >= MAX_WAIT_SECS
}
