import pino, { type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Never written in full: UUIDs that act as credentials, API keys, tokens, viewing keys. */
const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const CREDENTIAL = /\b(zgs?_|whsec_)[0-9A-Za-z+/=]+/g
const VIEWING_KEY =
  /\b((?:u(?:view|ivk|vf|vi|rview|rivk)|zxview[a-z]*|zivk[a-z]*|secret-[a-z-]+)(?:test|regtest)?1)[a-z0-9]+/g

const STDERR = 2

/** Logs JSON lines to standard error. Secrets are shortened to their identifying prefix. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(STDERR)): Logger {
  return pino({ level, base: null, hooks: { streamWrite: redact }, serializers: { err: serializeError } }, destination)
}

/** Shortens each secret in a log line to its prefix. */
function redact(line: string): string {
  return line.replace(UUID, '$1…').replace(CREDENTIAL, '$1…').replace(VIEWING_KEY, '$1…')
}

/** Serialises name, code, message, stack and cause. Other properties are left out: database drivers put queries there. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { name, code, message, stack, ...(cause === undefined ? {} : { cause: serializeError(cause) }) }
}
