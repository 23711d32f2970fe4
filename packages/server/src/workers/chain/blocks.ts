import type { Block } from '../../domain/chain.ts'
import { ancestorCandidates, HEADERS_KEPT } from '../../domain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { WatchMeter } from '../../ports/metrics.ts'
import type { Viewer } from '../../ports/note-scanner.ts'
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
  /** Every block up to the tip reported by the server is recorded. */
  readonly reached: boolean
  /** More blocks can be read immediately. */
  readonly more: boolean
  /** Blocks were removed by a reorganisation. */
  readonly rewound: boolean
}

/** The server's chain has none of the recorded blocks: the reorganisation is deeper than the kept headers. */
export class DeepReorganisation extends Error {
  override readonly name = 'DeepReorganisationError'

  constructor(tip: number, oldest: number) {
    super(
      `the server's chain has none of the recorded blocks (heights ${oldest} to ${tip}); no blocks are read until it ` +
        'does. Check that LIGHTWALLETD_URL is on the right network and that its node is sound. ' +
        'If the network itself has reorganised this deeply, see "zatgate chain accept --help".',
    )
  }
}

const MAX_BATCHES = 10
/** Unlinked blocks usually mean that the chain changed during the read. After this many in a row, the server is at fault. */
const MAX_FORKS = 3
/** Height 0 is skipped: it has no shielded outputs, and servers treat height 0 as a request without a block. */
const FIRST_READ = 1

/**
 * Creates the block sync. Each call compares the server's blocks with the last two recorded ones, rewinds to the common
 * ancestor after a reorganisation, and records new blocks up to the server's tip in bounded batches. Never skips a block.
 */
export function createFollow(deps: FollowDeps): (signal: AbortSignal) => Promise<Progress> {
  const { chain, headers, log, meter } = deps
  const readBatch = batchReader(deps)
  let forks = 0

  async function startPosition(height: number): Promise<number> {
    const position = await headers.position()
    return position ? position.tip.height + 1 : Math.max(FIRST_READ, height - HEADERS_KEPT)
  }

  async function recordUpTo(height: number, signal: AbortSignal): Promise<boolean> {
    let from = await startPosition(height)
    for (let batch = 0; from <= height && batch < MAX_BATCHES; batch++) {
      meter.lag(height - from + 1)
      const { newest, misfit } = await readBatch(from, height, signal)
      if (misfit) return handleMismatch(misfit)
      meter.tip(newest)
      forks = 0
      from = newest + 1
    }
    meter.lag(Math.max(0, height - from + 1))
    return from > height
  }

  /** False: the sync goes on in a later run. @throws Error when the server's blocks are invalid */
  function handleMismatch({ height, fault }: Misfit): false {
    // Another process has recorded these blocks.
    if (fault.fault === 'gap') return false
    if (fault.fault === 'fork') {
      forks += 1
      if (forks >= MAX_FORKS) throw new Error(`block ${height} does not follow the previous block`)
      return false
    }
    const { pool, expected, given } = fault
    const message = `block ${height} hides ${pool} outputs: its tree size is ${given}, its outputs give ${expected}`
    chain.distrust(message)
    throw new Error(message)
  }

  async function isRecorded(height: number, signal: AbortSignal): Promise<boolean> {
    const ours = await headers.headerAt(height)
    const theirs = await firstBlock(chain.blocks(height, height, signal), height)
    return ours?.hash === theirs.hash
  }

  /** Whether the server's chain contains the last two recorded blocks, as far as the server has reached them. */
  async function isOnOurChain({ tip, oldest }: Position, height: number, signal: AbortSignal): Promise<boolean> {
    const last = Math.min(tip.height, height)
    if (last < oldest) throw new Error(`the chain server is ${tip.height - height} blocks behind the recorded chain`)
    let compared = oldest - 1
    for await (const block of chain.blocks(Math.max(oldest, last - 1), last, signal)) {
      const ours = await headers.headerAt(block.height)
      if (ours?.hash !== block.hash) return false
      compared = block.height
    }
    // The server returned fewer blocks than its tip implies: its chain has changed in between.
    if (compared !== last) throw new Error(`the chain server has no block ${last}, although its tip is not below it`)
    return true
  }

  /** Finds the highest common block, by bisection between a common height and the lowest differing one. */
  async function commonAncestor({ tip, oldest }: Position, height: number, signal: AbortSignal): Promise<number> {
    let differs = Math.min(tip.height, height)
    // Chains of one network share the genesis block.
    let common: number | null = oldest === FIRST_READ ? FIRST_READ - 1 : null
    for (const candidate of ancestorCandidates(differs, oldest)) {
      if (await isRecorded(candidate, signal)) {
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
      if (await isRecorded(middle, signal)) common = middle
      else differs = middle
    }
    return common
  }

  /**
   * Rewinds to the common ancestor of both chains.
   * @returns false when another process has changed the recorded chain in the meantime
   */
  async function rewindToAncestor(position: Position, height: number, signal: AbortSignal): Promise<boolean> {
    const ancestor = await commonAncestor(position, height, signal)
    const depth = position.tip.height - ancestor
    log.warn({ depth, ancestor }, 'reorganisation: removing recorded blocks above the common ancestor')
    if (!(await headers.rewind(ancestor, position.tip))) return false
    meter.reorg(depth)
    return true
  }

  return async function syncBlocks(signal) {
    const height = await chain.tip(signal)
    const position = await headers.position()
    const rewound = position !== null && !(await isOnOurChain(position, height, signal))
    if (position && rewound && !(await rewindToAncestor(position, height, signal)))
      return { reached: false, more: true, rewound }
    const serverIsBehind = position !== null && !rewound && height < position.tip.height
    if (serverIsBehind) return { reached: false, more: false, rewound }
    const reached = await recordUpTo(height, signal)
    return { reached, more: !reached, rewound }
  }
}

function batchReader({ chain, viewer, payments, keys, clock }: FollowDeps) {
  /** Reads the keys after the blocks, so that the key of every invoice created before its payment is included. */
  return async function readBatch(from: number, to: number, signal: AbortSignal) {
    const blocks = await collectBatch(chain, from, to, signal)
    const earliest = Math.min(nowSecs(clock), ...blocks.map(block => block.time))
    const watchedKeys = await keys.watchedAt(earliest)
    const transactions = blocks.flatMap(block => block.transactions)
    const notes = await viewer.open(watchedKeys, transactions, signal)
    return { newest: blocks.at(-1)!.height, misfit: await payments.recordBlocks({ blocks, notes }) }
  }
}

async function firstBlock(blocks: AsyncIterable<Block>, height: number): Promise<Block> {
  for await (const block of blocks) return block
  throw new Error(`the chain server has no block ${height}, although its tip is not below it`)
}
