import { copyFileSync } from 'node:fs'
import { SQLITE } from '../../src/store/dialect.ts'
import { openStore } from '../../src/store/open.ts'
import { kept, schemaName } from './kept.ts'

let template: Promise<string> | undefined

/** Creates a SQLite file with the tables of this version and no rows. Creating the tables takes ten times as long. */
export async function createSqliteFile(file: string): Promise<void> {
  template ??= kept(`sqlite/${schemaName(SQLITE)}.db`, createTables)
  copyFileSync(await template, file)
}

async function createTables(file: string): Promise<void> {
  await (await openStore(`sqlite:${file}`)).close()
}
