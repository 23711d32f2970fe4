import { DAY_SECS } from '../domain/time.ts'
import { viewingKeyPlace } from '../domain/viewing-key.ts'
import type { WatchKey } from '../ports/note-scanner.ts'
import type { ViewingKeyRow } from '../ports/repository/viewing-key.ts'
import type { Rows, Store } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'

/** The keys for trial decryption of notes. */
export interface WatchKeys {
  /**
   * Keys with an invoice watched at `time` (Unix seconds) or later, and keys whose last payments may still be mined or
   * moved. @throws Error when a key cannot be decrypted
   */
  watchedAt(time: number): Promise<WatchKey[]>
  /** All keys, for a rescan. */
  all(): Promise<WatchKey[]>
}

/** Exceeds the deepest supported reorganisation and the expiry of wallet transactions. */
const SETTLING_SECS = 2 * DAY_SECS

/** Decrypts each key once and caches it while it is in use. */
export function createWatchKeys({ store, vault }: { readonly store: Store; readonly vault: Vault }): WatchKeys {
  let unsealed = new Map<number, WatchKey>()

  function unseal({ id, sealed }: ViewingKeyRow): WatchKey {
    return unsealed.get(id) ?? { id, incoming: vault.open(sealed, viewingKeyPlace(id)) }
  }

  async function unsealAll(find: (tx: Rows) => Promise<ViewingKeyRow[]>): Promise<WatchKey[]> {
    const keys = (await store.read(find)).map(unseal)
    unsealed = new Map(keys.map(key => [key.id, key]))
    return keys
  }

  return {
    watchedAt: time => unsealAll(tx => tx.viewingKeys.watched(time - SETTLING_SECS)),
    all: () => unsealAll(tx => tx.viewingKeys.all()),
  }
}
