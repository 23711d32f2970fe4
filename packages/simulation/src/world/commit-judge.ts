import type { Part } from '../run/part.ts'
import type { SimulatedDatabase } from '../store/sqlite.ts'
import { tableNames } from '../store/table-names.ts'

/** Lets the parts check each commit, unless it changed no table that the part has ever read. */
export class CommitJudge {
  /** The database of the run. What is read through it counts for the part that is checking. */
  readonly database: SimulatedDatabase
  /** The tables that each part has read in its checks. */
  readonly #reads = new Map<Part, Set<string>>()
  #reading: Set<string> | null = null

  constructor(database: SimulatedDatabase) {
    this.database = {
      ...database,
      committed: (sql, ...values) => {
        if (this.#reading) for (const table of tablesOf(sql)) this.#reading.add(table)
        return database.committed(sql, ...values)
      },
    }
  }

  /** Lets every part check the next commit: the content of the database was replaced. */
  restored(): void {
    this.#reads.clear()
  }

  /** @param changed the tables that the commit changed */
  check(part: Part, changed: ReadonlySet<string>): void {
    if (!part.onCommit) return
    const read = this.#reads.get(part)
    if (read && read.size > 0 && [...read].every(table => !changed.has(table))) return
    this.#reading = read ?? new Set()
    this.#reads.set(part, this.#reading)
    part.onCommit()
    this.#reading = null
  }
}

/** The tables that a query reads. */
const tablesOf = tableNames('from|join')
