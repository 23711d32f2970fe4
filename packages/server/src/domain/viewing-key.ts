import { codeOf, Fault } from './error.ts'
import { isoOf } from './time.ts'

/** The largest diversifier index that a database integer holds; none beyond is ever handed out, so none is an invoice's. */
export const MAX_INDEX = 2n ** 63n - 1n

/** When a viewing key expires (ZIP 316 Revision 2, "Address Expiration Metadata"); whichever comes first counts. */
export interface KeyExpiry {
  /** Unix seconds: expired after it. Null: no limit. */
  readonly time: number | null
  /** Expired once the chain is higher. Null: no limit. */
  readonly height: number | null
}

/** What an expiry is judged by. */
export interface ExpiryPoint {
  /** Unix seconds. */
  readonly now: number
  /** Null: not known, so that no key counts as expired by its height. */
  readonly tipHeight: number | null
}

/** Says when the key expired; null: it has not. */
export function expiredSince({ time, height }: KeyExpiry, { now, tipHeight }: ExpiryPoint): string | null {
  if (time !== null && now > time) return `expired on ${isoOf(time)}`
  if (height !== null && tipHeight !== null && tipHeight > height) {
    return `expired at block ${height}, and the chain is at block ${tipHeight}`
  }
  return null
}

/**
 * Why no invoice that is open until `endsAt` (Unix seconds) may be made under the key; null: it may. An address must
 * not outlive its key (ZIP 316), and a Revision 0 address cannot say when it expires, so the invoice has to end before.
 */
export function expiredKeyFault(expiry: KeyExpiry, point: ExpiryPoint, endsAt: number): Fault | null {
  const refusal = (message: string, reason: string) =>
    new Fault('conflict', codeOf(message), message, { extra: { detail: `the viewing key ${reason}` } })
  const expired = expiredSince(expiry, point)
  if (expired !== null) return refusal('viewing key expired', `${expired}: set another viewing key`)
  if (expiry.time === null || endsAt <= expiry.time) return null
  const until = `expires on ${isoOf(expiry.time)}, before the invoice would`
  return refusal('viewing key expires too soon', `${until}: set another viewing key, or a shorter expires_in_secs`)
}

/** Where what is kept of a viewing key rests, sealed. */
export function viewingKeyPlace(viewingKeyId: number) {
  return { table: 'viewing_keys', column: 'sealed', row: viewingKeyId } as const
}
