import type { Network } from '../../domain/account/account.ts'
import { viewingKeySealContext } from '../../domain/account/viewing-key.ts'
import { AppError } from '../../domain/error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import type { ViewingKeyRow } from '../../ports/repository/account/viewing-key.ts'
import type { Store } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { DatabaseIdentity } from '../database-identity.ts'

/** A reserved address, with the key that it belongs to. */
export interface AddressOfKey {
  readonly index: bigint
  readonly address: string
  /** The fingerprint of the viewing key, 32 bytes. */
  readonly fingerprint: Uint8Array
}

/**
 * Reserves addresses for invoices. An address is never used twice under its viewing key. It belongs to the key that the row
 * held when its index was reserved: the transaction that uses it compares the fingerprint.
 */
export interface Addresses {
  /** @throws AppError `no_such_viewing_key` for a missing or deleted key; Error when its secret cannot be decrypted */
  reserve(viewingKeyId: number): Promise<AddressOfKey>
  /** Makes an address available again. It must not have been shown and must not be in a committed row. */
  release(viewingKeyId: number, reserved: AddressOfKey): void
  /** Forgets the cached addresses of the key that this address belongs to. Their indexes are never used. */
  forget(viewingKeyId: number, reserved: AddressOfKey): void
  /**
   * Advances the counters, and makes available some addresses of the keys that were used last. Each process that
   * reserves addresses calls it before the first `reserve`.
   */
  start(): Promise<void>
}

/** Maximum addresses derived in one batch. */
const MAX_BATCH = 512
/** A batch that is used up faster is doubled: each batch costs a transaction, which competes with those of the invoices. */
const SHORT_BATCH_MS = 1_000
/** A slice costs a few milliseconds whatever its size, so slices are large. Between slices, keys take turns. */
const SLICE_SIZE = 128
/** Slices of one key derived at the same time: one is delivered while the next is derived. */
const PARALLEL_SLICES = 2
/** Keys with cached addresses. The least recently used key is evicted, and its cached indexes are never used. */
const MAX_CACHES = 2_000
/** Keys of which a process derives addresses before its first request, and addresses of each: a tenth of a second. */
const AHEAD_KEYS = 16
const AHEAD_SIZE = 128

interface AddressCache {
  /** The free addresses of `key`. */
  readonly available: AddressOfKey[]
  readonly waiting: { resolve: (reserved: AddressOfKey) => void; reject: (error: unknown) => void }[]
  /** Addresses in each batch. */
  size: number
  /** The cache was empty, or low within a second of the last batch: the next batch is twice as large. */
  isTooSmall: boolean
  refilling: boolean
  /** When the last refill began, in Unix milliseconds. */
  refilledAt: number
  key: UnsealedKey | null
}

interface UnsealedKey {
  readonly fingerprint: Uint8Array
  readonly incoming: Uint8Array
  readonly network: Network
}

/**
 * Derives a few addresses ahead for each key in use, so that creating an invoice waits neither for cryptography nor for
 * the index counter. A separate transaction reserves each range of indexes before any of its addresses is shown, so
 * neither a crash nor a second process can use an index twice. The same transaction advances the counters when the
 * database has become a copy, such as a promoted standby.
 *
 * Addresses are cached in memory alone: the indexes that a process leaves unused are skipped. A batch has at most 512 of
 * 2^88 indexes, and no reader of the chain looks for addresses by a gap limit: a note is found by the viewing key, and
 * its index is decrypted from its diversifier.
 */
export function createAddresses(deps: {
  readonly store: Store
  readonly noteScanner: NoteScanner
  readonly vault: Vault
  readonly databaseIdentity: Pick<DatabaseIdentity, 'write' | 'advanceCountersAtStart'>
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Log
}): Addresses {
  const { store, noteScanner, vault, databaseIdentity, clock, log } = deps
  const caches = new Map<number, AddressCache>()

  function cacheOf(viewingKeyId: number): AddressCache {
    const cache = caches.get(viewingKeyId) ?? emptyCache()
    caches.delete(viewingKeyId)
    caches.set(viewingKeyId, cache)
    if (caches.size > MAX_CACHES) caches.delete(caches.keys().next().value as number)
    return cache
  }

  /** Derives batches until no caller waits and half a batch is available. Runs once at a time for each cache. */
  async function refill(viewingKeyId: number, cache: AddressCache): Promise<void> {
    if (cache.refilling) return
    cache.refilling = true
    const now = clock.nowMs()
    cache.isTooSmall ||= now - cache.refilledAt < SHORT_BATCH_MS
    cache.refilledAt = now
    try {
      while (cache.waiting.length > 0 || isLow(cache)) await deriveBatch(viewingKeyId, cache)
    } catch (error) {
      // Without waiting callers the error can be dropped: the next caller that finds the cache empty retries.
      for (const { reject } of cache.waiting.splice(0)) reject(error)
    } finally {
      cache.refilling = false
    }
  }

  async function deriveBatch(viewingKeyId: number, cache: AddressCache): Promise<void> {
    // Requests that arrive meanwhile share the first batch.
    if (!cache.key) setKey(cache, await readKey(viewingKeyId))
    if (cache.isTooSmall || cache.waiting.length > 0) {
      cache.size = Math.min(Math.max(1, cache.size * 2, cache.waiting.length), MAX_BATCH)
    }
    cache.isTooSmall = false
    const count = cache.size
    const reserved = await databaseIdentity.write(tx => tx.viewingKeys.reserveIndexes(viewingKeyId, count))
    const { fingerprint, incoming, network } = setKey(cache, reserved.key)
    const slices = slicesOf(reserved.first, count)
    const workers = Array.from({ length: PARALLEL_SLICES }, async () => {
      for (const { from, length } of slices) {
        const addresses = await noteScanner.deriveAddresses(incoming, network, from, length)
        for (const [offset, address] of addresses.entries())
          provide(cache, { index: from + BigInt(offset), address, fingerprint })
      }
    })
    await Promise.all(workers)
  }

  async function readKey(viewingKeyId: number): Promise<ViewingKeyRow> {
    const row = await store.read(tx => tx.viewingKeys.byId(viewingKeyId))
    if (!row?.sealed.length) throw new AppError('no_such_viewing_key')
    return row
  }

  /** Drops the addresses of another key: a promoted standby, or a restored dump, has given the row id to this one. */
  function setKey(cache: AddressCache, { id, fingerprint, network, sealed }: ViewingKeyRow): UnsealedKey {
    if (cache.key && isSame(cache.key, fingerprint)) return cache.key
    cache.available.length = 0
    cache.key = { fingerprint, network, incoming: vault.open(sealed, viewingKeySealContext(id)) }
    return cache.key
  }

  /** Derives addresses of the keys that were used last, so that a burst right after the start finds some. */
  async function deriveAhead(): Promise<void> {
    for (const row of await store.read(tx => tx.viewingKeys.lastUsed(AHEAD_KEYS))) {
      const cache = cacheOf(row.id)
      setKey(cache, row)
      cache.size = AHEAD_SIZE
      await refill(row.id, cache)
    }
  }

  return {
    async reserve(viewingKeyId) {
      const cache = cacheOf(viewingKeyId)
      const reserved = cache.available.shift()
      if (reserved) {
        if (isLow(cache)) void refill(viewingKeyId, cache)
        return reserved
      }
      cache.isTooSmall = true
      return new Promise<AddressOfKey>((resolve, reject) => {
        cache.waiting.push({ resolve, reject })
        void refill(viewingKeyId, cache)
      })
    },

    release(viewingKeyId, reserved) {
      const cache = caches.get(viewingKeyId)
      if (cache?.key && isSame(cache.key, reserved.fingerprint)) provide(cache, reserved)
    },

    forget(viewingKeyId, reserved) {
      const key = caches.get(viewingKeyId)?.key
      if (key && isSame(key, reserved.fingerprint)) caches.delete(viewingKeyId)
    },

    async start() {
      await databaseIdentity.advanceCountersAtStart()
      try {
        await deriveAhead()
      } catch (error) {
        log.warn({ err: error }, 'no address is available before the first request')
      }
    },
  }
}

function emptyCache(): AddressCache {
  return {
    available: [],
    waiting: [],
    size: 0,
    isTooSmall: false,
    refilling: false,
    refilledAt: Number.NEGATIVE_INFINITY,
    key: null,
  }
}

function isLow({ available, size }: AddressCache): boolean {
  return available.length * 2 < size
}

/** Delivers the address to the caller that waits longest, or stores it in the cache. */
function provide({ available, waiting }: AddressCache, reserved: AddressOfKey): void {
  const waiter = waiting.shift()
  if (waiter) waiter.resolve(reserved)
  else available.push(reserved)
}

function isSame({ fingerprint }: UnsealedKey, other: Uint8Array): boolean {
  return Buffer.compare(fingerprint, other) === 0
}

/** Workers share the generator, so each slice is derived once. */
function* slicesOf(first: bigint, count: number): Generator<{ from: bigint; length: number }> {
  for (let offset = 0; offset < count; offset += SLICE_SIZE)
    yield { from: first + BigInt(offset), length: Math.min(SLICE_SIZE, count - offset) }
}
