import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FailedSeed } from '../run/coverage.ts'

/** Keeps what is measured until the document is written. */
const FILE = join(tmpdir(), 'zatgate-evidence.json')

/** The measured part of the evidence. */
export interface Measured {
  /** Short; with `-dirty` when files differ from it. */
  readonly commit: string
  readonly seeds: Measurement
  /** By name: how many seeds from the base seed on it took to find the mutant; null when it was not found. */
  readonly mutants: Readonly<Record<string, number | null>>
}

/** A run of many seeds. */
export interface Measurement {
  /** The first seed. */
  readonly first: number
  readonly count: number
  readonly secs: number
  /** In which a rule was broken. */
  readonly broken: readonly FailedSeed[]
  readonly simulatedHours: number
  /** By the name of the action: in how many seeds it took effect. */
  readonly actions: Readonly<Record<string, number>>
  /** In how many seeds each state transition was taken. */
  readonly transitions: Readonly<Record<string, number>>
}

/** The results of an interrupted run of this commit. Null when there are none, or when files differ from the commit. */
export function readMeasured(commit: string): Measured | null {
  if (commit.endsWith('-dirty') || !existsSync(FILE)) return null
  const measured = JSON.parse(readFileSync(FILE, 'utf8')) as Measured
  return measured.commit === commit ? measured : null
}

export function writeMeasured(measured: Measured): void {
  writeFileSync(FILE, JSON.stringify(measured))
}

/** The commit of the checkout. @throws Error outside of one */
export function currentCommit(): string {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['describe', '--always', '--dirty', '--abbrev=9', '--exclude=*'],
    {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(`git cannot name the commit: ${stderr}`)
  return stdout.trim()
}
