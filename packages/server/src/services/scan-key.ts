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

interface Unsealed {
  readonly fingerprint: Uint8Array
  readonly key: ScanKey
}

/** Decrypts each key once and caches it while it is in use. */
export function createScanKeys(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly metrics: Pick<Metrics, 'watchedKeys'>
}): ScanKeys {
  const { store, vault, metrics } = deps
  let unsealed = new Map<number, Unsealed>()

  /** Compares the fingerprint too: a promoted standby can give the row id to another key. */
  function unseal({ id, fingerprint, sealed }: ViewingKeyRow): Unsealed {
    const known = unsealed.get(id)
    if (known && Buffer.compare(known.fingerprint, fingerprint) === 0) return known
    return { fingerprint, key: { id, incoming: vault.open(sealed, viewingKeySealContext(id)) } }
  }

  async function unsealAll(find: (tx: Tx) => Promise<ViewingKeyRow[]>): Promise<ScanKey[]> {
    const all = (await store.read(find)).map(unseal)
    unsealed = new Map(all.map(one => [one.key.id, one]))
    return all.map(({ key }) => key)
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
