import type { KeyExpiry as ParsedExpiry } from '@zatgate/zcash/viewing-key'
import type { KeyExpiry } from '../domain/viewing-key.ts'

/** Unix seconds, the end of the year 9999: later times cannot be written as a date. */
const LAST_TIME = 253_402_300_799n

/** A parsed expiry as the domain has it; later times become the last one. */
export function toKeyExpiry({ time, height }: ParsedExpiry): KeyExpiry {
  const secs = time === undefined ? null : Number(time < LAST_TIME ? time : LAST_TIME)
  return { time: secs, height: height ?? null }
}
