import pino, { type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

/** What must not be readable in a log whatever it came with: ids that are credentials, keys, tokens, viewing keys. */
const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const CREDENTIAL = /\b(zgs?_|whsec_)[0-9A-Za-z+/=]+/g
const VIEWING_KEY =
  /\b((?:u(?:view|ivk|vf|vi|rview|rivk)|zxview[a-z]*|zivk[a-z]*|secret-[a-z-]+)(?:test|regtest)?1)[a-z0-9]+/g

const STDERR = 2

/** JSON lines on standard error, with every secret shortened to what it is told by. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(STDERR)): Logger {
  return pino({ level, base: null, hooks: { streamWrite: shorten }, serializers: { err: describe } }, destination)
}

export function shorten(line: string): string {
  return line.replace(UUID, '$1…').replace(CREDENTIAL, '$1…').replace(VIEWING_KEY, '$1…')
}

/** An error as what it says and where; never its other members, where drivers keep queries and their values. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { name, code, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}
