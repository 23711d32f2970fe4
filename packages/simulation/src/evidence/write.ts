import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTANTS } from '../../mutants/list.ts'
import { RULES } from '../rules.ts'
import { readCatalogue } from '../run/catalogue.ts'
import { openDatabases } from '../run/databases.ts'
import { evidenceDocument } from './document.ts'
import { readFixedDefects, readMeasurement, readMutantRecord } from './records.ts'

/** The path of the document. */
export const EVIDENCE_FILE = join(import.meta.dirname, '../../../../docs/evidence.md')

/** The document from the present sources and the recorded results. */
export async function currentEvidence(): Promise<string> {
  return evidenceDocument({
    rules: RULES,
    catalogue: readCatalogue(await openDatabases()),
    measurement: readMeasurement(),
    mutants: readMutantRecord(),
    mutantThemes: Object.fromEntries(MUTANTS.map(({ name, theme }) => [name, theme])),
    defects: readFixedDefects(),
  })
}

export async function writeEvidence(): Promise<void> {
  writeFileSync(EVIDENCE_FILE, await currentEvidence())
}
