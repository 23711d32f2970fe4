import { credentialHash } from './credential.ts'
import { DAY_SECS } from './time.ts'

export interface Session {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  /** Name for display: the browser's, or the one given to a script's token. */
  readonly label: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
  readonly endedAt: number | null
}

export const SESSION_LIFETIME_SECS = 30 * DAY_SECS

/** A new session for the bearer of `token`. @param now Unix seconds */
export function newSession(token: string, fields: { publicId: string; accountId: number; label: string }, now: number) {
  return { ...fields, hash: credentialHash(token), createdAt: now, expiresAt: now + SESSION_LIFETIME_SECS }
}
