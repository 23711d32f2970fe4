import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readKeptSeeds } from '../run/saved-plan.ts'
import { serviceFingerprint, simulationFingerprint } from './sources.ts'

const FOLDER = join(import.meta.dirname, '../../evidence')
const MEASUREMENT = join(FOLDER, 'measurement.json')
const MUTANTS = join(FOLDER, 'mutants.json')
const SOURCES = join(FOLDER, 'sources.json')
const FINDINGS = join(FOLDER, 'findings.json')

/** Recorded runs of many seeds in which every rule held. */
export interface Measurement {
  readonly runs: number
  readonly seeds: number
  readonly secs: number
  readonly simulatedHours: number
  /** By the name of the action: in how many seeds it took effect. */
  readonly actions: Readonly<Record<string, number>>
  /** In how many seeds each state transition was taken. */
  readonly transitions: Readonly<Record<string, number>>
}

/** A recorded run of the mutants: by name, the number of seeds it took to find each; null when it survived. */
export type MutantRecord = Readonly<Record<string, number | null>>

/** A defect of the service that the simulation has found. */
export interface FixedDefect {
  /** The defect, in words. */
  readonly wrong: string
  readonly rule: string
  /** The commit that fixed it. */
  readonly fixedBy: string
}

export function readMeasurement(): Measurement | null {
  return readIfPresent<Measurement>(MEASUREMENT)
}

/** The fingerprints of the sources that were measured. */
export interface RecordedSources {
  /** Empty until a run of this version is recorded. */
  readonly simulation: string
  readonly service: string
  /** By the name of the mutant. */
  readonly mutants: Readonly<Record<string, string>>
}

export function readRecordedSources(): RecordedSources {
  return readIfPresent<RecordedSources>(SOURCES) ?? { simulation: '', service: '', mutants: {} }
}

function writeRecordedSources(changed: Partial<RecordedSources>): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(SOURCES, `${JSON.stringify({ ...readRecordedSources(), ...changed }, null, 2)}\n`)
}

/** Adds a run to the recorded ones of the same sources, or takes the place of those of other sources. */
export function addMeasurement(run: Omit<Measurement, 'runs'>): void {
  const [simulation, service] = [simulationFingerprint(), serviceFingerprint()]
  const recorded = readRecordedSources()
  const isSame = recorded.simulation === simulation && recorded.service === service
  const earlier = isSame ? readMeasurement() : null
  writeRecordedSources({ simulation, service })
  const sum: Measurement = {
    runs: (earlier?.runs ?? 0) + 1,
    seeds: (earlier?.seeds ?? 0) + run.seeds,
    secs: (earlier?.secs ?? 0) + run.secs,
    simulatedHours: (earlier?.simulatedHours ?? 0) + run.simulatedHours,
    actions: sumOf(earlier?.actions, run.actions),
    transitions: sumOf(earlier?.transitions, run.transitions),
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(MEASUREMENT, `${JSON.stringify(sum, null, 2)}\n`)
}

function sumOf(a: Readonly<Record<string, number>> = {}, b: Readonly<Record<string, number>>): Record<string, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  return Object.fromEntries(names.map(name => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
}

export function readMutantRecord(): MutantRecord | null {
  return readIfPresent<MutantRecord>(MUTANTS)
}

/** @param sources the fingerprints of the mutants that were run */
export function writeMutantRecord(record: MutantRecord, sources: Readonly<Record<string, string>>): void {
  const kept = Object.entries({ ...readRecordedSources().mutants, ...sources }).filter(([name]) => name in record)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(MUTANTS, `${JSON.stringify(record, null, 2)}\n`)
  writeRecordedSources({ mutants: Object.fromEntries(kept) })
}

/** The defects of the kept seeds, and those whose seeds could not be kept. */
export function readFixedDefects(): FixedDefect[] {
  const kept = readKeptSeeds()
    .filter(seed => seed.of === 'service')
    .map(({ wrong, rule, fixedBy }) => ({ wrong, rule, fixedBy }))
  return [...kept, ...(readIfPresent<FixedDefect[]>(FINDINGS) ?? [])]
}

function readIfPresent<T>(file: string): T | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null
}
