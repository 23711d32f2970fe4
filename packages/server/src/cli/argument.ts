import { EVENT_TYPES, type EventType } from '../domain/notify/event.ts'
import { parseDay } from '../domain/time.ts'

/** The command line does not match the usage. The process prints the message and exits with 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** The type of a value. */
export interface ValueType<T> {
  /** A right value, as the message names it: "--limit must be …". */
  readonly description: string
  /** The value of a text that is not empty; undefined when the text is not right. */
  parse(text: string): T | undefined
}

/** An argument of a command, and the type of its value. */
export interface Argument<T = unknown> {
  readonly kind: 'positional' | 'option' | 'flag'
  /** The placeholder of the value in the usage; a flag has none. */
  readonly placeholder: string
  readonly meaning: string
  readonly isRequired: boolean
  readonly type: ValueType<T>
}

/** By name: an option `--block` is `block`. Positional arguments have the order in which they are listed. */
export type Arguments = Readonly<Record<string, Argument>>

/** The values that a command receives. */
export type Values<A extends Arguments> = { readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never }

type Described<T> = [type: ValueType<T>, placeholder: string, meaning: string]

/** An argument that is known by its position. */
export const positional = <T>(...described: Described<T>) => argument('positional', true, ...described)
export const optionalPositional = <T>(...described: Described<T>) =>
  argument<T | undefined>('positional', false, ...described)
export const required = <T>(...described: Described<T>) => argument('option', true, ...described)
export const optional = <T>(...described: Described<T>) => argument<T | undefined>('option', false, ...described)

/** An option without a value. */
export const flag = (meaning: string): Argument<boolean> =>
  argument('flag', false, { description: 'without a value', parse: () => true }, '', meaning)

function argument<T>(kind: Argument['kind'], isRequired: boolean, ...described: Described<T>): Argument<T> {
  const [type, placeholder, meaning] = described
  return { kind, isRequired, type, placeholder, meaning }
}

export const text: ValueType<string> = { description: 'a text', parse: value => value }

/** A block height. */
export const height = matching(/^\d{1,10}$/, 'a block height', Number)
export const blockHash = matching(/^[0-9a-f]{64}$/i, 'a block hash of 64 hex digits', value => value.toLowerCase())
/** A number that is checked further when it is used. */
export const diversifierIndex = matching(/^\d{1,27}$/, 'a whole number from 0 to 2^88 - 1', BigInt)

export function wholeNumber(min: number, max: number): ValueType<number> {
  return {
    description: `a whole number from ${min} to ${max}`,
    parse(value) {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      return number >= min && number <= max ? number : undefined
    },
  }
}

/** @param description such as "csv or json" */
export function oneOf<T extends string>(isOne: (value: string) => value is T, description: string): ValueType<T> {
  return { description, parse: value => (isOne(value) ? value : undefined) }
}

export const eventType: ValueType<EventType> = {
  description: `one of ${EVENT_TYPES.join(', ')}`,
  parse: value => EVENT_TYPES.find(type => type === value),
}

/** `invoice.paid,invoice.underpaid` */
export const eventTypes: ValueType<readonly EventType[]> = {
  description: `some of ${EVENT_TYPES.join(', ')}`,
  parse(value) {
    const types = value.split(',').map(type => eventType.parse(type.trim()))
    return types.includes(undefined) ? undefined : (types as EventType[])
  },
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?Z)?$/

/** `2026-01-31`, the start of that UTC day, or `2026-01-31T12:00:00Z`, as Unix seconds. */
export const date: ValueType<number> = {
  description: 'a UTC date such as 2026-01-31 or 2026-01-31T12:00:00Z',
  parse(value) {
    const [, dayText = '', hours = '0', minutes = '0', seconds = '0'] = DATE_TIME.exec(value) ?? []
    const day = parseDay(dayText)
    if (day === null || day < 0) return undefined
    return day + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  },
}

/** A time, in Unix seconds, or how long ago it was. */
export type Since = { readonly at: number } | { readonly agoSecs: number }

const UNIT_SECS = { h: 3_600, d: 86_400 } as const

/** A `date`, or `36h` or `2d` for that long ago. */
export const since: ValueType<Since> = {
  description: 'a UTC date such as 2026-01-31 or 2026-01-31T12:00:00Z, or a time ago such as 36h or 2d',
  parse(value) {
    const [, count, unit] = /^(\d{1,4})([hd])$/.exec(value) ?? []
    if (count !== undefined) return { agoSecs: Number(count) * UNIT_SECS[unit as keyof typeof UNIT_SECS] }
    const at = date.parse(value)
    return at === undefined ? undefined : { at }
  },
}

function matching<T>(pattern: RegExp, description: string, convert: (value: string) => T): ValueType<T> {
  return { description, parse: value => (pattern.test(value) ? convert(value) : undefined) }
}
