import type { Network } from '../domain/account.ts'
import { viewingKeyPlace } from '../domain/viewing-key.ts'
import type { Store, Vault, Viewer } from '../ports.ts'

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
/** Keys whose addresses are kept ready; the longest unused gives way, and its indexes stay unused for ever. */
const MOST_POOLS = 2_000

interface Pool {
  readonly spares: Spare[]
  /** How many a filling brings. */
  size: number
  /** Somebody found it empty: the next filling brings twice as many. */
  ranDry: boolean
  filling: Promise<void> | null
  key: { readonly incoming: Uint8Array; readonly network: Network } | null
}

/**
 * Keeps a few addresses derived ahead for each key in use, so that making an invoice neither waits for cryptography
 * nor touches the counter of indexes. A range of indexes is taken in a transaction of its own, before any address in
 * it is shown: neither a crash nor a second process can make an index serve twice.
 */
export function createAddresses({ store, viewer, vault }: { store: Store; viewer: Viewer; vault: Vault }): Addresses {
  const pools = new Map<number, Pool>()

  function poolOf(viewingKeyId: number): Pool {
    const pool = pools.get(viewingKeyId) ?? { spares: [], size: 0, ranDry: false, filling: null, key: null }
    pools.delete(viewingKeyId)
    pools.set(viewingKeyId, pool)
    if (pools.size > MOST_POOLS) pools.delete(pools.keys().next().value as number)
    return pool
  }

  async function fill(viewingKeyId: number, pool: Pool): Promise<void> {
    pool.key ??= await openKey(viewingKeyId)
    const { incoming, network } = pool.key
    if (pool.ranDry) pool.size = Math.min(Math.max(1, pool.size * 2), LARGEST_FILL)
    pool.ranDry = false
    const count = pool.size
    const first = await store.write(rows => rows.viewingKeys.reserve(viewingKeyId, count))
    const addresses = await viewer.addresses(incoming, network, first, count)
    pool.spares.push(...addresses.map((address, offset) => ({ index: first + BigInt(offset), address })))
  }

  async function openKey(viewingKeyId: number): Promise<NonNullable<Pool['key']>> {
    const row = await store.read(rows => rows.viewingKeys.byId(viewingKeyId))
    if (!row) throw new Error('an account has a viewing key that does not exist')
    const incoming = vault.open(row.sealed, viewingKeyPlace(row.id))
    return { incoming, network: row.network }
  }

  /** One filling at a time; whoever comes meanwhile waits for the same. */
  function filled(viewingKeyId: number, pool: Pool): Promise<void> {
    pool.filling ??= fill(viewingKeyId, pool).finally(() => {
      pool.filling = null
    })
    return pool.filling
  }

  return {
    async take(viewingKeyId) {
      const pool = poolOf(viewingKeyId)
      for (;;) {
        const spare = pool.spares.shift()
        if (spare) {
          // A failure here is not lost: whoever finds the pool empty tries again, and hears of it.
          if (pool.spares.length * 2 < pool.size) filled(viewingKeyId, pool).catch(() => undefined)
          return spare
        }
        pool.ranDry = true
        await filled(viewingKeyId, pool)
      }
    },

    giveBack(viewingKeyId, spare) {
      pools.get(viewingKeyId)?.spares.push(spare)
    },
  }
}
