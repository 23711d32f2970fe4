import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const FIXTURES = join(import.meta.dirname, 'fixtures')

/** The engines that each version has a fixture of. */
export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

export interface Merchant {
  readonly email: string
  readonly sessionToken: string
  readonly apiKey: string
  readonly viewingKey?: string
}

/** Facts about a fixture that its database does not contain. */
export interface Facts {
  /** Unix seconds of the backup. */
  readonly recordedAt: number
  /** Base64. */
  readonly encryptionKey: string
  readonly webhook: { readonly url: string; readonly secret: string }
  /** The key that the invoice `pending` was created with. */
  readonly idempotencyKey: string
  readonly merchants: readonly Merchant[]
  /** Ids by the names of the story. */
  readonly invoices: Readonly<Record<string, string>>
  /** The id of a withdrawal whose deposit is confirmed. */
  readonly unpaidOut: string
  /** The recorded version's response to each request after the backup. */
  readonly responses: readonly { readonly email: string; readonly line: string; readonly body: unknown }[]
  /** Addresses that were shown after the backup. */
  readonly soldLater: readonly string[]
}

/** A database as one version wrote it, with the simulated chain and the swaps that it belongs to. */
export interface Fixture {
  /** SQL of a backup that was made while the service ran. */
  readonly sql: string
  /** The contents of `sandbox-chain.jsonl` and `sandbox-swaps.json` in the data folder. */
  readonly chain: string
  readonly swaps: string
  readonly facts: Facts
}

const FILES = {
  sql: 'database.sql',
  chain: 'chain.jsonl',
  swaps: 'swaps.json',
  facts: 'facts.json',
  /** Those of the facts, one a line. */
  responses: 'responses.jsonl',
} as const

/** The recorded versions, in the order of their names. */
export function recordedVersions(): string[] {
  return readdirSync(FIXTURES).sort()
}

export function readFixture(version: string, engine: Engine): Fixture {
  const read = (name: string) => readFileSync(join(FIXTURES, version, engine, name), 'utf8')
  return {
    sql: read(FILES.sql),
    chain: read(FILES.chain),
    swaps: read(FILES.swaps),
    facts: {
      ...JSON.parse(read(FILES.facts)),
      responses: read(FILES.responses)
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    },
  }
}

/** @param folder of the version */
export function writeFixture(folder: string, engine: Engine, { sql, chain, swaps, facts }: Fixture): void {
  mkdirSync(join(folder, engine), { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(folder, engine, name), text)
  write(FILES.sql, sql)
  write(FILES.chain, chain)
  write(FILES.swaps, `${swaps.trimEnd()}\n`)
  const { responses, ...others } = facts
  write(FILES.facts, `${JSON.stringify(others, null, 1)}\n`)
  write(FILES.responses, responses.map(response => `${JSON.stringify(response)}\n`).join(''))
}

/** The SQL that creates a copy of a SQLite database. */
export function dumpSqlite(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const all = (sql: string) => database.prepare(sql).all() as Record<string, string>[]
    const parts = all("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type <> 'table', rowid")
    const [tables, others] = [
      parts.filter(({ type }) => type === 'table'),
      parts.filter(({ type }) => type !== 'table'),
    ]
    const lines = tables.flatMap(({ name, sql }) => {
      const quoted = all(`SELECT name FROM pragma_table_info('${name}')`).map(column => `quote("${column.name}")`)
      const rows = all(`SELECT ${quoted.join(" || ', ' || ")} AS literals FROM "${name}"`)
      const inserts = rows.map(({ literals }) => `INSERT INTO "${name}" VALUES (${literals});`)
      if (name === 'sqlite_stat1') return ['ANALYZE sqlite_schema;', ...inserts]
      return name?.startsWith('sqlite_') ? inserts : [`${sql};`, ...inserts]
    })
    return `${['BEGIN;', ...lines, ...others.map(({ sql }) => `${sql};`), 'COMMIT;'].join('\n')}\n`
  } finally {
    database.close()
  }
}

/** Creates a SQLite file from its SQL, whose tables may refer to later ones. */
export function loadSqlite(file: string, sql: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}
