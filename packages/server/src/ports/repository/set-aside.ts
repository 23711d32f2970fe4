import type { RowReference, SetAsideKind } from '../../domain/set-aside.ts'

/** A row that background work leaves out. Times in Unix seconds. */
export interface SetAside extends RowReference {
  readonly error: string
  readonly failures: number
  readonly firstAt: number
  readonly nextAttemptAt: number
  /** The first block that was not scanned with a scan key. Null: all blocks were. */
  readonly fromHeight: number | null
}

/** The entries of a kind. */
export interface SetAsideCount {
  readonly kind: SetAsideKind
  readonly rows: number
  /** Unix seconds. */
  readonly firstAt: number
}

/** The entries, one for each row that is set aside. */
export interface SetAsideRepository {
  /** Locks the entry until the transaction ends. */
  lock(row: Pick<RowReference, 'kind' | 'reference'>): Promise<SetAside | null>
  /** Inserts the entry, or replaces the one of the same row. */
  put(entry: SetAside): Promise<void>
  /** Inserts the entries of rows that have none: of an account at most as many as it has invoices. */
  putNew(entries: readonly SetAside[]): Promise<void>
  remove(row: Pick<RowReference, 'kind' | 'reference'>): Promise<void>
  /** Entries to try again, in the order of their times. */
  listDue(kind: SetAsideKind, now: number, limit: number): Promise<SetAside[]>
  /** Whether there are entries to try again, of any kind. */
  isAnyDue(now: number): Promise<boolean>
  /** Makes all entries due. */
  makeAllDue(now: number): Promise<void>
  /**
   * Scan keys to try again: with `limit` each, those with blocks that were not scanned, then those that wait for a complete
   * sync.
   */
  listDueScanKeys(now: number, limit: number): Promise<SetAside[]>
  /** References of the scan keys with blocks that were not scanned with them. */
  missingBlocks(): Promise<string[]>
  /** Row ids of the scan keys with blocks that were not scanned with them. */
  keysMissingBlocks(): Promise<number[]>
  /** The first block that was not scanned with a scan key; null: all were. */
  fromHeightOf(viewingKeyId: number): Promise<number | null>
  /** Those of these invoices, by row id, that are evaluated later. */
  invoicesAmong(ids: readonly number[]): Promise<number[]>
  /** Row ids of the scan keys that are set aside, or wait for a complete sync after that. */
  scanKeyIds(): Promise<number[]>
  /** The blocks from this height on are read again: scan keys that are set aside miss them too. */
  lowerFromHeight(height: number): Promise<void>
  /** The recorded chain begins with this height: no scan key misses a block below. */
  raiseFromHeights(height: number): Promise<void>
  /** Number of entries with a failure of the row alone, of the account, up to `max`. Null: of all accounts. */
  count(accountId: number | null, max: number): Promise<number>
  /** Entries that concern the account. */
  countByKindOf(accountId: number): Promise<SetAsideCount[]>
  /** All entries. */
  countByKind(): Promise<SetAsideCount[]>
  /** The oldest entries. */
  list(limit: number): Promise<SetAside[]>
}
