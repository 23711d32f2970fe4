import type { Actor, AuditKind } from '../../../domain/account/audit.ts'

/** An entry to append. It contains no secret, no viewing key and no full invoice id. */
export interface NewAuditEntry {
  /** Null: the whole service. */
  readonly accountId: number | null
  readonly kind: AuditKind
  readonly actor: Actor
  /** Names the object, such as an API key. */
  readonly detail: string | null
  /** Unix seconds. */
  readonly createdAt: number
}

/** A stored entry. */
export interface AuditEntry extends NewAuditEntry {
  readonly id: number
  /** Null: the whole service. */
  readonly email: string | null
}

/** Selects entries to list. */
export interface AuditFilter {
  readonly accountId?: number
}

/** The audit log. Entries are appended and deleted by age; nothing changes them. */
export interface AuditRepository {
  append(entry: NewAuditEntry): Promise<void>
  /**
   * Appends an entry about the account with this email, unless visitors caused `max` entries since a time. The same
   * statement runs when there is no such account, so that its duration does not reveal accounts.
   */
  appendForEmail(
    email: string,
    entry: Omit<NewAuditEntry, 'accountId'>,
    limit: { readonly since: number; readonly max: number },
  ): Promise<void>
  /** Number of an account's entries by its owner or its API keys, or by one session or key, since a time, counted up to `max`. */
  countBy(
    scope: { readonly accountId: number; readonly by: Actor['by']; readonly session?: string | null },
    since: number,
    max: number,
  ): Promise<number>
  /** Newest first: entries with ids below `before`, or the nearest with ids above `after`. */
  list(filter: AuditFilter, limit: number, before?: number, after?: number): Promise<AuditEntry[]>
  /** Deletes up to `limit` entries created before a time, oldest first. @returns their number */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
