import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestedMutant } from './mutant.ts'

const SERVER = join(import.meta.dirname, '../../server')

/**
 * The mutants that their tests have killed on this machine. Each has a file named by the hash of the mutant, the file that it
 * changes and its test, so that a change of one of the three makes it count as new.
 */
export class KilledMutants {
  readonly #folder: string
  readonly #server: string

  constructor(folder: string, server = SERVER) {
    this.#folder = folder
    this.#server = server
    mkdirSync(folder, { recursive: true })
  }

  has(mutant: TestedMutant): boolean {
    return existsSync(this.#fileOf(mutant))
  }

  add(mutant: TestedMutant): void {
    writeFileSync(this.#fileOf(mutant), '')
  }

  #fileOf(mutant: TestedMutant): string {
    const hash = createHash('sha256').update(JSON.stringify(mutant))
    for (const file of [`src/${mutant.file}`, `test/${mutant.killedBy.file}`])
      hash.update(readFileSync(join(this.#server, file)))
    return join(this.#folder, hash.digest('hex'))
  }
}
