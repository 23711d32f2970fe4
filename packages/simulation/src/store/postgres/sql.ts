import type { LockMode } from './lock-table.ts'
import { NO_KEY_UPDATE, UPDATE } from './lock-table.ts'
import type { Table, Tables } from './tables.ts'
import { IDENTITY_MARK } from './tables.ts'

/** A statement of the service, translated to SQLite. */
export type Statement =
  | { readonly kind: 'begin'; readonly readOnly: boolean }
  | { readonly kind: 'commit' | 'rollback' | 'nothing' | 'notify' | 'identity' }
  | { readonly kind: 'savepoint' | 'release' | 'rollback_to'; readonly name: string }
  | { readonly kind: 'advisory_lock'; readonly name: string }
  | { readonly kind: 'read' | 'schema'; readonly sql: string }
  | LockingRead
  | Write

/** An `INSERT`, `UPDATE` or `DELETE`. */
export interface Write {
  readonly kind: 'write'
  readonly sql: string
}

/** `SELECT … FOR UPDATE` of one table. */
export interface LockingRead {
  readonly kind: 'lock'
  /** Returns the primary key of each row in additional columns, see `lockColumn`. */
  readonly sql: string
  readonly table: Table
  readonly mode: LockMode
}

const CONTROL: Readonly<Record<string, Statement>> = {
  BEGIN: { kind: 'begin', readOnly: false },
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY': { kind: 'begin', readOnly: true },
  COMMIT: { kind: 'commit' },
  ROLLBACK: { kind: 'rollback' },
  'SELECT pg_notify($1, $2)': { kind: 'notify' },
}

const SAVEPOINT = /^(SAVEPOINT|RELEASE|ROLLBACK TO)(?: SAVEPOINT)? (\w+)$/i
const ADVISORY_LOCK = /^SELECT pg_advisory_xact_lock\((\d+)\)$/
const IDENTITY_PART =
  /^SELECT .*\b(?:pg_control_system|pg_current_wal_lsn|pg_control_checkpoint|pg_database|to_regclass)\b/
const SCHEMA = /^\s*(?:CREATE|ALTER|DROP)\s/i
const READ = /^\s*SELECT\s/i
const LOCK_CLAUSE = /\sfor (?:(no key) )?(update|share|key share)\b(.*)$/is

/** @throws Error when the simulated server does not support the statement */
export function parse(text: string, tables: Tables): Statement {
  const control = CONTROL[text] ?? parseControl(text)
  if (control) return control
  const sql = translate(text)
  if (SCHEMA.test(sql)) return parseSchema(sql, tables)
  const lock = LOCK_CLAUSE.exec(sql)
  if (lock && READ.test(sql)) return parseLockingRead(sql.slice(0, lock.index), lock, tables)
  if (READ.test(sql)) return { kind: 'read', sql }
  return { kind: 'write', sql: lockConflicting(drawIds(sql, tables), tables) }
}

function parseControl(text: string): Statement | null {
  const savepoint = SAVEPOINT.exec(text)
  if (savepoint) {
    const kinds = { SAVEPOINT: 'savepoint', RELEASE: 'release', 'ROLLBACK TO': 'rollback_to' } as const
    return { kind: kinds[savepoint[1]!.toUpperCase() as keyof typeof kinds], name: savepoint[2]! }
  }
  if (text.startsWith('SET LOCAL ')) return { kind: 'nothing' }
  const advisory = ADVISORY_LOCK.exec(text)
  if (advisory) return { kind: 'advisory_lock', name: `advisory ${advisory[1]}` }
  return IDENTITY_PART.test(text) ? { kind: 'identity' } : null
}

function translate(text: string): string {
  const sql = replaceIdentity(text).replace(/'\\x([0-9a-f]*)'/gi, "x'$1'")
  let count = 0
  const inOrder = sql.replace(/\$(\d+)/g, (_, number) => (Number(number) === ++count ? '?' : '$'))
  // SQLite takes much longer to prepare a statement with many numbered parameters.
  return inOrder.includes('$') ? sql.replace(/\$(\d+)/g, '?$1') : inOrder
}

/** The service builds the identity of the database from parts. Here it is one value. */
function replaceIdentity(text: string): string {
  const start = text.indexOf("concat('system:'")
  if (start < 0) return text
  const end = endOfParentheses(text, text.indexOf('(', start))
  return replaceIdentity(`${text.slice(0, start)}database_identity()${text.slice(end)}`)
}

function parseSchema(sql: string, tables: Tables): Statement {
  const existing = /^CREATE TABLE IF NOT EXISTS "?(\w+)"?/i.exec(sql)
  if (existing && tables.byName.has(existing[1]!)) return { kind: 'nothing' }
  const translated = sql
    .replace(/BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY/g, `INTEGER PRIMARY KEY ${IDENTITY_MARK}`)
    .replace(/\bBIGINT\b/g, 'INTEGER')
    .replace(/\bBYTEA\b/g, 'BLOB')
    // SQLite compares text byte by byte.
    .replace(/ COLLATE "C"/g, '')
  const [, created] = /^\s*CREATE TABLE "?(\w+)/i.exec(sql) ?? []
  if (created === undefined) return { kind: 'schema', sql: translated }
  // PostgreSQL names the condition of a column by its table and column.
  const named = translated.replace(/^(\s*(\w+) [^\n]*?) CHECK \(/gm, `$1 CONSTRAINT ${created}_$2_check CHECK (`)
  return { kind: 'schema', sql: `${named.trimEnd()} STRICT` }
}

/** The name of the column with a part of the primary key of a locked row. */
export function lockColumn(index: number): string {
  return `locked_key_${index}`
}

function parseLockingRead(select: string, clause: RegExpExecArray, tables: Tables): LockingRead {
  const [, noKey, strength, rest = ''] = clause
  const parts = /^\s*select (.+?) from "(\w+)"(?=$| where | order by | limit )(.*)$/is.exec(select)
  const table = parts ? tables.byName.get(parts[2]!) : undefined
  const skipLocked = /^\s*skip locked\s*$/i.test(rest)
  if (!parts || !table || strength?.toLowerCase() !== 'update' || (rest.trim() !== '' && !skipLocked))
    throw new Error(`the simulated PostgreSQL locks rows of one table only: ${select} ${clause[0]}`)
  const keys = table.key.map((column, index) => `"${table.name}"."${column}" AS ${lockColumn(index)}`)
  const free = `row_is_free(${[table.number, ...table.key.map(column => `"${column}"`)].join()})`
  const source = skipLocked ? `(SELECT * FROM "${table.name}" WHERE ${free}) AS "${table.name}"` : `"${table.name}"`
  return {
    kind: 'lock',
    sql: `select ${parts[1]}, ${keys.join()} from ${source}${parts[3]}`,
    table,
    mode: noKey ? NO_KEY_UPDATE : UPDATE,
  }
}

/** Inserts take their ids from a sequence, as identity columns do: before the row is checked for conflicts. */
function drawIds(sql: string, tables: Tables): string {
  const insert = /^\s*insert into "?(\w+)"? \(([^)]*)\)\s*(values|select)\s/i.exec(sql)
  if (!insert) return sql
  const table = tables.byName.get(insert[1]!)
  if (!table?.identity || /(^|[\s,"])id([\s,"]|$)/.test(insert[2]!)) return sql
  const start = insert[0].length
  const head = `insert into "${table.name}" ("id", ${insert[2]})`
  const nextId = `next_id(${table.number}), `
  if (insert[3]!.toLowerCase() === 'select') return `${head} select ${nextId}${sql.slice(start)}`
  const rows: string[] = []
  let position = start
  while (sql[position] === '(') {
    const end = endOfParentheses(sql, position)
    rows.push(nextId + sql.slice(position + 1, end - 1))
    position = end + /^(?:\s*,\s*)?/.exec(sql.slice(end))![0].length
  }
  // With a trigger, SQLite evaluates a single row of VALUES twice.
  const source = rows.length === 1 ? `select ${rows[0]} where true ` : `values ${rows.map(row => `(${row})`).join()}`
  return `${head} ${source}${sql.slice(position)}`
}

/** `DO UPDATE` locks the existing row, also when its condition is false. */
function lockConflicting(sql: string, tables: Tables): string {
  const name = /^\s*insert into "?(\w+)"?/i.exec(sql)?.[1]
  const table = name === undefined ? undefined : tables.byName.get(name)
  const condition = /\sdo update set .*?\swhere\s/is.exec(sql)
  if (!table || !condition) return sql
  const start = condition.index + condition[0].length
  const end = /\sreturning\s|$/i.exec(sql.slice(start))!.index + start
  const key = table.key.map(column => `"${table.name}"."${column}"`)
  const lock = `row_conflicting(${[table.number, ...key].join()})`
  return `${sql.slice(0, start)}${lock} AND (${sql.slice(start, end)})${sql.slice(end)}`
}

/** @param start the offset of an opening parenthesis. @returns the offset after its closing one */
export function endOfParentheses(sql: string, start: number): number {
  let depth = 0
  for (let position = start; position < sql.length; position++) {
    const character = sql[position]
    if (character === "'" || character === '"') position = sql.indexOf(character, position + 1)
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return position + 1
    if (position < 0) break
  }
  throw new Error(`unbalanced parentheses: ${sql}`)
}
