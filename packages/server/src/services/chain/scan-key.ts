import { viewingKeySealContext } from '../../domain/account/viewing-key.ts'
import { watchedSince } from '../../domain/chain/watched-key.ts'
import { unknownParts } from '../../domain/database-identity.ts'
import { isGeneralFault, isRowFault, scanKeyReference } from '../../domain/set-aside.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { ScanKey } from '../../ports/note-scanner.ts'
import type { ViewingKeyRow } from '../../ports/repository/account/viewing-key.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { SetAsides } from '../set-aside.ts'

/** The keys of one scan. */
export interface ScanKeySet {
  readonly keys: readonly ScanKey[]
  /** References of the keys that are set aside. The blocks of this scan must be read for them later. */
  readonly leftOut: readonly string[]
}

/**
 * The keys for trial decryption of notes. A key that does not open is set aside from the block above the last recorded
 * one: other merchants' payments are found, its invoices do not expire, and the missed blocks are read when it opens again.
 */
export interface ScanKeys {
  /**
   * Keys with an invoice watched at `time` (Unix seconds) or later, and keys whose recorded payments may still be mined or
   * moved: a reorganisation after an outage moves them into blocks dated after the end of the watch.
   * @throws the error, when no key opens
   */
  watchedAt(time: number): Promise<ScanKeySet>
  /** Those, and the keys of the payments recorded at these heights, whose watch may have ended before. */
  forComparison(time: number, from: number, to: number): Promise<ScanKeySet>
  /** All keys that open, for a rescan: also those that are set aside. */
  all(): Promise<ScanKeySet>
  /** A key that is set aside; null when the row has another key now, or none. @throws when it does not open */
  open(entry: SetAside): Promise<ScanKey | null>
}

interface Unsealed {
  readonly fingerprint: Uint8Array
  readonly key: ScanKey
}

/** The keys of `watchedAt` as they were last read, none of them set aside. */
interface WatchedKeySet extends ScanKeySet {
  readonly time: number
  readonly version: string
}

/** Decrypts each key once and caches it while it is in use. Reads the watched keys again when their version has changed. */
export function createScanKeys(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly setAsides: SetAsides
  readonly metrics: Pick<Metrics, 'watchedKeys'>
}): ScanKeys {
  const { store, vault, setAsides, metrics } = deps
  let unsealed = new Map<number, Unsealed>()
  let lastWatched: WatchedKeySet | null = null

  /** Compares the fingerprint too: a promoted standby can give the row id to another key. */
  function unseal({ id, fingerprint, sealed }: ViewingKeyRow): Unsealed {
    const known = unsealed.get(id)
    if (known && Buffer.compare(known.fingerprint, fingerprint) === 0) return known
    return { fingerprint, key: { id, incoming: vault.open(sealed, viewingKeySealContext(id)) } }
  }

  /** Unless the row has another key by now, as in a promoted standby. */
  async function setAside(row: ViewingKeyRow, error: unknown): Promise<void> {
    const entry = await store.write(async tx => {
      await tx.chain.lock()
      const current = await tx.viewingKeys.byId(row.id)
      if (!current || Buffer.compare(current.fingerprint, row.fingerprint) !== 0) return null
      return setAsides.put(tx, scanKeyReference(row), error, ((await tx.chain.tip())?.height ?? 0) + 1)
    })
    if (entry) setAsides.report(entry)
  }

  async function readAndUnseal(find: (tx: Tx) => Promise<ViewingKeyRow[]>, withSetAside: boolean): Promise<ScanKeySet> {
    const { rows, references } = await store.read(async tx => ({
      rows: await find(tx),
      references: await tx.setAside.missingBlocks(),
    }))
    return unsealAll(rows, references, withSetAside)
  }

  async function unsealAll(
    rows: readonly ViewingKeyRow[],
    references: readonly string[],
    withSetAside: boolean,
  ): Promise<ScanKeySet> {
    const leftOut = new Set(references)
    const opened: Unsealed[] = []
    const failed: { row: ViewingKeyRow; error: unknown }[] = []
    for (const row of rows) {
      const isSetAside = leftOut.has(scanKeyReference(row).reference)
      if (isSetAside && !withSetAside) continue
      try {
        opened.push(unseal(row))
      } catch (error) {
        if (!isRowFault(error)) throw error
        if (!isSetAside) failed.push({ row, error })
      }
    }
    unsealed = new Map(opened.map(one => [one.key.id, one]))
    const failedKeys = failed.map(({ row }) => row.id)
    if (failed[0] && isGeneralFault({ succeeded: opened.length, failedAccounts: failedKeys })) throw failed[0].error
    for (const { row, error } of failed) {
      await setAside(row, error)
      leftOut.add(scanKeyReference(row).reference)
    }
    return { keys: opened.map(({ key }) => key), leftOut: [...leftOut] }
  }

  async function watchedAt(time: number): Promise<ScanKeySet> {
    const last = lastWatched
    const read = await store.read(async tx => {
      const references = await tx.setAside.missingBlocks()
      const version = references.length > 0 ? null : await watchedVersion(tx, time)
      if (last && version === last.version && time >= last.time) return null
      return { version, references, rows: await tx.viewingKeys.watchedAt(watchedSince(time)) }
    })
    if (read === null) return last!
    const { version, references, rows } = read
    const watched = await unsealAll(rows, references, false)
    lastWatched = version === null || watched.leftOut.length > 0 ? null : { ...watched, time, version }
    return watched
  }

  return {
    async watchedAt(time) {
      const watched = await watchedAt(time)
      metrics.watchedKeys(watched.keys.length)
      return watched
    },

    all: () => readAndUnseal(tx => tx.viewingKeys.list(), true),

    async open({ rowId, reference }) {
      const row = rowId === null ? null : await store.query(tx => tx.viewingKeys.byId(rowId))
      if (!row || row.sealed.length === 0 || scanKeyReference(row).reference !== reference) return null
      return unseal(row).key
    },

    forComparison: (time, from, to) =>
      readAndUnseal(async tx => {
        const watched = await tx.viewingKeys.watchedAt(watchedSince(time))
        const known = new Set(watched.map(({ id }) => id))
        const recorded = await tx.viewingKeys.ofPaymentsBetween(from, to)
        return [...watched, ...recorded.filter(({ id }) => !known.has(id))]
      }, false),
  }
}

/** Null: unknown. A promoted standby whose timeline is not known would be taken for the database before it. */
async function watchedVersion(tx: Tx, time: number): Promise<string | null> {
  const { current } = await tx.databaseIdentity.read()
  if (unknownParts(current).length > 0) return null
  const version = await tx.viewingKeys.watchedVersion(watchedSince(time))
  return version && `${current} ${version}`
}
