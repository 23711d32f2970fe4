import { isatty } from 'node:tty'
import pino, { type DestinationStream, type Logger } from 'pino'
import { formatPretty } from './pretty-log.ts'
import { currentRequestId } from './request-scope.ts'

export type { Logger } from 'pino'

/** `auto`: pretty on a terminal, JSON otherwise. */
export type LogFormat = 'auto' | 'json' | 'pretty'

/**
 * Never written in full: UUIDs that act as credentials, API keys, tokens, viewing keys, passwords in URLs. None of them
 * begins at a word boundary: in a line of JSON the end of an escape, as in `\nzg_`, may precede it.
 */
const UUID = /([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const CREDENTIAL = /(zgs?_|whsec_)[0-9A-Za-z+/=]+/g
const VIEWING_KEY =
  /((?:u(?:view|ivk|vf|vi|rview|rivk)|zxview[a-z]*|zivk[a-z]*|secret-[a-z-]+)(?:test|regtest)?1)[a-z0-9]+/g
const URL_PASSWORD = /(:\/\/[^\s:@/"]*:)[^\s@/"]+@/g

const STDERR = 2

export interface LoggerOptions {
  /** Default: `auto`. */
  readonly format?: LogFormat
  /** Default: standard error. */
  readonly destination?: DestinationStream
}

/** Logs lines to standard error, as JSON or for people. Secrets are shortened to their identifying prefix. */
export function createLogger(level: string, options: LoggerOptions = {}): Logger {
  const { format = 'auto', destination = pino.destination(STDERR) } = options
  const isPretty = format === 'pretty' || (format === 'auto' && options.destination === undefined && isatty(STDERR))
  // Once more after the formatting: it removes the escapes of JSON, which may stand inside a secret.
  const streamWrite = isPretty ? (line: string) => redact(formatPretty(redact(line))) : redact
  return pino(
    {
      level,
      base: null,
      formatters: { level: label => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: requestOf,
      hooks: { streamWrite },
      serializers: { err: serializeError },
    },
    destination,
  )
}

/** The id of the request that the line belongs to. */
function requestOf(): object {
  const requestId = currentRequestId()
  return requestId === undefined ? {} : { requestId }
}

/** Shortens each secret in a log line to its prefix. */
function redact(line: string): string {
  return line.replace(UUID, '$1…').replace(CREDENTIAL, '$1…').replace(VIEWING_KEY, '$1…').replace(URL_PASSWORD, '$1…@')
}

/** Serialises name, code, message, stack and cause. Other properties are left out: database drivers put queries there. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { name, code, message, stack, ...(cause === undefined ? {} : { cause: serializeError(cause) }) }
}
