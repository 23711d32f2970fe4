import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestedMutant } from './mutant.ts'

const SERVER = join(import.meta.dirname, '../../server')
const MAX_AGE_MS = 30 * 86_400_000

/**
 * The mutants that their tests have killed on this machine. Each has a file named by the hash of the mutant, the file that it
 * changes and its test. A change of one of the three, or a month, makes it count as new.
 */
export class KilledMutants {
  readonly #folder: string
  readonly #server: string

  constructor(folder: string, server = SERVER) {
    this.#folder = folder
    this.#server = server
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      if (Date.now() - statSync(file).mtimeMs > MAX_AGE_MS) rmSync(file)
    }
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
