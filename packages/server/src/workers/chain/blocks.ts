import type { Block, Header } from '../../domain/chain/chain.ts'
import { ancestorCandidates, HEADERS_KEPT } from '../../domain/chain/chain.ts'
import { lowest } from '../../domain/extreme.ts'
import type { Chain, ServerTip } from '../../ports/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import { NO_TRACER, type Tracer } from '../../ports/tracer.ts'
import type { ChainMismatch, ChainRecorder } from '../../services/chain/chain-sync.ts'
import type { ChainPosition, RecordedChain } from '../../services/chain/recorded-chain.ts'
import type { ScanKeySet, ScanKeys } from '../../services/chain/scan-key.ts'
import { scanBlockBatch } from './block-batch.ts'

export interface BlockSyncDeps {
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly chainRecorder: ChainRecorder
  readonly recordedChain: RecordedChain
  readonly scanKeys: ScanKeys
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Default: no traces. */
  readonly tracer?: Tracer
}

export interface BlockSyncProgress {
  /** Every block up to the tip reported by the server is recorded. */
  readonly reachedTip: boolean
  /** More blocks can be read immediately. */
  readonly hasMore: boolean
  /** Blocks were removed by a reorganisation. */
  readonly rewound: boolean
  /** The newest recorded block that this sync knows; null before the first. */
  readonly tip: Header | null
}

/** The server's chain has none of the recorded blocks: the reorganisation is deeper than the kept headers. */
export class DeepReorganisationError extends Error {
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
export function createBlockSync(deps: BlockSyncDeps): (signal: AbortSignal) => Promise<BlockSyncProgress> {
  const { chain, chainRecorder, recordedChain, scanKeys, clock, log, metrics, tracer = NO_TRACER } = deps
  let forks = 0

  /** The keys of all invoices that a block of the batch may pay. */
  function keysFor(blocks: readonly Block[]): Promise<ScanKeySet> {
    return scanKeys.watchedAt(lowest(timesOf(blocks), nowSecs(clock)))
  }

  async function scanAndRecord(range: { readonly from: number; readonly to: number }, signal: AbortSignal) {
    const read = await scanBlockBatch(deps, range, keysFor, signal)
    return { blocks: read.blocks, mismatch: await chainRecorder.recordBlocks(read) }
  }

  /** Records the server's blocks above `tip`, up to `height`. */
  async function recordAbove(tip: Header | null, height: number, signal: AbortSignal) {
    let newest = tip
    let from = tip ? tip.height + 1 : Math.max(FIRST_READ, height - HEADERS_KEPT)
    for (let batch = 0; from <= height && batch < MAX_BATCHES; batch++) {
      metrics.lag(height - from + 1)
      const { blocks, mismatch } = await tracer.run('internal', 'blocks', { 'zatgate.height': from }, () =>
        scanAndRecord({ from, to: height }, signal),
      )
      if (mismatch) {
        handleMismatch(mismatch)
        return { reachedTip: false, tip: newest }
      }
      newest = blocks.at(-1)!
      metrics.tip(newest.height)
      forks = 0
      from = newest.height + 1
    }
    metrics.lag(Math.max(0, height - from + 1))
    return { reachedTip: from > height, tip: newest }
  }

  /** Returns when a later run may go on from the recorded chain. @throws Error when the server's blocks are invalid */
  function handleMismatch({ height, problem }: ChainMismatch): void {
    // Another process has recorded these blocks.
    if (problem.problem === 'gap') return
    if (problem.problem === 'fork') {
      forks += 1
      if (forks >= MAX_FORKS) throw new Error(`block ${height} does not follow the previous block`)
      return
    }
    const { pool, expected, given } = problem
    const message = `block ${height} hides ${pool} outputs: its tree size is ${given}, its outputs give ${expected}`
    chain.abandonServer(message)
    throw new Error(message)
  }

  async function isRecorded(height: number, signal: AbortSignal): Promise<boolean> {
    const ours = await recordedChain.headerAt(height)
    const theirs = await firstBlock(chain.blocks(height, height, signal), height)
    return ours?.hash === theirs.hash
  }

  /**
   * Whether the server's chain contains the last two recorded blocks, as far as the server has reached them. The hash of its
   * newest block proves it without a read. Any other hash proves nothing.
   */
  async function isOnOurChain(
    { tip, oldest }: ChainPosition,
    { height, hash }: ServerTip,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (hash === tip.hash) return true
    const last = Math.min(tip.height, height)
    if (last < oldest) throw new Error(`the chain server is ${tip.height - height} blocks behind the recorded chain`)
    let compared = oldest - 1
    for await (const block of chain.blocks(Math.max(oldest, last - 1), last, signal)) {
      const ours = await recordedChain.headerAt(block.height)
      if (ours?.hash !== block.hash) return false
      compared = block.height
    }
    // The server returned fewer blocks than its tip implies: its chain has changed in between.
    if (compared !== last) throw new Error(`the chain server has no block ${last}, although its tip is not below it`)
    return true
  }

  /** Finds the highest common block, by bisection between a common height and the lowest differing one. */
  async function commonAncestor({ tip, oldest }: ChainPosition, height: number, signal: AbortSignal): Promise<number> {
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
      const error = new DeepReorganisationError(tip.height, oldest)
      chain.abandonServer(error.message)
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
  async function rewindToAncestor(position: ChainPosition, height: number, signal: AbortSignal): Promise<boolean> {
    const ancestor = await commonAncestor(position, height, signal)
    const depth = position.tip.height - ancestor
    log.warn({ depth, ancestor }, 'reorganisation: removing recorded blocks above the common ancestor')
    if (!(await recordedChain.rewindTo(ancestor, position.tip))) return false
    metrics.reorg(depth)
    return true
  }

  return async function syncBlocks(signal) {
    const served = await chain.tip(signal)
    const { height } = served
    let position = await recordedChain.position()
    const rewound = position !== null && !(await isOnOurChain(position, served, signal))
    if (position && rewound) {
      if (!(await rewindToAncestor(position, height, signal)))
        return { reachedTip: false, hasMore: true, rewound, tip: null }
      position = await recordedChain.position()
    }
    const tip = position?.tip ?? null
    const serverIsBehind = tip !== null && !rewound && height < tip.height
    if (serverIsBehind) return { reachedTip: false, hasMore: false, rewound, tip }
    const recorded = await recordAbove(tip, height, signal)
    return { ...recorded, hasMore: !recorded.reachedTip, rewound }
  }
}

async function firstBlock(blocks: AsyncIterable<Block>, height: number): Promise<Block> {
  for await (const block of blocks) return block
  throw new Error(`the chain server has no block ${height}, although its tip is not below it`)
}

function timesOf(blocks: readonly Block[]): number[] {
  return blocks.map(block => block.time)
}
