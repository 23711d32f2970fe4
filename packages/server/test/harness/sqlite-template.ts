import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/store/open.ts'

let template: Promise<string> | undefined

/** Creates a SQLite file with the tables of this version and no rows. Creating the tables takes ten times as long. */
export async function createSqliteFile(file: string): Promise<void> {
  template ??= createTemplate()
  copyFileSync(await template, file)
}

async function createTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'zatgate.db')
  await (await openStore(`sqlite:${file}`)).close()
  return file
}
