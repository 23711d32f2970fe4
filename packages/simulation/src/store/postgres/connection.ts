import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { pgError } from './error.ts'

export interface Result {
  readonly rows: Record<string, unknown>[]
  readonly affected: number
}

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

const MAX_STATEMENTS = 1_000

/** One connection to the SQLite file, with its prepared statements. */
export class Connection {
  readonly database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(file: string, options: { foreignKeys: boolean }) {
    this.database = new DatabaseSync(file, {
      readBigInts: true,
      enableForeignKeyConstraints: options.foreignKeys,
    })
    this.database.exec('PRAGMA journal_mode = WAL')
    this.database.exec('PRAGMA synchronous = OFF')
  }

  /** Runs a statement. @param values as from `bindable` */
  run(sql: string, values: readonly SQLInputValue[] = []): Result {
    const { statement, returnsRows } = this.#prepare(sql)
    if (!returnsRows) return { rows: [], affected: Number(statement.run(...values).changes) }
    const rows = statement.all(...values)
    return { rows, affected: rows.length }
  }

  close(): void {
    this.#prepared.clear()
    this.database.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#prepared.size >= MAX_STATEMENTS) this.#prepared.clear()
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

/** The values of a statement as SQLite binds them. @throws the error of PostgreSQL for text that it cannot store */
export function bindable(values: readonly unknown[]): SQLInputValue[] {
  return values.map(value => {
    if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
    if (typeof value === 'string' && value.includes('\0'))
      throw pgError('22021', 'invalid byte sequence for encoding "UTF8": 0x00')
    return (value ?? null) as SQLInputValue
  })
}
