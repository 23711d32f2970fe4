// Makes a release: npm run release -- --help
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PUBLISHED } from '../packages/build.ts'
import { buildImage, listComponents, packPackages, packSource, recordDatabase } from './artefacts.ts'
import { RELEASE_BRANCH, tagOf } from './checkout.ts'
import { ReleaseError } from './error.ts'
import { type Released, release } from './release.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const HELP = `npm run release -- [--dry] [--version VERSION] [--out FOLDER]

Builds the artefacts of a release, commits the changed files and tags the commit, on this machine only. It pushes and
publishes nothing: it prints the commands for that.

  --version VERSION   X.Y.Z, patch, minor or major. Default: the version in package.json, if it is not released yet
  --dry               does it on a temporary clone and leaves this checkout as it is
  --out FOLDER        keeps the artefacts there, in a new or empty folder. Default: release/<version>; of a dry run
                      they are removed
`

interface Arguments {
  readonly isDry: boolean
  readonly requested: string | null
  readonly out: string | null
}

/** @throws ReleaseError */
function parseArguments(args: readonly string[]): Arguments | 'help' {
  const options = {
    dry: { type: 'boolean' },
    version: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true })
    if (values.help) return 'help'
    const out = values.out === undefined ? null : resolve(values.out)
    return { isDry: values.dry ?? false, requested: values.version ?? null, out }
  } catch (error) {
    throw new ReleaseError(`${(error as Error).message.split('. ')[0]} (see npm run release -- --help)`, 2)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function printArtefacts({ artefacts, out }: Released): void {
  print(`\nArtefacts${out === null ? ', which were removed (--out keeps them)' : ` in ${out}`}, with SHA-256:`)
  const width = artefacts.reduce((widest, { name }) => Math.max(widest, name.length), 0)
  for (const { name, bytes, sha256 } of artefacts)
    print(`  ${name.padEnd(width)}  ${String(bytes).padStart(9)} bytes  ${sha256}`)
}

function printNext({ version, out }: Released, isDry: boolean): void {
  const folder = out ?? `release/${version}`
  print(isDry ? '\nAfter a release that is not dry, publish it with:' : '\nNothing is published yet. Publish it with:')
  print(`  git push --follow-tags origin ${RELEASE_BRANCH}`)
  for (const name of [...PUBLISHED].reverse())
    print(`  npm publish --provenance --access public ${folder}/zatgate-${name}-${version}.tgz`)
  print(
    `  git checkout ${tagOf(version)} && docker buildx build --platform linux/amd64,linux/arm64 --push \\\n` +
      `    --file deploy/docker/Dockerfile --tag registry.example.com/zatgate:${version} .`,
  )
}

try {
  const parsed = parseArguments(process.argv.slice(2))
  if (parsed === 'help') process.stdout.write(HELP)
  else {
    const released = await release({
      ...parsed,
      root: ROOT,
      date: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
      prepare: [recordDatabase],
      build: [packPackages, packSource, listComponents, buildImage],
      print,
    })
    printArtefacts(released)
    printNext(released, parsed.isDry)
  }
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`release: ${error.message}\n`)
  process.exitCode = error.exitCode
}
