import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { linkDependencies } from '../../release/linked-dependencies.ts'

export const ROOT = join(import.meta.dirname, '../../..')

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-release-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs git in a folder. @returns its output without the final line break */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}

/** Everything that a release may change in a checkout. */
export function stateOf(folder: string): string {
  return [
    git(folder, 'rev-parse', 'HEAD'),
    git(folder, 'tag', '--list'),
    git(folder, 'status', '--porcelain', '--ignored'),
  ].join('\n')
}

/** Makes a folder a repository with one commit on main. */
function commitAll(folder: string): void {
  git(folder, 'init', '--quiet', '--initial-branch=main')
  git(folder, 'config', 'user.name', 'Release Test')
  git(folder, 'config', 'user.email', 'release@example.org')
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', 'The first commit')
}

/** A repository with the files of this checkout as they are now, the dependencies, and an unreleased entry. */
export function copyOfCheckout(t: TestContext, changelog: string): string {
  const folder = temporaryFolder(t)
  const listed = git(ROOT, '-c', `safe.directory=${ROOT}`, 'ls-files', '--cached', '--others', '--exclude-standard')
  for (const file of listed.split('\n')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file))
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  commitAll(folder)
  linkDependencies(ROOT, folder)
  return folder
}

/** The smallest repository that a release can be made of. */
export function smallRepository(t: TestContext): string {
  const folder = temporaryFolder(t)
  const files = {
    '.gitignore': 'node_modules/\n/release/\n',
    'package.json': '{\n  "name": "zatgate",\n  "version": "0.1.0"\n}\n',
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n### Added\n\n- A feature.\n',
    'docs/deploy.md': 'docker run zatgate:0.1.0\n',
    'packages/sdk/package.json': '{\n  "name": "@zatgate/sdk",\n  "version": "0.1.0"\n}\n',
    'node_modules/.package-lock.json': '{}\n',
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  commitAll(folder)
  return folder
}
