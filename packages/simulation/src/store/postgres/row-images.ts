import type { SQLInputValue } from 'node:sqlite'
import type { Connection } from './connection.ts'
import type { Table } from './tables.ts'

/** A row by its primary key. */
export interface RowKey {
  readonly table: Table
  readonly key: readonly SQLInputValue[]
  /** Whether it was deleted. A row that is inserted later with the same key is another one. */
  readonly deleted?: boolean
}

/** The content of a row; null when it does not exist. */
export interface RowImage extends RowKey {
  readonly values: readonly SQLInputValue[] | null
}

interface RowStatements {
  readonly read: string
  readonly write: string
  readonly remove: string
}

const statements = new WeakMap<Table, RowStatements>()

/** The present content of the rows, as the connection sees it. */
export function readImages(connection: Connection, rows: ReadonlyMap<string, RowKey>): Map<string, RowImage> {
  const images = new Map<string, RowImage>()
  for (const [name, { table, key }] of rows) {
    const [found] = connection.run(statementsOf(table).read, key).rows
    images.set(name, { table, key, values: found ? (Object.values(found) as SQLInputValue[]) : null })
  }
  return images
}

/** Gives the rows this content. Parents are written before their children and removed after them. */
export function writeImages(connection: Connection, images: Iterable<RowImage>): void {
  const ordered = [...images].sort((a, b) => a.table.number - b.table.number)
  for (const { table, key, values } of ordered.toReversed()) {
    if (values === null) connection.run(statementsOf(table).remove, key)
  }
  for (const { table, values } of ordered) {
    if (values !== null) connection.run(statementsOf(table).write, values)
  }
}

function statementsOf(table: Table): RowStatements {
  const known = statements.get(table)
  if (known) return known
  const name = `"${table.name}"`
  const columns = table.columns.map(column => `"${column}"`)
  const key = table.key.map(column => `"${column}"`)
  const isRow = key.map(column => `${column} = ?`).join(' AND ')
  const others = columns.filter(column => !key.includes(column))
  const update = others.map(column => `${column} = excluded.${column}`).join()
  const created: RowStatements = {
    read: `SELECT * FROM ${name} WHERE ${isRow}`,
    write:
      `INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()}) ` +
      `ON CONFLICT (${key.join()}) DO ${update === '' ? 'NOTHING' : `UPDATE SET ${update}`}`,
    remove: `DELETE FROM ${name} WHERE ${isRow}`,
  }
  statements.set(table, created)
  return created
}
