import { certificateProblem } from '../domain/certificate.ts'
import { ReadOnlyDatabaseError } from '../domain/error.ts'
import { ConnectError } from './postgres/error.ts'

/** Classes of SQLSTATE: connection, authorization, unknown database, and a server that is starting or stopping. */
const SERVER_ERROR = /^(?:08|28|3D|57P)/
/** Such as ECONNREFUSED, and the codes of SQLite and TLS. */
const SYSTEM_ERROR = /^(?:E[A-Z]+|ERR_|CERT_|DEPTH_|SELF_|UNABLE_)/

/**
 * The error of a database that cannot be opened: it names the setting, the host or file and the reason, never the
 * password. Other errors, such as those of a migration, are unchanged.
 */
export function openError(url: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof ReadOnlyDatabaseError) return cannotBeOpened(url, String(error.cause), error)
  const code = 'code' in error ? String(error.code) : ''
  const isConnection =
    error instanceof ConnectError ||
    SERVER_ERROR.test(code) ||
    SYSTEM_ERROR.test(code) ||
    /timeout|SSL/i.test(error.message)
  const problem = certificateProblem(error)
  if (problem) return cannotBeOpened(url, `${problem.says}; ${problem.advice}`, error)
  return isConnection ? cannotBeOpened(url, error.message || code, error) : error
}

function cannotBeOpened(url: string, reason: string, cause: Error): Error {
  return new Error(`DATABASE_URL: the database at ${locationOf(url)} cannot be opened: ${reason}`, { cause })
}

function locationOf(url: string): string {
  if (url.startsWith('sqlite:')) return url.slice('sqlite:'.length)
  const parsed = URL.parse(url)
  const host = parsed?.searchParams.get('host') || parsed?.hostname || 'localhost'
  return `${decodeURIComponent(host)}:${parsed?.port || 5432}`
}
