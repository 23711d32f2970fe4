import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Mutant } from './mutant.ts'
import { mutate } from './mutate.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Simulations at a time. */
const CONCURRENCY = 2
/** A copy of the tree in which mutants can be applied. */
export interface Tree {
  readonly path: string
  /** Applies the mutant. Returns the function that restores the file. @throws Error when its place is not found once */
  apply(mutant: Mutant): () => void
  remove(): void
}

/** Copies of the tree, one for each mutant at a time. They are removed when the process ends. */
export function copyTrees(count = CONCURRENCY): Tree[] {
  const trees: Tree[] = []
  process.on('exit', () => {
    for (const tree of trees) tree.remove()
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  while (trees.length < count) trees.push(copyTree())
  return trees
}

/** Calls `work` for each item, with one item at a time in each tree. */
export async function inTrees<T>(
  trees: readonly Tree[],
  items: readonly T[],
  work: (tree: Tree, item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  await Promise.all(
    trees.map(async tree => {
      for (let item = queue.shift(); item; item = queue.shift()) await work(tree, item)
    }),
  )
}

/** Copies the files known to git and links the installed packages; the project's own packages link into the copy. */
function copyTree(): Tree {
  const path = mkdtempSync(join(tmpdir(), 'zatgate-mutants-'))
  for (const file of filesKnownToGit()) {
    mkdirSync(join(path, dirname(file)), { recursive: true })
    cpSync(join(ROOT, file), join(path, file))
  }
  const modules = join(path, 'node_modules')
  mkdirSync(join(modules, '@zatgate'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@zatgate') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  for (const name of readdirSync(join(ROOT, 'packages')))
    symlinkSync(join(path, 'packages', name), join(modules, '@zatgate', name))
  return {
    path,
    apply(mutant) {
      const mutated = join(path, 'packages/server/src', mutant.file)
      const source = readFileSync(mutated, 'utf8')
      writeFileSync(mutated, mutate(source, mutant))
      return () => writeFileSync(mutated, source)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** The files of the packages and of the root that are tracked, or new and not ignored. */
function filesKnownToGit(): string[] {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']
  const listed = spawnSync('git', ['-c', `safe.directory=${ROOT}`, ...options, 'packages', ':(top,glob)*'], {
    cwd: ROOT,
  })
  if (listed.status !== 0) throw new Error(`git cannot list the files: ${listed.stderr}`)
  // A tracked file may be deleted.
  return listed.stdout
    .toString()
    .split('\0')
    .filter(file => file !== '' && existsSync(join(ROOT, file)))
}
