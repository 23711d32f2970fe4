import { EXPIRY_SECS } from './invoice.ts'
import { MAX_WATCH_SECS } from './swap.ts'
import { DAY_SECS } from './time.ts'

/**
 * Identities of databases: `name:value` parts, separated by semicolons. A part that the database server does not tell
 * has the value `?`. The empty identity is that of no database: a stamped copy, or one whose origin was never recorded.
 */
export const NO_IDENTITY = ''

/**
 * Whether counters that were recorded for one database are being used in that same database. A part that only the
 * current identity has is no difference: it was not known when the origin was recorded.
 */
export function isSameDatabase({ recorded, current }: { recorded: string; current: string }): boolean {
  const parts = current.split(';')
  return recorded !== NO_IDENTITY && recorded.split(';').every(part => parts.includes(part))
}

/** The names of the parts that the database server does not tell. */
export function unknownParts(identity: string): string[] {
  return identity
    .split(';')
    .filter(part => part.endsWith(':?'))
    .map(part => part.slice(0, part.indexOf(':')))
}

/** Random bytes that one step takes. */
export const STEP_BYTES = 6
const STEP_BITS = 44n

/**
 * How far a viewing key's counter moves on in a copy: uniform from 2^44 to below 2^45. That is beyond anything the
 * original hands out after the copy was made, and two copies of one backup meet with a probability of about 2^-44 for
 * each address. There is room for 2^18 restores below the largest index.
 */
export function stepOf(bytes: Uint8Array): bigint {
  return drawnStep(bytes, STEP_BITS)
}

const START_STEP_BITS = 36n

/**
 * How far a counter moves on whenever a service starts, since a copy may look exactly like its original (a file copied
 * over another, a disk snapshot): uniform from 2^36 to below 2^37. Where 100,000 addresses were shown after such a copy
 * was made, it meets one of them with a probability of 3 in a million. There is room for 2^26 starts.
 */
export function startStepOf(bytes: Uint8Array): bigint {
  return drawnStep(bytes, START_STEP_BITS)
}

function drawnStep(bytes: Uint8Array, bits: bigint): bigint {
  const drawn = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  return 2n ** bits + (drawn % 2n ** bits)
}

/**
 * Unix seconds until which every viewing key of a copy is watched: as long as any invoice that was made after the copy
 * and is lost from it may be paid.
 */
export function watchAfterMove(now: number, lateWatchDays: number): number {
  return now + EXPIRY_SECS.most + lateWatchDays * DAY_SECS + MAX_WATCH_SECS
}
