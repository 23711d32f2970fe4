import type { Network } from '../domain/account.ts'
import { viewingKeyPlace } from '../domain/viewing-key.ts'
import type { Store, Vault, Viewer } from '../ports.ts'
import type { Origin } from './database-identity.ts'

export interface Spare {
  readonly index: bigint
  readonly address: string
}

/** Addresses to hand out, each once and never again under its viewing key. */
export interface Addresses {
  /** @throws when the key's row is gone, or its secret does not open. */
  take(viewingKeyId: number): Promise<Spare>
  /** Returns an address that was never shown and is in no committed row. */
  giveBack(viewingKeyId: number, spare: Spare): void
}

const LARGEST_FILL = 64
/** Derived at a time, so that whoever waits gets the first of a filling early, and no key waits for all of another's. */
const SLICE = 8
/** Slices of one key under way: while one is handed out, the next is being derived. */
const SLICES_AT_ONCE = 2
/** Keys whose addresses are kept ready; the longest unused gives way, and its indexes stay unused for ever. */
const MOST_POOLS = 2_000

interface Pool {
  readonly spares: Spare[]
  readonly waiting: { resolve: (spare: Spare) => void; reject: (error: unknown) => void }[]
  /** How many a filling brings. */
  size: number
  /** Somebody found it empty: the next filling brings twice as many. */
  ranDry: boolean
  filling: boolean
  key: { readonly incoming: Uint8Array; readonly network: Network } | null
}

/**
 * Keeps a few addresses derived ahead for each key in use, so that making an invoice neither waits for cryptography
 * nor touches the counter of indexes. A range of indexes is taken in a transaction of its own, before any address in
 * it is shown: neither a crash nor a second process can make an index serve twice. The same transaction moves the
 * counters on when the database has become a copy, such as a standby that was promoted meanwhile.
 */
export function createAddresses(deps: {
  readonly store: Store
  readonly viewer: Viewer
  readonly vault: Vault
  readonly origin: Pick<Origin, 'write'>
}): Addresses {
  const { store, viewer, vault, origin } = deps
  const pools = new Map<number, Pool>()

  function poolOf(viewingKeyId: number): Pool {
    const pool = pools.get(viewingKeyId) ?? emptyPool()
    pools.delete(viewingKeyId)
    pools.set(viewingKeyId, pool)
    if (pools.size > MOST_POOLS) pools.delete(pools.keys().next().value as number)
    return pool
  }

  /** Fills it until nobody waits and half of a filling is at hand; once at a time. */
  async function keepFilled(viewingKeyId: number, pool: Pool): Promise<void> {
    if (pool.filling) return
    pool.filling = true
    try {
      while (pool.waiting.length > 0 || isLow(pool)) await fill(viewingKeyId, pool)
    } catch (error) {
      // With nobody waiting it is not lost: whoever finds the pool empty tries again, and hears of it.
      for (const { reject } of pool.waiting.splice(0)) reject(error)
    } finally {
      pool.filling = false
    }
  }

  async function fill(viewingKeyId: number, pool: Pool): Promise<void> {
    pool.key ??= await openKey(viewingKeyId)
    const { incoming, network } = pool.key
    if (pool.ranDry || pool.waiting.length > 0) pool.size = Math.min(Math.max(1, pool.size * 2), LARGEST_FILL)
    pool.ranDry = false
    const count = pool.size
    const first = await origin.write(rows => rows.viewingKeys.reserve(viewingKeyId, count))
    const slices = slicesOf(first, count)
    const takers = Array.from({ length: SLICES_AT_ONCE }, async () => {
      for (const { from, length } of slices) {
        const addresses = await viewer.addresses(incoming, network, from, length)
        for (const [offset, address] of addresses.entries()) handOut(pool, { index: from + BigInt(offset), address })
      }
    })
    await Promise.all(takers)
  }

  async function openKey(viewingKeyId: number): Promise<NonNullable<Pool['key']>> {
    const row = await store.read(rows => rows.viewingKeys.byId(viewingKeyId))
    if (!row) throw new Error('an account has a viewing key that does not exist')
    const incoming = vault.open(row.sealed, viewingKeyPlace(row.id))
    return { incoming, network: row.network }
  }

  return {
    async take(viewingKeyId) {
      const pool = poolOf(viewingKeyId)
      const spare = pool.spares.shift()
      if (spare) {
        if (isLow(pool)) void keepFilled(viewingKeyId, pool)
        return spare
      }
      pool.ranDry = true
      return new Promise<Spare>((resolve, reject) => {
        pool.waiting.push({ resolve, reject })
        void keepFilled(viewingKeyId, pool)
      })
    },

    giveBack(viewingKeyId, spare) {
      const pool = pools.get(viewingKeyId)
      if (pool) handOut(pool, spare)
    },
  }
}

function emptyPool(): Pool {
  return { spares: [], waiting: [], size: 0, ranDry: false, filling: false, key: null }
}

function isLow({ spares, size }: Pool): boolean {
  return spares.length * 2 < size
}

/** To whoever waits longest, else into the pool. */
function handOut({ spares, waiting }: Pool, spare: Spare): void {
  const next = waiting.shift()
  if (next) next.resolve(spare)
  else spares.push(spare)
}

/** Several takers may share it: each slice goes to one of them. */
function* slicesOf(first: bigint, count: number): Generator<{ from: bigint; length: number }> {
  for (let at = 0; at < count; at += SLICE) yield { from: first + BigInt(at), length: Math.min(SLICE, count - at) }
}
