import { viewingKeySealContext } from '../domain/viewing-key.ts'
import { watchedSince } from '../domain/watched-key.ts'
import type { Metrics } from '../ports/metrics.ts'
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

/** Decrypts each key once and caches it while it is in use. */
export function createScanKeys(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly metrics: Pick<Metrics, 'watchedKeys'>
}): ScanKeys {
  const { store, vault, metrics } = deps
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
    async watchedAt(time) {
      const keys = await unsealAll(tx => tx.viewingKeys.watchedAt(watchedSince(time)))
      metrics.watchedKeys(keys.length)
      return keys
    },
    all: () => unsealAll(tx => tx.viewingKeys.list()),
  }
}
