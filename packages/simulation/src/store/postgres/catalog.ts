import { refusalTriggers } from '../refused-rows.ts'
import type { Connection } from './connection.ts'
import { parse, type Statement } from './sql.ts'
import { readTables, type Tables, triggersOf } from './tables.ts'

const MAX_STATEMENTS = 2_000

/** The tables of the database, the sequences of their ids, and the parsed statements on them. */
export class Catalog {
  #tables: Tables = { list: [], byName: new Map() }
  readonly #statements = new Map<string, Statement>()
  /** The last drawn id by table. Not part of any transaction: a drawn id is never drawn again. */
  readonly #sequences = new Map<string, bigint>()

  get tables(): Tables {
    return this.#tables
  }

  statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = parse(sql, this.#tables)
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
  }

  /** Reads the tables and creates their triggers. */
  load(writer: Connection): void {
    const { database } = writer
    this.#tables = readTables(database)
    this.#statements.clear()
    const triggers = database.prepare("SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'").all()
    for (const { name } of triggers) database.exec(`DROP TRIGGER temp."${name}"`)
    const names = this.#tables.list.map(({ name }) => name)
    for (const trigger of [...this.#tables.list.flatMap(triggersOf), ...refusalTriggers(names)]) database.exec(trigger)
    this.#advanceSequences(writer)
  }

  nextId(number: number): bigint {
    const { name } = this.#tables.list[number]!
    const next = (this.#sequences.get(name) ?? 0n) + 1n
    this.#sequences.set(name, next)
    return next
  }

  /** Restarts the sequences after the ids that the tables contain, or at those of a copy. */
  resetSequences(reader: Connection, copy: ReadonlyMap<string, bigint> = new Map()): void {
    this.#sequences.clear()
    for (const [name, last] of copy) this.#sequences.set(name, last)
    this.#advanceSequences(reader)
  }

  copySequences(): ReadonlyMap<string, bigint> {
    return new Map(this.#sequences)
  }

  #advanceSequences(reader: Connection): void {
    for (const { name } of this.#tables.list.filter(({ identity }) => identity)) {
      const [row] = reader.run(`SELECT coalesce(max(id), 0) AS last FROM "${name}"`).rows
      const last = row!.last as bigint
      if (last > (this.#sequences.get(name) ?? 0n)) this.#sequences.set(name, last)
    }
  }
}
