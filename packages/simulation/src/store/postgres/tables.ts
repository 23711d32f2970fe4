import type { DatabaseSync } from 'node:sqlite'

/** Marks an identity column in the definition of a table, which SQLite keeps as it was written. */
export const IDENTITY_MARK = '/* identity */'

/** A table with what the row locks need to know about it. */
export interface Table {
  readonly number: number
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** Whether `id` is drawn from a sequence. */
  readonly identity: boolean
  /** The columns of each other unique index. */
  readonly uniques: readonly (readonly string[])[]
  readonly references: readonly { readonly column: string; readonly parent: string }[]
  readonly blobs: ReadonlySet<string>
}

export interface Tables {
  readonly list: readonly Table[]
  readonly byName: ReadonlyMap<string, Table>
}

/** Reads the tables of a database, in the order of their creation: parents come before their children. */
export function readTables(database: DatabaseSync): Tables {
  const rows = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .all()
  const list = rows.map((row, number) => readTable(database, number, String(row.name), String(row.sql)))
  return { list, byName: new Map(list.map(table => [table.name, table])) }
}

function readTable(database: DatabaseSync, number: number, name: string, definition: string): Table {
  const columns = database.prepare(`PRAGMA table_info("${name}")`).all()
  const key = columns.filter(column => Number(column.pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  const blobs = columns.filter(column => column.type === 'BLOB').map(column => String(column.name))
  const references = database.prepare(`PRAGMA foreign_key_list("${name}")`).all()
  return {
    number,
    name,
    columns: columns.map(column => String(column.name)),
    key: key.map(column => String(column.name)),
    identity: definition.includes(IDENTITY_MARK),
    uniques: readUniques(database, name),
    references: references.map(reference => ({ column: String(reference.from), parent: String(reference.table) })),
    blobs: new Set(blobs),
  }
}

/** The unique indexes other than the primary key. @throws Error for a partial one, unless it only excludes null */
function readUniques(database: DatabaseSync, name: string): string[][] {
  const indexes = database.prepare(`PRAGMA index_list("${name}")`).all()
  return indexes
    .filter(index => Number(index.unique) === 1 && index.origin !== 'pk')
    .map(index => {
      const columns = database.prepare(`PRAGMA index_info("${index.name}")`).all()
      const row = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(String(index.name))
      const condition = /\sWHERE\s(.*)$/is.exec(String(row?.sql ?? ''))?.[1]
      if (condition !== undefined && !/^\w+ IS NOT NULL$/i.test(condition.trim()))
        throw new Error(`the simulated PostgreSQL does not support the unique index ${index.name} (${condition})`)
      return columns.map(column => String(column.name))
    })
}

/**
 * Temporary triggers that report each change of a row before it happens. `row_changing` and `row_inserting` return 1 to
 * stop the statement, which undoes what it has changed, and 2 to leave the row out.
 */
export function triggersOf(table: Table): string[] {
  const { name, number } = table
  const keys = (row: string) => table.key.map(column => `${row}."${column}"`)
  const uniques = (row: string) => table.uniques.map(columns => textOf(table, row, columns))
  const create = (suffix: string, event: string, body: string) =>
    `CREATE TEMP TRIGGER "${name}_${suffix}" ${event} ON main."${name}" BEGIN ${body}; END`
  const call = (fn: string, args: readonly (string | number)[]) =>
    `SELECT CASE ${fn}(${args.join()}) WHEN 1 THEN RAISE(ABORT, 'row lock') WHEN 2 THEN RAISE(IGNORE) END`
  const differs = (column: string) => `OLD."${column}" IS NOT NEW."${column}"`
  const uniqueColumns = [...new Set(table.uniques.flat())]
  const quoted = (columns: readonly string[]) => columns.map(column => `"${column}"`).join()
  if (table.key.length === 0)
    return [create('no_key', 'BEFORE INSERT', `SELECT RAISE(ABORT, 'the simulated PostgreSQL needs a primary key')`)]
  const triggers = [
    create('insert', 'BEFORE INSERT', call('row_inserting', [number, ...keys('NEW'), ...uniques('NEW')])),
    create('inserted', 'AFTER INSERT', call('row_inserted', [number, ...keys('NEW'), ...uniques('NEW')])),
    create('update', 'BEFORE UPDATE', call('row_changing', [number, 2, ...keys('OLD'), ...uniques('OLD')])),
    create('delete', 'BEFORE DELETE', call('row_deleting', [number, ...keys('OLD'), ...uniques('OLD')])),
    create(
      'key',
      `BEFORE UPDATE OF ${quoted(table.key)}`,
      `SELECT RAISE(ABORT, 'the simulated PostgreSQL does not change primary keys') WHERE ${table.key.map(differs).join(' OR ')}`,
    ),
  ]
  if (uniqueColumns.length > 0) {
    const body = call('row_changing', [number, 3, ...keys('OLD'), ...uniques('NEW')])
    triggers.push(
      create(
        'unique',
        `BEFORE UPDATE OF ${quoted(uniqueColumns)}`,
        `${body} WHERE ${uniqueColumns.map(differs).join(' OR ')}`,
      ),
    )
  }
  for (const { column, parent } of table.references) {
    const referencing = call('row_referencing', [`'${parent}'`, `NEW."${column}"`])
    triggers.push(create(`insert_${column}`, 'AFTER INSERT', referencing))
    triggers.push(create(`update_${column}`, `AFTER UPDATE OF "${column}"`, `${referencing} WHERE ${differs(column)}`))
  }
  return triggers
}

function textOf(table: Table, row: string, columns: readonly string[]): string {
  return columns
    .map(column => (table.blobs.has(column) ? `hex(${row}."${column}")` : `${row}."${column}"`))
    .join(`||' '||`)
}
