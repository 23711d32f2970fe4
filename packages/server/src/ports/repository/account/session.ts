import type { Account } from '../../../domain/account/account.ts'
import type { Session, SessionOrigin } from '../../../domain/account/session.ts'
import type { Page } from '../page.ts'

/** A session to insert. Only the hash of its token is stored. */
export interface NewSession {
  readonly publicId: string
  readonly accountId: number
  readonly label: string
  readonly origin: SessionOrigin
  /** SHA-256 of the token. */
  readonly hash: Uint8Array
  readonly createdAt: number
  readonly expiresAt: number
}

/** Sessions. Ended and expired sessions never authenticate. */
export interface SessionRepository {
  insert(session: NewSession): Promise<Session>
  /** The active session with this hash, with its account. Null for a session that is unknown, ended, or expired at `now`. */
  authenticate(hash: Uint8Array, now: number): Promise<{ session: Session; account: Account } | null>
  isActive(id: number, now: number): Promise<boolean>
  /** The account's active sessions. */
  list(accountId: number, now: number, page: Page): Promise<Session[]>
  /** Returns the ended session. Null when the account has no such active session. */
  end(accountId: number, publicId: string, at: number): Promise<Session | null>
  /** Ends all active sessions of the account. @returns their number */
  endAll(accountId: number, at: number): Promise<number>
  /** Deletes up to `limit` sessions that expired before a time, oldest first. @returns their number */
  prune(before: number, limit: number, skip?: number): Promise<number>
  /** Sets when the sessions were last used. */
  touch(ids: readonly number[], at: number): Promise<void>
}
