import { isatty } from 'node:tty'
import pino, { type DestinationStream, type LogFn, type Logger } from 'pino'
import type { Clock } from '../../ports/clock.ts'
import { systemClock } from './clock.ts'
import { formatPretty } from './pretty-log.ts'
import { redact, shorten } from './redact.ts'
import { RepeatLimit } from './repeat-limit.ts'
import { currentRequestId } from './request-scope.ts'

export type { Logger } from 'pino'

/** `auto`: pretty on a terminal, JSON otherwise. */
export type LogFormat = 'auto' | 'json' | 'pretty'

/** Limits of what one line holds of a text or an error: a server may respond with any amount of text. */
const MAX_TEXT_CHARS = 4_000
const MAX_ITEMS = 50
const MAX_DEPTH = 5

/** How often equal lines are written. Chain servers, receivers and clients may cause thousands a second. */
const REPEATS = { maxLines: 10, intervalMs: 60_000, maxKeys: 500 }
const MAX_KEY_CHARS = 200

const STDERR = 2

export interface LoggerOptions {
  /** Default: `auto`. */
  readonly format?: LogFormat
  /** Default: standard error. */
  readonly destination?: DestinationStream
  readonly clock?: Clock
}

/**
 * Logs lines to standard error, as JSON or for people. Secrets are shortened to their identifying prefix. Long texts are
 * cut before anything searches them. Of lines with equal messages, 10 a minute are written and the others counted, except
 * at level debug.
 */
export function createLogger(level: string, options: LoggerOptions = {}): Logger {
  const { format = 'auto', destination = pino.destination(STDERR), clock = systemClock } = options
  const isPretty = format === 'pretty' || (format === 'auto' && options.destination === undefined && isatty(STDERR))
  // Once more after the formatting: it removes the escapes of JSON, which may stand inside a secret.
  const streamWrite = isPretty ? (line: string) => redact(formatPretty(redact(line))) : redact
  return pino(
    {
      level,
      base: null,
      formatters: { level: label => ({ level: label }), log: details => bounded(details) as Record<string, unknown> },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: requestOf,
      hooks: { streamWrite, logMethod: createLogMethod(clock) },
      serializers: { err: error => serializeError(error) },
    },
    destination,
  )
}

/** Cuts messages and limits repeats. The logger and its children share the limit. */
function createLogMethod(clock: Clock) {
  const repeats = new RepeatLimit(REPEATS)

  return function logMethod(this: Logger, parameters: Parameters<LogFn>, write: LogFn, level: number): void {
    const [details, message, ...rest] = parameters
    if (level > this.levels.values.debug!) {
      for (const { key, count } of repeats.takeDropped(clock.nowMs()))
        write.apply(this, [{ repeated: count, line: key }, 'more lines of this message were left out'])
      if (!repeats.allows(keyOf(level, details, message), clock.nowMs())) return
    }
    write.apply(this, [details, message === undefined ? message : shorten(message, MAX_TEXT_CHARS), ...rest])
  }
}

/** Lines are equal when they have the same level and message, and are of the same loop. Their details differ. */
function keyOf(level: number, details: unknown, message: string | undefined): string {
  const loop = typeof details === 'object' && details !== null && 'loop' in details ? ` (${String(details.loop)})` : ''
  const text = message ?? (typeof details === 'string' ? details : 'no message')
  return `${level >= 50 ? 'error' : level >= 40 ? 'warn' : 'info'}: ${text.slice(0, MAX_KEY_CHARS)}${loop.slice(0, MAX_KEY_CHARS)}`
}

/** The id of the request that the line belongs to. */
function requestOf(): object {
  const requestId = currentRequestId()
  return requestId === undefined ? {} : { requestId }
}

/** Cuts texts, lists and objects. Errors are left to their serializer. */
function bounded(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return shorten(value, MAX_TEXT_CHARS)
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(item => bounded(item, depth + 1))
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  const entries = Object.entries(value).slice(0, MAX_ITEMS)
  return Object.fromEntries(entries.map(([name, item]) => [name, bounded(item, depth + 1)]))
}

/** Serialises name, code, message, stack, cause and the errors of an `AggregateError`. Other properties are left out: database drivers put queries there. */
function serializeError(error: unknown, depth = 0): unknown {
  if (depth === MAX_DEPTH) return '…'
  if (!(error instanceof Error)) return shorten(String(error), MAX_TEXT_CHARS)
  const { name, cause } = error
  const message = shorten(error.message, MAX_TEXT_CHARS)
  const stack = error.stack === undefined ? undefined : shortenStack(error.stack, error.message)
  const code = 'code' in error && typeof error.code === 'string' ? shorten(error.code, MAX_TEXT_CHARS) : undefined
  const errors = error instanceof AggregateError ? error.errors.slice(0, MAX_ITEMS) : []
  return {
    ...{ name, code, message, stack },
    ...(cause !== undefined && { cause: serializeError(cause, depth + 1) }),
    ...(errors.length > 0 && { errors: errors.map(inner => serializeError(inner, depth + 1)) }),
  }
}

/** A long message must not hide the frames, which follow it. */
function shortenStack(stack: string, message: string): string {
  const end = stack.indexOf(message) + message.length
  return shorten(stack.slice(0, end), MAX_TEXT_CHARS) + shorten(stack.slice(end), MAX_TEXT_CHARS)
}
