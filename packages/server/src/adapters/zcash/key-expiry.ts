import type { KeyExpiry as ParsedExpiry } from '@zatgate/zcash/viewing-key'
import { LAST_SECOND } from '../../domain/time.ts'
import type { KeyExpiry } from '../../domain/viewing-key.ts'

/** Converts a parsed expiry to the domain type. Times after the year 9999 become LAST_SECOND. */
export function toKeyExpiry({ time, height }: ParsedExpiry): KeyExpiry {
  const secs = time === undefined ? null : time < LAST_SECOND ? Number(time) : LAST_SECOND
  return { time: secs, height: height ?? null }
}
