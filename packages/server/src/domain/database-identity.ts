import { maxWatchSecs } from './chain/watched-key.ts'

/**
 * A database identity is a list of `name:value` parts, separated by semicolons. A part that the database server does not
 * report has the value `?`. The empty identity stands for no database: it marks backups and databases whose identity was
 * never recorded.
 */
const NO_IDENTITY = ''

/**
 * Whether the address counters are used in the database that they were recorded for. Parts that only the current identity
 * has are ignored: they were unknown when the identity was recorded.
 */
export function isSameDatabase({ recorded, current }: { recorded: string; current: string }): boolean {
  const parts = current.split(';')
  return recorded !== NO_IDENTITY && recorded.split(';').every(part => parts.includes(part))
}

/** Whether another database took the place of the one that was recorded, such as a promoted standby. */
export function wasReplaced(state: { recorded: string; current: string }): boolean {
  return state.recorded !== NO_IDENTITY && !isSameDatabase(state)
}

/** The names of the parts that the database server does not report. */
export function unknownParts(identity: string): string[] {
  return identity
    .split(';')
    .filter(part => part.endsWith(':?'))
    .map(part => part.slice(0, part.indexOf(':')))
}

/** Random bytes for one step. */
export const COUNTER_STEP_BYTES = 6
const STEP_BITS = 44n

/**
 * The step by which a copy advances a viewing key's counter: uniform from 2^44 to below 2^45. That is beyond every index
 * that the original reserves after the copy was made. Two copies of one backup collide with a probability of about 2^-44
 * for each address. The index range suffices for 2^18 restores.
 */
export function copyStep(bytes: Uint8Array): bigint {
  return randomStep(bytes, STEP_BITS)
}

/** How a copy advances the number of an account's newest event: to `least` if it is below, and then by `step`. */
export interface EventSkip {
  readonly least: number
  readonly step: number
}

const EVENT_STEP_BITS = 16n
const NUMBERED_SINCE_MS = Date.UTC(2020, 0, 1)
/** Numbers stay below 2^53 until the year 2298. */
const NUMBERS_PER_MS = 1_024

/**
 * Numbers the events of a copy above all that a reader may have seen: those that the copy does not contain, and those of
 * other copies, also of a later backup. The time decides, since each of them began earlier and has numbered fewer than
 * 1,024 events a millisecond. The step, uniform from 2^16 to below 2^17, covers a clock that was ahead.
 */
export function eventSkip(nowMs: number, bytes: Uint8Array): EventSkip {
  const least = Math.max(0, nowMs - NUMBERED_SINCE_MS) * NUMBERS_PER_MS
  return { least, step: Number(randomStep(bytes, EVENT_STEP_BITS)) }
}

const START_STEP_BITS = 36n

/**
 * The step by which every start of the service advances a counter: uniform from 2^36 to below 2^37. It covers copies that
 * cannot be recognised (a file copied over another, a disk snapshot). When the original has shown 100,000 addresses since
 * such a copy, the copy collides with one of them with a probability of 3 in a million. The index range suffices for 2^26
 * starts.
 */
export function startStep(bytes: Uint8Array): bigint {
  return randomStep(bytes, START_STEP_BITS)
}

function randomStep(bytes: Uint8Array, bits: bigint): bigint {
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  return 2n ** bits + (value % 2n ** bits)
}

/**
 * Unix seconds until which every viewing key of a copy is watched: as long as an invoice that was created after the copy,
 * and is missing in it, can be paid.
 */
export function watchUntilAfterCopy(now: number, lateWatchDays: number): number {
  return now + maxWatchSecs(lateWatchDays)
}
