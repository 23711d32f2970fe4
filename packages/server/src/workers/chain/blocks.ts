import type { Block } from '../../domain/chain.ts'
import { ancestorCandidates, HEADERS_KEPT } from '../../domain/chain.ts'
import type { WatchMeter } from '../../ports/metrics.ts'
import type { Chain, Clock, Log, Viewer } from '../../ports.ts'
import { nowSecs } from '../../ports.ts'
import type { Headers, Position } from '../../services/chain-rewind.ts'
import type { Misfit, Payments } from '../../services/payment.ts'
import type { WatchKeys } from '../../services/scan-key.ts'
import { collectBatch } from './block-batch.ts'

export interface FollowDeps {
  readonly chain: Chain
  readonly viewer: Viewer
  readonly payments: Payments
  readonly headers: Headers
  readonly keys: WatchKeys
  readonly clock: Clock
  readonly log: Log
  readonly meter: WatchMeter
}

export interface Progress {
  /** Every block up to the tip that the server named is recorded. */
  readonly reached: boolean
  /** There are more blocks to read at once. */
  readonly more: boolean
  /** Blocks were taken back on the way. */
  readonly rewound: boolean
}

/** The server's chain and ours have no block in common among those remembered. */
export class DeepReorganisation extends Error {
  override readonly name = 'DeepReorganisation'

  constructor(tip: number, oldest: number) {
    super(
      `the server's chain parts from the recorded one (${oldest} to ${tip}) before its oldest remembered block: ` +
        'nothing more is read until a server is back on it. Is LIGHTWALLETD_URL the right network, and its node sound? ' +
        'If the network itself has moved on, see "zatgate chain accept --help".',
    )
  }
}

const MOST_BATCHES = 10
/** Blocks that do not follow one another mean that the chain changed while it was read; so often in a row, they do not. */
const MAX_FORKS = 3
/** The first block holds nothing shielded, and servers take height 0 for a request that names no block. */
const FIRST_READ = 1

/**
 * Reads on to the server's tip: compares the last two blocks with the recorded ones, takes back what the server's chain
 * does not have, and records what follows, in bounded batches. Nothing that cannot be recorded is ever skipped.
 */
export function createFollow(deps: FollowDeps): (signal: AbortSignal) => Promise<Progress> {
  const { chain, headers, log, meter } = deps
  const readBatch = batchReader(deps)
  let forks = 0

  async function startPosition(height: number): Promise<number> {
    const position = await headers.position()
    return position ? position.tip.height + 1 : Math.max(FIRST_READ, height - HEADERS_KEPT)
  }

  async function readOn(height: number, signal: AbortSignal): Promise<boolean> {
    let from = await startPosition(height)
    for (let batch = 0; from <= height && batch < MOST_BATCHES; batch++) {
      meter.lag(height - from + 1)
      const { newest, misfit } = await readBatch(from, height, signal)
      if (misfit) return refuse(misfit)
      meter.tip(newest)
      forks = 0
      from = newest + 1
    }
    meter.lag(Math.max(0, height - from + 1))
    return from > height
  }

  function refuse({ height, fault }: Misfit): false {
    // Another process that watches the same chain was faster: its work is as good.
    if (fault.fault === 'gap') return false
    if (fault.fault === 'fork') {
      forks += 1
      if (forks >= MAX_FORKS) throw new Error(`block ${height} does not follow the block before it`)
      return false
    }
    const { pool, expected, given } = fault
    const reason = `block ${height} hides ${pool} outputs: its tree has ${given}, the outputs make ${expected}`
    chain.distrust(reason)
    throw new Error(reason)
  }

  async function isOurs(height: number, signal: AbortSignal): Promise<boolean> {
    const ours = await headers.headerAt(height)
    const theirs = await only(chain.blocks(height, height, signal), height)
    return ours?.hash === theirs.hash
  }

  /** Whether the server's chain holds our last two blocks; those it is not up to yet are left out. */
  async function joins({ tip, oldest }: Position, height: number, signal: AbortSignal): Promise<boolean> {
    const last = Math.min(tip.height, height)
    if (last < oldest) throw new Error(`the server is ${tip.height - height} blocks behind what is recorded`)
    let compared = oldest - 1
    for await (const block of chain.blocks(Math.max(oldest, last - 1), last, signal)) {
      const ours = await headers.headerAt(block.height)
      if (ours?.hash !== block.hash) return false
      compared = block.height
    }
    // Less than it named: its chain has changed meanwhile, so nothing is known of it.
    if (compared !== last) throw new Error(`the server has no block ${last}, though it is not above its tip`)
    return true
  }

  /** The highest block that both chains have, by halving between a common block and the lowest known difference. */
  async function commonAncestor({ tip, oldest }: Position, height: number, signal: AbortSignal): Promise<number> {
    let differs = Math.min(tip.height, height)
    // Chains of one network have at least the block below the first read in common.
    let common: number | null = oldest === FIRST_READ ? FIRST_READ - 1 : null
    for (const candidate of ancestorCandidates(differs, oldest)) {
      if (await isOurs(candidate, signal)) {
        common = candidate
        break
      }
      differs = candidate
    }
    if (common === null) {
      const error = new DeepReorganisation(tip.height, oldest)
      chain.distrust(error.message)
      throw error
    }
    while (differs - common > 1) {
      const middle = Math.floor((common + differs) / 2)
      if (await isOurs(middle, signal)) common = middle
      else differs = middle
    }
    return common
  }

  /** False when another process has moved the recorded chain meanwhile. */
  async function stepBack(position: Position, height: number, signal: AbortSignal): Promise<boolean> {
    const ancestor = await commonAncestor(position, height, signal)
    const depth = position.tip.height - ancestor
    log.warn({ depth, ancestor }, 'a reorganisation: taking blocks back')
    if (!(await headers.rewind(ancestor, position.tip))) return false
    meter.reorg(depth)
    return true
  }

  return async function follow(signal) {
    const height = await chain.tip(signal)
    const position = await headers.position()
    const rewound = position !== null && !(await joins(position, height, signal))
    if (position && rewound && !(await stepBack(position, height, signal)))
      return { reached: false, more: true, rewound }
    const behindUs = position !== null && !rewound && height < position.tip.height
    if (behindUs) return { reached: false, more: false, rewound }
    const reached = await readOn(height, signal)
    return { reached, more: !reached, rewound }
  }
}

function batchReader({ chain, viewer, payments, keys, clock }: FollowDeps) {
  /** The keys are read after the blocks: an invoice answered before its payment was sent is always among theirs. */
  return async function readBatch(from: number, to: number, signal: AbortSignal) {
    const blocks = await collectBatch(chain, from, to, signal)
    const earliest = Math.min(nowSecs(clock), ...blocks.map(block => block.time))
    const watched = await keys.watchedAt(earliest)
    const transactions = blocks.flatMap(block => block.transactions)
    const notes = await viewer.open(watched, transactions, signal)
    return { newest: blocks.at(-1)!.height, misfit: await payments.recordBlocks({ blocks, notes }) }
  }
}

async function only(blocks: AsyncIterable<Block>, height: number): Promise<Block> {
  for await (const block of blocks) return block
  throw new Error(`the server has no block ${height}, though it is below its tip`)
}
