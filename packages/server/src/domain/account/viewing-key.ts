import { AppError } from '../error.ts'
import { formatIso } from '../time.ts'

/** The largest diversifier index that fits a database integer. No invoice uses a larger one. */
export const MAX_DIVERSIFIER_INDEX = 2n ** 63n - 1n

/** When a viewing key expires (ZIP 316 Revision 2, "Address Expiration Metadata"): by time or by height. */
export interface KeyExpiry {
  /** Unix seconds: the last time at which the key is valid. Null: no limit. */
  readonly time: number | null
  /** The last height at which the key is valid. Null: no limit. */
  readonly height: number | null
}

/** The present time and height for checking an expiry. */
export interface ExpiryContext {
  /** Unix seconds. */
  readonly now: number
  /** Null when unknown: then no key counts as expired by its height. */
  readonly tipHeight: number | null
}

/** Describes when the key expired. Null for a valid key. */
export function expiryReason({ time, height }: KeyExpiry, { now, tipHeight }: ExpiryContext): string | null {
  if (time !== null && now > time) return `expired on ${formatIso(time)}`
  if (height !== null && tipHeight !== null && tipHeight > height) {
    return `expired at block ${height}, and the chain is at block ${tipHeight}`
  }
  return null
}

/**
 * The error for an invoice that would be open until `endsAt` (Unix seconds), or null when it may be created. An address
 * must not outlive its key (ZIP 316). A Revision 0 address has no expiry, so the invoice must expire before
 * the key.
 */
export function expiredKeyError(expiry: KeyExpiry, point: ExpiryContext, endsAt: number): AppError | null {
  const expired = expiryReason(expiry, point)
  if (expired !== null)
    return new AppError('viewing_key_expired', { detail: `the viewing key ${expired}: set another viewing key` })
  if (expiry.time === null || endsAt <= expiry.time) return null
  return new AppError('viewing_key_expires_too_soon', {
    detail: `the viewing key expires on ${formatIso(expiry.time)}, before the invoice would: set another viewing key, or a shorter expires_in_secs`,
  })
}

/**
 * Identifies an account and a viewing key that it uses, in every state of the database. Row ids do not: a promoted standby
 * can give them to other rows.
 */
export interface KeyOfAccount {
  readonly accountPublicId: string
  /** The fingerprint of the viewing key, 32 bytes. */
  readonly fingerprint: Uint8Array
}

/** Whether the rows still hold the account and the viewing key of a request. */
export function isSameKey(one: KeyOfAccount, other: KeyOfAccount): boolean {
  return one.accountPublicId === other.accountPublicId && Buffer.compare(one.fingerprint, other.fingerprint) === 0
}

export const MAX_VIEWING_KEY_CHARS = 4_000

/** The seal context of a stored viewing key. */
export function viewingKeySealContext(viewingKeyId: number) {
  return { table: 'viewing_keys', column: 'sealed', row: viewingKeyId } as const
}
