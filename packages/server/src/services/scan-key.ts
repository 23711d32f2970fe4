import { DAY_SECS } from '../domain/time.ts'
import { viewingKeySealContext } from '../domain/viewing-key.ts'
import type { ScanKey } from '../ports/note-scanner.ts'
import type { ViewingKeyRow } from '../ports/repository/viewing-key.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'

/** The keys for trial decryption of notes. */
export interface ScanKeys {
  /**
   * Keys with an invoice watched at `time` (Unix seconds) or later, and keys whose recorded payments may still be mined or
   * moved: a reorganisation after an outage moves them into blocks dated after the end of the watch. @throws Error when a key cannot be decrypted
   */
  watchedAt(time: number): Promise<ScanKey[]>
  /** All keys, for a rescan. */
  all(): Promise<ScanKey[]>
}

/** Exceeds the deepest supported reorganisation and the expiry of wallet transactions. */
const WATCH_MARGIN_SECS = 2 * DAY_SECS

/** Decrypts each key once and caches it while it is in use. */
export function createScanKeys({ store, vault }: { readonly store: Store; readonly vault: Vault }): ScanKeys {
  let unsealed = new Map<number, ScanKey>()

  function unseal({ id, sealed }: ViewingKeyRow): ScanKey {
    return unsealed.get(id) ?? { id, incoming: vault.open(sealed, viewingKeySealContext(id)) }
  }

  async function unsealAll(find: (tx: Tx) => Promise<ViewingKeyRow[]>): Promise<ScanKey[]> {
    const keys = (await store.read(find)).map(unseal)
    unsealed = new Map(keys.map(key => [key.id, key]))
    return keys
  }

  return {
    watchedAt: time => unsealAll(tx => tx.viewingKeys.watchedAt(time - WATCH_MARGIN_SECS)),
    all: () => unsealAll(tx => tx.viewingKeys.list()),
  }
}
