import type { KeyExpiry as ParsedExpiry } from '@zatgate/zcash/viewing-key'
import type { KeyExpiry } from '../../domain/account/viewing-key.ts'
import { MAX_DATE_SECS } from '../../domain/time.ts'

/** Converts a parsed expiry to the domain type. Times after the year 9999 become MAX_DATE_SECS. */
export function toKeyExpiry({ time, height }: ParsedExpiry): KeyExpiry {
  const secs = time === undefined ? null : time < MAX_DATE_SECS ? Number(time) : MAX_DATE_SECS
  return { time: secs, height: height ?? null }
}
