import type { SQLInputValue } from 'node:sqlite'
import type { Connection } from './connection.ts'
import { endOfParentheses } from './sql.ts'

/** A statement with the values that it binds. */
export interface BoundStatement {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Words before a subquery that returns a set of rows. */
const SET_BEFORE = /\b(?:in|exists|from|join|as|all|any|union)\s*$/i

/**
 * The statement with the present value of each subquery that returns one value and does not depend on the row, such as
 * `(SELECT max(height) FROM headers)`. PostgreSQL evaluates these once, and keeps their values when it waits for a lock.
 */
export function withSubqueriesEvaluated(connection: Connection, { sql, values }: BoundStatement): BoundStatement {
  if (/\?\d/.test(sql)) return { sql, values }
  let text = ''
  let position = 0
  const bound: SQLInputValue[] = []
  let used = 0
  const keep = (part: string) => {
    const count = part.split('?').length - 1
    bound.push(...values.slice(used, used + count))
    used += count
    text += part
  }
  for (const { index } of sql.matchAll(/\(\s*select\b/gi)) {
    if (index < position || SET_BEFORE.test(sql.slice(0, index))) continue
    const end = endOfParentheses(sql, index)
    const subquery = sql.slice(index, end)
    keep(sql.slice(position, index))
    position = end
    const count = subquery.split('?').length - 1
    const value = resultOf(connection, { sql: subquery, values: values.slice(used, used + count) })
    if (value === undefined) {
      keep(subquery)
      continue
    }
    used += count
    bound.push(value)
    text += '?'
  }
  keep(sql.slice(position))
  return { sql: text, values: bound }
}

/** Undefined when the subquery depends on the row of the statement. */
function resultOf(connection: Connection, { sql, values }: BoundStatement): SQLInputValue | undefined {
  try {
    return connection.run(`SELECT ${sql} AS value`, values).rows[0]!.value as SQLInputValue
  } catch (error) {
    if (error instanceof Error && /no such column/.test(error.message)) return undefined
    throw error
  }
}
