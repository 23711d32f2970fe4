import { availableParallelism } from 'node:os'
import { diversifierIndex, parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import {
  incomingViewingKeyFromBytes,
  incomingViewingKeyToBytes,
  parseViewingKey,
  type ViewingKey,
} from '@zatgate/zcash/viewing-key'
import type { Network } from '../../domain/account/account.ts'
import type { CompactAction, CompactTransaction } from '../../domain/chain/chain.ts'
import type { ShieldedPool } from '../../domain/chain/shielded-pool.ts'
import { invalidField } from '../../domain/error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DecryptedNote, NoteScanner, ParsedViewingKey, ScanKey } from '../../ports/note-scanner.ts'
import { systemClock } from '../system/clock.ts'
import { createKernelFallback } from './kernel-fallback.ts'
import { packActions } from './messages.ts'
import { actionId, type KeysOfScan, type KnownNote, ScanCache } from './scan-cache.ts'
import { toKeyExpiry } from './viewing-key-expiry.ts'
import { WorkerPool } from './worker-pool.ts'

export interface NoteScannerOptions {
  readonly log: Log
  /** Called once when the kernel cannot be used, or has computed something wrong. */
  readonly onKernelError?: () => void
  /**
   * Number of scan workers. The same number of utility workers derives addresses and parses transactions, so these never
   * wait for a scan. Threads start when there is work.
   */
  readonly threads?: number
  /** The code of the workers. Default: worker.ts. */
  readonly script?: URL
  /** Measures how long threads have no work. Default: the clock of the system. */
  readonly clock?: Pick<Clock, 'sleep'>
}

/** An action and its position. */
interface ActionRef {
  readonly txid: string
  readonly pool: ShieldedPool
  readonly outputIndex: number
  readonly action: CompactAction
}

/** An action of a scan, and the notes that the keys decrypt in it once it is scanned. */
interface ScannedAction {
  readonly ref: ActionRef
  readonly id: string
  notes: readonly KnownNote[]
}

/** Actions of one pool that the same keys have not been tried on. */
interface Chunk {
  readonly keys: readonly ScanKey[]
  readonly pool: ShieldedPool
  readonly actions: readonly ScannedAction[]
}

const POOLS = ['orchard', 'ironwood'] as const satisfies readonly ShieldedPool[]
/**
 * Pairs of key and action per job: large enough for the kernel to share its tables, small enough not to block other jobs
 * for more than half a second.
 */
const PAIRS_PER_JOB = 50_000
/** The same for the plain path, which takes about a millisecond for a pair. */
const PLAIN_PAIRS_PER_JOB = 512
const ACTIONS_PER_JOB = 1_000
/** As many as a hundred full blocks have. */
const MAX_CACHED_ACTIONS = 50_000
const KEYS_PER_JOB = 10_000
const MAX_ADDRESSES = 1_000
const DIVERSIFIER_BYTES = 11
const JOB_TIMEOUT_MS = 120_000
/** A thread starts in about a tenth of a second. Blocks arrive every 75 s, transactions of the mempool more often. */
const IDLE_MS = 20_000

/** Note scanner that runs its cryptography on worker threads. */
export function createNoteScanner(options: NoteScannerOptions): NoteScanner {
  const { log, onKernelError = () => {}, threads = defaultThreads() } = options
  const onCrash = (error: unknown) => log.error({ err: error }, 'note scanner thread lost; starting a new one')
  const { script, clock = systemClock } = options
  const limits = {
    maxQueued: 10_000,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    idleMs: IDLE_MS,
    clock,
    onCrash,
    ...(script && { script }),
  }
  const scanWorkers = new WorkerPool({ ...limits, size: threads })
  const utilityWorkers = new WorkerPool({ ...limits, size: threads })

  const cache = new ScanCache(MAX_CACHED_ACTIONS)
  /** The chunks that are being scanned, by the ids of their actions. */
  const running = new Map<string, Promise<void>>()
  const kernel = createKernelFallback(log, () => {
    cache.clear()
    onKernelError()
  })

  /** Scans a chunk, and stores the notes of its actions. */
  async function scanChunk({ keys, pool, actions }: Chunk, keysOfScan: KeysOfScan, isUrgent: boolean): Promise<void> {
    for (const keyBatch of slices(keys, KEYS_PER_JOB)) {
      await kernel.run(async plain => {
        const found = new Map<ScannedAction, KnownNote[]>()
        for (const part of slices(actions, actionsPerJob(keyBatch.length, plain))) {
          const packed = packActions(part.map(({ ref }) => ref.action))
          const job = { kind: 'scan', keys: keyBatch, pool, actions: packed, plain } as const
          for (const match of await scanWorkers.run(job, isUrgent)) {
            const { keyIndex, actionIndex, valueZat, diversifierIndex } = match
            const action = part[actionIndex]!
            const note = { viewingKeyId: keyBatch[keyIndex]!.id, valueZat, diversifierIndex }
            found.set(action, [...(found.get(action) ?? []), note])
          }
        }
        for (const [action, notes] of found) action.notes = [...action.notes, ...notes]
      })
    }
    for (const { id, notes } of actions) cache.store(id, keysOfScan, notes)
  }

  /**
   * Takes the next chunk from a queue. What another scan has stored meanwhile is not scanned again, and what it is
   * scanning at the moment is moved to `elsewhere`.
   */
  function takeChunk(queue: ScannedAction[], elsewhere: ScannedAction[], keysOfScan: KeysOfScan): Chunk | undefined {
    const actions: ScannedAction[] = []
    let pool: ShieldedPool | undefined
    let keys: readonly ScanKey[] = []
    let earlierOfChunk = 0
    while (queue.length > 0 && (pool === undefined || actions.length < actionsPerJob(keys.length, kernel.isPlain()))) {
      const next = queue[0]!
      const { scan: earlier, notes } = cache.lookup(next.id, keysOfScan)
      if (pool !== undefined && (next.ref.pool !== pool || earlier !== earlierOfChunk)) break
      queue.shift()
      const untried = pool === undefined ? cache.untried(keysOfScan, earlier) : keys
      next.notes = notes
      if (untried.length === 0) continue
      if (running.has(next.id)) {
        elsewhere.push(next)
        continue
      }
      pool = next.ref.pool
      keys = untried
      earlierOfChunk = earlier
      actions.push(next)
    }
    return pool && { keys, pool, actions }
  }

  async function runChunk(chunk: Chunk, keysOfScan: KeysOfScan, isUrgent: boolean): Promise<void> {
    const scanning = scanChunk(chunk, keysOfScan, isUrgent)
    for (const { id } of chunk.actions) running.set(id, scanning)
    try {
      await scanning
    } finally {
      for (const { id } of chunk.actions) running.delete(id)
    }
  }

  return {
    start: () => utilityWorkers.start(),
    parseViewingKey: parseOrchardKey,
    diversifierOf,
    diversifierIndexOf: (incoming, diversifier) => diversifierIndex(incomingViewingKeyFromBytes(incoming), diversifier),

    async deriveAddresses(incoming, network, from, count) {
      if (!Number.isInteger(count) || count < 1 || count > MAX_ADDRESSES) {
        throw new RangeError(`count must be 1 to ${MAX_ADDRESSES}`)
      }
      return kernel.run(plain =>
        utilityWorkers.run({ kind: 'deriveAddresses', incoming: copy(incoming), network, from, count, plain }),
      )
    },

    async scan(keys, transactions, { signal, isUrgent = false } = {}) {
      if (transactions.length === 0) return []
      const keysOfScan = cache.begin(keys)
      const scanned = transactions
        .flatMap(actionsOf)
        .map((ref): ScannedAction => ({ ref, id: actionId(ref.pool, ref.action), notes: [] }))
      let queue = scanned.toSorted((x, y) => POOLS.indexOf(x.ref.pool) - POOLS.indexOf(y.ref.pool))
      while (queue.length > 0) {
        const elsewhere: ScannedAction[] = []
        const rest = queue
        // One chunk per thread at a time, so that jobs of other calls can run in between.
        const consumers = Array.from({ length: threads }, async () => {
          for (
            let chunk = takeChunk(rest, elsewhere, keysOfScan);
            chunk;
            chunk = takeChunk(rest, elsewhere, keysOfScan)
          ) {
            signal?.throwIfAborted()
            await runChunk(chunk, keysOfScan, isUrgent)
          }
        })
        await Promise.all(consumers)
        await Promise.allSettled(elsewhere.map(({ id }) => running.get(id)))
        queue = elsewhere
      }
      return scanned.flatMap(({ ref, notes }) => notes.map(note => ({ ...note, ...positionOf(ref) })))
    },

    toCompact: raw => utilityWorkers.run({ kind: 'toCompact', raw: copy(raw) }),

    async close() {
      await Promise.all([scanWorkers.close(), utilityWorkers.close()])
    },
  }
}

function defaultThreads(): number {
  return Math.max(1, Math.min(availableParallelism() - 1, 4))
}

function parseOrchardKey(text: string, network?: Network): ParsedViewingKey {
  const key = parseKey(text)
  if (network !== undefined && key.network !== network) {
    throw invalidField('viewing_key', `is a key of the ${key.network} network; this service is on ${network}`)
  }
  if (!key.orchard) throw invalidField('viewing_key', 'has no Orchard item, and invoices are paid to Orchard receivers')
  const { network: keyNetwork, orchard, expiry } = key
  return {
    network: keyNetwork,
    incoming: incomingViewingKeyToBytes(orchard),
    ...(expiry && { expiry: toKeyExpiry(expiry) }),
  }
}

function diversifierOf(address: string): Uint8Array | null {
  try {
    return parseAddress(address).orchard?.subarray(0, DIVERSIFIER_BYTES) ?? null
  } catch (error) {
    if (error instanceof ZcashError) return null
    throw error
  }
}

function parseKey(text: string): ViewingKey {
  try {
    return parseViewingKey(text)
  } catch (error) {
    if (error instanceof ZcashError) throw invalidField('viewing_key', error.message)
    throw error
  }
}

function actionsPerJob(keys: number, plain: boolean): number {
  const pairs = plain ? PLAIN_PAIRS_PER_JOB : PAIRS_PER_JOB
  return Math.min(ACTIONS_PER_JOB, Math.max(1, Math.floor(pairs / Math.min(keys, KEYS_PER_JOB))))
}

function actionsOf(transaction: CompactTransaction): ActionRef[] {
  return POOLS.flatMap(pool =>
    transaction[pool].map((action, outputIndex) => ({ txid: transaction.txid, pool, outputIndex, action })),
  )
}

/** Where a note is. */
function positionOf({ txid, pool, outputIndex }: ActionRef): Pick<DecryptedNote, 'txid' | 'pool' | 'outputIndex'> {
  return { txid, pool, outputIndex }
}

/** Copies a view, because sending it to a thread would copy its whole underlying buffer. */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

function* slices<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
