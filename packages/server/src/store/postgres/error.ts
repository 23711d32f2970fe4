import { AppError, ReadOnlyDatabaseError } from '../../domain/error.ts'
import { isTimeout } from '../transaction/timeout.ts'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const FEATURE_NOT_SUPPORTED = '0A000'
const READ_ONLY_TRANSACTION = '25006'
const CHARACTER_NOT_IN_REPERTOIRE = '22021'

/** SQLSTATEs and system errors of temporary failures. */
const TEMPORARY = new Set([
  '25P03', // idle_in_transaction_session_timeout
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '53400', // configuration_limit_exceeded
  '55P03', // lock_not_available
  '57014', // query_canceled
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '58030', // io_error
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])
/** Messages of pg's own connection errors, which have no code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Client has encountered|Client was closed|timeout e|Cannot use a pool)/

/** A connection could not be opened. Has the message and the code of its cause. */
export class ConnectError extends Error {
  readonly code: string | null

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'ConnectError'
    this.code = errorCode(cause)
  }
}

/** Whether the use case may succeed when it runs again. */
export function isTransient(error: unknown): boolean {
  const code = errorCode(error)
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED || isStalePlan(error)
}

/**
 * Whether the connection must be discarded although the server has only refused a statement: another process has
 * migrated a table that its prepared statements use, or the server is read-only.
 */
export function spoilsConnection(error: unknown): boolean {
  return isStalePlan(error) || isReadOnly(error)
}

/** Whether the server, or the transaction, refused to write. */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === READ_ONLY_TRANSACTION
}

function isStalePlan(error: unknown): boolean {
  return errorCode(error) === FEATURE_NOT_SUPPORTED && /cached plan/.test((error as Error).message)
}

/** Whether the connection can serve others after this error: the work refused, or the server refused one statement. */
export function leavesConnectionUsable(error: unknown): boolean {
  if (error instanceof AppError) return !isTimeout(error)
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR' && !spoilsConnection(error)
}

/** Whether no connection could be opened for a reason that may pass by itself, such as a server that starts. */
export function mayBecomeReachable(error: unknown): boolean {
  return error instanceof ReadOnlyDatabaseError || (error instanceof ConnectError && isTemporary(error))
}

/** The error that callers receive: failures of the database become `unavailable`; others are unchanged. */
export function translatePgError(error: unknown): unknown {
  const code = errorCode(error)
  if (code === CHARACTER_NOT_IN_REPERTOIRE) {
    return new AppError('invalid_text', { cause: error })
  }
  if (isReadOnly(error)) return new ReadOnlyDatabaseError()
  if (!(error instanceof ConnectError) && !isTemporary(error) && !isTransient(error)) return error
  return new AppError('database_unavailable', { cause: error })
}

function isTemporary(error: unknown): boolean {
  const code = errorCode(error)
  if (code === null) return error instanceof Error && CONNECTION_MESSAGES.test(error.message)
  return TEMPORARY.has(code) || code.startsWith('08')
}

function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
