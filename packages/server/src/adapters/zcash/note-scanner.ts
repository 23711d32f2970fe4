import { availableParallelism } from 'node:os'
import { diversifierIndex, parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { incomingFromBytes, incomingToBytes, parseViewingKey, type ViewingKey } from '@zatgate/zcash/viewing-key'
import type { Network } from '../../domain/account.ts'
import type { CompactAction, CompactTransaction } from '../../domain/chain.ts'
import { invalidField } from '../../domain/error.ts'
import type { Pool } from '../../domain/shielded-pool.ts'
import type { ImportedKey, OpenedNote, WatchKey } from '../../ports/chain.ts'
import type { Log, Viewer } from '../../ports.ts'
import { toKeyExpiry } from './key-expiry.ts'
import { packActions } from './messages.ts'
import { ViewerPool } from './worker-pool.ts'

export interface ViewerOptions {
  readonly log: Log
  /**
   * Threads that open notes. Up to as many more derive addresses and read transactions, so that nobody waits for a scan;
   * each is started when there is work for it.
   */
  readonly threads?: number
}

/** An action, and where it stands. */
interface Place {
  readonly txid: string
  readonly pool: Pool
  readonly outputIndex: number
  readonly action: CompactAction
}

interface Chunk {
  readonly keys: readonly WatchKey[]
  readonly pool: Pool
  readonly places: readonly Place[]
}

const POOLS = ['orchard', 'ironwood'] as const satisfies readonly Pool[]
/** Pairs of key and action in one job: long enough to be worth sending, short enough for others not to wait. */
const PAIRS_PER_JOB = 512
const KEYS_PER_JOB = 10_000
const MAX_ADDRESSES = 1_000
const DIVERSIFIER_BYTES = 11
const JOB_LIMIT_MS = 120_000

/** The viewer on worker threads: the main thread only hands out work. */
export function createViewer({ log, threads = usualThreads() }: ViewerOptions): Viewer {
  const onCrash = (error: unknown) => log.error({ err: error }, 'a viewer thread was lost and is replaced')
  const limits = { maxQueued: 10_000, jobLimitMs: JOB_LIMIT_MS, onCrash }
  const openers = new ViewerPool({ ...limits, size: threads })
  const clerks = new ViewerPool({ ...limits, size: threads })

  async function openChunk({ keys, pool, places }: Chunk): Promise<OpenedNote[]> {
    const actions = packActions(places.map(place => place.action))
    const opened = await openers.run({ kind: 'open', keys, pool, actions })
    return opened.map(({ keyIndex, actionIndex, valueZat, diversifierIndex }) => {
      const { txid, outputIndex } = places[actionIndex]!
      return { viewingKeyId: keys[keyIndex]!.id, txid, pool, outputIndex, valueZat, diversifierIndex }
    })
  }

  return {
    importKey,
    indexOf,

    async addresses(incoming, network, from, count) {
      if (!Number.isInteger(count) || count < 1 || count > MAX_ADDRESSES) {
        throw new RangeError(`addresses are derived 1 to ${MAX_ADDRESSES} at a time`)
      }
      return clerks.run({ kind: 'addresses', incoming: copy(incoming), network, from, count })
    },

    async open(keys, transactions, signal) {
      // Even for nothing: the first blocks that a watcher reads come before the first payment, which then need not wait.
      openers.start()
      const chunks = chunksOf(keys, transactions)
      const notes: OpenedNote[] = []
      // As many at a time as there are threads: between two chunks, somebody else's gets its turn.
      const takers = Array.from({ length: threads }, async () => {
        for (const chunk of chunks) {
          signal?.throwIfAborted()
          notes.push(...(await openChunk(chunk)))
        }
      })
      await Promise.all(takers)
      return notes
    },

    compact: raw => clerks.run({ kind: 'compact', raw: copy(raw) }),

    async close() {
      await Promise.all([openers.close(), clerks.close()])
    },
  }
}

function usualThreads(): number {
  return Math.max(1, Math.min(availableParallelism() - 1, 4))
}

function importKey(text: string, network?: Network): ImportedKey {
  const key = parse(text)
  if (network !== undefined && key.network !== network) {
    throw invalidField('viewing_key', `is a key of the ${key.network} network; this service is on ${network}`)
  }
  if (!key.orchard) throw invalidField('viewing_key', 'has no Orchard item, and invoices are paid to Orchard receivers')
  const { network: of, orchard, expiry } = key
  return { network: of, incoming: incomingToBytes(orchard), ...(expiry && { expiry: toKeyExpiry(expiry) }) }
}

function indexOf(incoming: Uint8Array, address: string): bigint | null {
  try {
    const { orchard } = parseAddress(address)
    return orchard ? diversifierIndex(incomingFromBytes(incoming), orchard.subarray(0, DIVERSIFIER_BYTES)) : null
  } catch (error) {
    if (error instanceof ZcashError) return null
    throw error
  }
}

function parse(text: string): ViewingKey {
  try {
    return parseViewingKey(text)
  } catch (error) {
    if (error instanceof ZcashError) throw invalidField('viewing_key', error.message)
    throw error
  }
}

/** Several takers may share it: each chunk goes to one of them. */
function* chunksOf(keys: readonly WatchKey[], transactions: readonly CompactTransaction[]): Generator<Chunk> {
  for (const pool of POOLS) {
    const places = placesIn(transactions, pool)
    for (const someKeys of slices(keys, KEYS_PER_JOB)) {
      const actions = Math.max(1, Math.floor(PAIRS_PER_JOB / someKeys.length))
      for (const somePlaces of slices(places, actions)) yield { keys: someKeys, pool, places: somePlaces }
    }
  }
}

function placesIn(transactions: readonly CompactTransaction[], pool: Pool): Place[] {
  return transactions.flatMap(({ txid, [pool]: actions }) =>
    actions.map((action, outputIndex) => ({ txid, pool, outputIndex, action })),
  )
}

/** Sending a view to a thread sends all the memory it looks into. */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

function* slices<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
