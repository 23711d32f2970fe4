import { DAY_SECS } from '../domain/time.ts'
import { viewingKeyPlace } from '../domain/viewing-key.ts'
import type { WatchKey } from '../ports/chain.ts'
import type { ViewingKeyRow } from '../ports/repository/viewing-key.ts'
import type { Rows, Store, Vault } from '../ports.ts'

/** The keys to open notes with. */
export interface WatchKeys {
  /**
   * Those with an invoice that was watched at `time` (Unix seconds) or later, and those whose last payments, seen just
   * in time, may still be mined or moved. @throws when one does not unseal.
   */
  watchedAt(time: number): Promise<WatchKey[]>
  /** Every key there is, as a rescan needs them. */
  all(): Promise<WatchKey[]>
}

/** Longer than the deepest reorganisation that is followed, and than any wallet's transaction waits to be mined. */
const SETTLING_SECS = 2 * DAY_SECS

/** Unseals each key once and keeps it for as long as it is asked for. */
export function createWatchKeys({ store, vault }: { readonly store: Store; readonly vault: Vault }): WatchKeys {
  let unsealed = new Map<number, WatchKey>()

  function unseal({ id, sealed }: ViewingKeyRow): WatchKey {
    return unsealed.get(id) ?? { id, incoming: vault.open(sealed, viewingKeyPlace(id)) }
  }

  async function read(find: (rows: Rows) => Promise<ViewingKeyRow[]>): Promise<WatchKey[]> {
    const keys = (await store.read(find)).map(unseal)
    unsealed = new Map(keys.map(key => [key.id, key]))
    return keys
  }

  return {
    watchedAt: time => read(rows => rows.viewingKeys.watched(time - SETTLING_SECS)),
    all: () => read(rows => rows.viewingKeys.all()),
  }
}
