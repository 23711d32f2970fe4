import { DAY_SECS } from '../time.ts'
import { credentialHash } from './credential.ts'

/**
 * Where a session began: in a browser, with a mailed code, or as a token issued for a script by the owner in the
 * dashboard or by the operator.
 */
export type SessionOrigin = 'browser' | 'script'

export interface Session {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  /** Name for display: the browser's, or the one given to a script's token. */
  readonly label: string
  readonly origin: SessionOrigin
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
}

export const SESSION_LIFETIME_SECS = 30 * DAY_SECS

type SessionFields = Pick<Session, 'publicId' | 'accountId' | 'label' | 'origin'>

/** A new session for the bearer of `token`. @param now Unix seconds */
export function newSession(token: string, fields: SessionFields, now: number) {
  return { ...fields, hash: credentialHash(token), createdAt: now, expiresAt: now + SESSION_LIFETIME_SECS }
}
