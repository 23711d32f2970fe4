import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CHECKSUMS = 'SHA256SUMS'

export interface Artefact {
  readonly name: string
  readonly bytes: number
  /** Hexadecimal digits. */
  readonly sha256: string
}

/** Writes the checksums of all files of a folder in the format of `sha256sum`. @returns the files in order of their names */
export function writeChecksums(folder: string): Artefact[] {
  const artefacts = readdirSync(folder)
    .filter(name => name !== CHECKSUMS)
    .sort()
    .map(name => {
      const contents = readFileSync(join(folder, name))
      return { name, bytes: contents.length, sha256: createHash('sha256').update(contents).digest('hex') }
    })
  writeFileSync(join(folder, CHECKSUMS), artefacts.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
  return artefacts
}
