import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseError } from './error.ts'
import { runProgram, succeeds } from './program.ts'

/** The branch that releases are made on. */
export const RELEASE_BRANCH = 'main'

const SHOWN_FILES = 10

/** The checkout that a release is made from. */
export interface Checkout {
  readonly root: string
  /** The full hash of the commit. */
  readonly head: string
  /** Null when no branch is checked out. */
  readonly branch: string | null
  /** That of `package.json`. */
  readonly version: string
  readonly author: { readonly name: string; readonly email: string }
}

/** @throws ReleaseError when it is no repository or has uncommitted changes */
export async function readCheckout(root: string): Promise<Checkout> {
  const git = (...args: string[]) => runProgram(root, 'git', args)
  if (!(await succeeds(root, 'git', ['rev-parse', 'HEAD'])))
    throw new ReleaseError(`${root} is not a git repository with a commit: a release needs the history`)
  const changes = (await git('status', '--porcelain')).split('\n').filter(line => line !== '')
  if (changes.length > 0) {
    const more = changes.length > SHOWN_FILES ? `\n  and ${changes.length - SHOWN_FILES} more` : ''
    const shown = changes.slice(0, SHOWN_FILES).map(line => `\n  ${line}`)
    throw new ReleaseError(`there are uncommitted changes: commit or remove them first${shown.join('')}${more}`)
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const branch = await git('branch', '--show-current')
  return {
    root,
    head: await git('rev-parse', 'HEAD'),
    branch: branch === '' ? null : branch,
    version,
    author: { name: await settingOf(root, 'user.name'), email: await settingOf(root, 'user.email') },
  }
}

async function settingOf(root: string, name: string): Promise<string> {
  return runProgram(root, 'git', ['config', name]).catch(() => {
    throw new ReleaseError(`git does not know who makes the release: set it with git config ${name} …`)
  })
}

export function tagOf(version: string): string {
  return `v${version}`
}

export function hasTag(root: string, version: string): Promise<boolean> {
  return succeeds(root, 'git', ['rev-parse', '--verify', '--quiet', `refs/tags/${tagOf(version)}`])
}

/** Clones the commit of a checkout to a new folder, on the release branch, without remotes and hooks. */
export async function cloneTo(folder: string, { root, head, author }: Checkout): Promise<void> {
  await runProgram(root, 'git', ['clone', '--quiet', '--no-checkout', root, folder])
  const git = (...args: string[]) => runProgram(folder, 'git', args)
  await git('remote', 'remove', 'origin')
  await git('checkout', '--quiet', '-B', RELEASE_BRANCH, head)
  await git('config', 'user.name', author.name)
  await git('config', 'user.email', author.email)
}

/** Commits all changes of a clone, and tags the commit. @param notes the message of the tag */
export async function commitAndTag(clone: string, version: string, notes: string): Promise<string> {
  const git = (...args: string[]) => runProgram(clone, 'git', args)
  const title = `zatgate ${version}`
  await git('add', '--all')
  await git('commit', '--quiet', '--message', title)
  await git('tag', '--annotate', '--cleanup=verbatim', '--message', `${title}\n\n${notes}\n`, tagOf(version))
  return git('rev-parse', '--short', 'HEAD')
}

/**
 * Brings the commit and the tag of a clone to the checkout. When the checkout has changed meanwhile, neither.
 * @throws ReleaseError
 */
export async function takeRelease({ root, head }: Checkout, clone: string, version: string): Promise<void> {
  const git = (...args: string[]) => runProgram(root, 'git', args)
  await git('fetch', '--quiet', '--no-tags', clone, RELEASE_BRANCH)
  const current = await readCheckout(root)
  if (current.head !== head || current.branch !== RELEASE_BRANCH)
    throw new ReleaseError('the checkout has changed during the release: nothing was committed or tagged')
  await git('merge', '--quiet', '--ff-only', 'FETCH_HEAD')
  try {
    await git('fetch', '--quiet', '--no-tags', clone, `refs/tags/${tagOf(version)}:refs/tags/${tagOf(version)}`)
  } catch (error) {
    await git('reset', '--quiet', '--keep', head)
    throw error
  }
}
