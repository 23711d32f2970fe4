import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Step } from './artefacts.ts'
import { releaseChangelog, unreleasedNotes } from './changelog.ts'
import {
  type Checkout,
  cloneTo,
  commitAndTag,
  hasTag,
  RELEASE_BRANCH,
  readCheckout,
  tagOf,
  takeRelease,
} from './checkout.ts'
import { type Artefact, writeChecksums } from './checksums.ts'
import { ReleaseError } from './error.ts'
import { linkDependencies } from './linked-dependencies.ts'
import { setVersion } from './places.ts'
import { versionToRelease } from './version.ts'

export interface ReleaseOptions {
  readonly root: string
  /** See {@link versionToRelease}. */
  readonly requested: string | null
  /** Whether the checkout stays as it is. */
  readonly isDry: boolean
  /** A folder for the artefacts, new or empty. Null: `release/<version>` in the checkout; of a dry run they are removed. */
  readonly out: string | null
  /** YYYY-MM-DD */
  readonly date: string
  /** Run before the commit, and may change the clone. */
  readonly prepare: readonly Step[]
  /** Run after the commit, and write artefacts. */
  readonly build: readonly Step[]
  print(line: string): void
}

export interface Released {
  readonly version: string
  /** The folder of the artefacts; null when they were removed. */
  readonly out: string | null
  readonly artefacts: readonly Artefact[]
}

/**
 * Makes a release on a temporary clone. Its commit and tag come to the checkout at the end, unless the run is dry: a
 * failure leaves neither.
 * @throws ReleaseError
 */
export async function release(options: ReleaseOptions): Promise<Released> {
  const { root, isDry, print } = options
  const checkout = await readCheckout(root)
  requireBranch(checkout, options)
  const version = versionToRelease(checkout.version, await hasTag(root, checkout.version), options.requested)
  if (await hasTag(root, version))
    throw new ReleaseError(`the tag ${tagOf(version)} exists already: choose a newer version`)
  const notes = unreleasedNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  const kept = options.out ?? (isDry ? null : join(root, 'release', version))
  const isNew = kept === null || !existsSync(kept)
  if (!isNew && readdirSync(kept).length > 0) throw new ReleaseError(`${kept} is not empty: choose another --out`)
  const work = mkdtempSync(join(tmpdir(), 'zatgate-release-'))
  const out = kept ?? join(work, 'out')
  let isDone = false
  try {
    mkdirSync(out, { recursive: true })
    const clone = join(work, 'zatgate')
    print(
      `zatgate ${version} from ${checkout.head.slice(0, 7)}${isDry ? ', as a dry run: this checkout is not changed' : ''}`,
    )
    await cloneTo(clone, checkout)
    linkDependencies(root, clone)
    changeFiles(clone, version, options)
    const build = { clone, version, isDry, out }
    for (const step of options.prepare) print(`- ${await step(build)}`)
    const commit = await commitAndTag(clone, version, notes)
    for (const step of options.build) print(`- ${await step(build)}`)
    const artefacts = writeChecksums(out)
    if (!isDry) await takeRelease(checkout, clone, version)
    print(
      `- ${isDry ? 'would commit and tag' : 'committed and tagged'} ${tagOf(version)} (${commit}) on ${RELEASE_BRANCH}`,
    )
    isDone = true
    return { version, out: kept, artefacts }
  } finally {
    if (!isDone) clear(out, isNew)
    rmSync(work, { recursive: true, force: true })
  }
}

/** Removes what a failed run has put in the folder of the artefacts, and the folder if it is new. */
function clear(folder: string, isNew: boolean): void {
  for (const path of isNew ? [folder] : readdirSync(folder).map(name => join(folder, name)))
    rmSync(path, { recursive: true, force: true })
}

function requireBranch({ branch }: Checkout, { isDry, print }: ReleaseOptions): void {
  if (branch === RELEASE_BRANCH) return
  const where = branch === null ? 'no branch is checked out' : `the branch is ${branch}`
  if (!isDry) throw new ReleaseError(`${where}: a release is made on ${RELEASE_BRANCH}`)
  print(`note: ${where}; a release is made on ${RELEASE_BRANCH}`)
}

function changeFiles(clone: string, version: string, { date, print }: ReleaseOptions): void {
  const changelog = join(clone, 'CHANGELOG.md')
  writeFileSync(changelog, releaseChangelog(readFileSync(changelog, 'utf8'), version, date))
  print(`- CHANGELOG.md: the entries under Unreleased are those of ${version}, ${date}`)
  const changed = setVersion(clone, version)
  print(changed.length === 0 ? `- all files name ${version} already` : `- set the version in ${changed.join(', ')}`)
}
