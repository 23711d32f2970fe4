import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SIMULATION = join(import.meta.dirname, '..')
const SERVICE = join(import.meta.dirname, '../../../server/src')
/** Parts of the simulation that decide no result. */
const WITHOUT_EFFECT = /^(evidence|cli)[/.]/

/** The part of a mutant that decides its result. */
export interface MutantSource {
  /** Path below `packages/server/src`. */
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly needs?: readonly string[]
  readonly withinSeeds: number
}

/** The fingerprint of the sources that decide whether and when the simulation finds the mutants of this run. */
export function mutantFingerprints(): (mutant: MutantSource) => string {
  const simulation = simulationFingerprint()
  return ({ file, find, replace, needs, withinSeeds }) =>
    hashOf([simulation, readFileSync(join(SERVICE, file), 'utf8'), find, replace, String(needs), String(withinSeeds)])
}

/** The fingerprint of the simulation: its actions, judges and rules. */
export function simulationFingerprint(): string {
  return fingerprintOf(SIMULATION, file => !WITHOUT_EFFECT.test(file))
}

/** The fingerprint of the service. */
export function serviceFingerprint(): string {
  return fingerprintOf(SERVICE, () => true)
}

function fingerprintOf(folder: string, counts: (file: string) => boolean): string {
  const files = globSync('**/*.ts', { cwd: folder }).filter(counts).sort()
  return hashOf(files.flatMap(file => [file, readFileSync(join(folder, file), 'utf8')]))
}

function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${Buffer.byteLength(text)} `).update(text)
  return hash.digest('hex').slice(0, 16)
}
