import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const X = String.raw`(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)`

/** A kind of file that names the version of zatgate. */
interface Place {
  readonly files: string
  versions(text: string): string[]
  replace(text: string, version: string): string
}

/** Where the version follows a text. */
function after(files: string, before: string): Place {
  const pattern = new RegExp(`(?<=${before})${X}(?![\\w.]*\\w)`, 'gm')
  return {
    files,
    versions: text => text.match(pattern) ?? [],
    replace: (text, version) => text.replaceAll(pattern, version),
  }
}

interface LockedPackage {
  version?: string
  dependencies?: Record<string, string>
}

interface Lock {
  version: string
  packages: Record<string, LockedPackage>
}

/** The packages of the workspace in a lock file of npm, and their dependencies on each other. */
function lockFile(files: string): Place {
  const own = (lock: Lock) =>
    Object.entries(lock.packages).flatMap(([path, entry]) => (path.includes('node_modules/') ? [] : [entry]))
  return {
    files,
    versions(text) {
      const lock = JSON.parse(text) as Lock
      const named = own(lock).flatMap(({ version = [], dependencies = {} }) => [
        version,
        Object.entries(dependencies).flatMap(([name, range]) => (name.startsWith('@zatgate/') ? [range] : [])),
      ])
      return [lock.version, ...named.flat()]
    },
    replace(text, version) {
      const lock = JSON.parse(text) as Lock
      lock.version = version
      for (const entry of own(lock)) {
        entry.version = version
        for (const name of Object.keys(entry.dependencies ?? {}))
          if (name.startsWith('@zatgate/')) (entry.dependencies as Record<string, string>)[name] = version
      }
      return `${JSON.stringify(lock, null, 2)}\n`
    },
  }
}

const PLACES: readonly Place[] = [
  after(
    '{package,packages/*/package,bin/runtime/package,.ci/node/package}.json',
    '^ {2}"version": "|"@zatgate/[\\w-]+": "',
  ),
  lockFile('{package-lock,bin/runtime/package-lock,.ci/node/package-lock}.json'),
  after('deploy/helm/*/Chart.yaml', '^(?:version|appVersion): "?'),
  after('deploy/docker/Dockerfile', 'image\\.version="'),
  after('deploy/umbrel/zatgate-server/umbrel-app.yml', '^version: "'),
  after('deploy/startos/startos/versions/current.ts', "version: '"),
  after(
    '{*.md,docs/*.md,packages/*/README.md,deploy/**/*.{yaml,yml,md,example,service}}',
    '\\b(?:zatgate[:-]v?|image\\.tag=)',
  ),
]

/** The changelog names all versions. */
const EXCLUDED = ['CHANGELOG.md']

export interface Mention {
  /** From the root. */
  readonly file: string
  readonly version: string
}

/** Every place of a checkout that names the version of zatgate. */
export function versionMentions(root: string): Mention[] {
  return PLACES.flatMap(place =>
    filesOf(root, place).flatMap(file =>
      place.versions(readFileSync(join(root, file), 'utf8')).map(version => ({ file, version })),
    ),
  )
}

/** Sets the version in all places of a checkout. @returns the changed files */
export function setVersion(root: string, version: string): string[] {
  const changed = new Set<string>()
  for (const place of PLACES) {
    for (const file of filesOf(root, place)) {
      const text = readFileSync(join(root, file), 'utf8')
      const next = place.versions(text).length === 0 ? text : place.replace(text, version)
      if (next === text) continue
      writeFileSync(join(root, file), next)
      changed.add(file)
    }
  }
  return [...changed].sort()
}

function filesOf(root: string, { files }: Place): string[] {
  return globSync(files, { cwd: root })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => !EXCLUDED.includes(file))
    .sort()
}
