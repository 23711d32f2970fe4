/** An error as `pg` reports it: with the SQLSTATE in `code`. */
export function pgError(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code })
}

export const deadlockError = () => pgError('40P01', 'deadlock detected')

export const abortedError = () =>
  pgError('25P02', 'current transaction is aborted, commands ignored until end of transaction block')

export const readOnlyError = () => pgError('25006', 'cannot change data in a read-only transaction')

/** The error of a statement that was under way when its connection was lost. */
export const connectionLostError = (cause?: unknown) => new Error('Connection terminated unexpectedly', { cause })

/** The error of every later statement on a lost connection. */
export const connectionDeadError = () => new Error('Client has encountered a connection error and is not queryable')

/** SQLSTATEs of SQLite's extended result codes. */
const SQLSTATES = new Map([
  [1, '42601'], // syntax error
  [8, '25006'], // read-only
  [275, '23514'], // CHECK
  [787, '23503'], // FOREIGN KEY
  [1299, '23502'], // NOT NULL
  [1555, '23505'], // PRIMARY KEY
  [1811, 'P0001'], // RAISE
  [2067, '23505'], // UNIQUE
  [3091, '42804'], // datatype mismatch
])

/** The error that a client gets for an error of SQLite. Others are unchanged. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return error
  const code = SQLSTATES.get(error.errcode)
  return code === undefined ? error : pgError(code, error.message, error)
}

/** Whether a statement failed and its connection continues: an SQLSTATE other than those of connections and shutdowns. */
export function isStatementFailure(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(08|57P)/.test(error.code) && error.code !== '25P03'
}

/** Whether SQLite has refused a value that a unique index already contains. */
export function isUniqueViolation(error: unknown): boolean {
  return hasResultCode(error, 1555) || hasResultCode(error, 2067)
}

/** Whether SQLite has refused a change since a row would refer to one that does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasResultCode(error, 787)
}

function hasResultCode(error: unknown, code: number): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === code
}
