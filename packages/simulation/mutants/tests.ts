import type { TestedMutant } from './mutant.ts'
import { runNode } from './node.ts'
import { inTrees, type Tree } from './tree.ts'

const TESTS = 'packages/server/test'
const TIMEOUT_MS = 300_000

/** Runs the tests of these mutants without a mutant. @throws Error when one fails */
export async function requirePassingTests(trees: readonly Tree[], mutants: readonly TestedMutant[]): Promise<void> {
  await inTrees(trees, [...Map.groupBy(mutants, ({ killedBy }) => killedBy.file)], async (tree, [file, killed]) => {
    const onPostgres = killed.some(({ killedBy }) => killedBy.needsPostgres)
    const { failed } = await runTests(tree, file, new Set(killed.map(({ killedBy }) => killedBy.test)), onPostgres)
    if (failed.length > 0) throw new Error(`these tests fail without a mutant:\n${failed.join('\n')}`)
  })
}

/** Runs the test of a mutant, on PostgreSQL only when it needs that. It may be skipped when there is no PostgreSQL. */
export async function testMutant(tree: Tree, mutant: TestedMutant): Promise<'found' | 'survived' | 'skipped'> {
  const { file, test, needsPostgres = false } = mutant.killedBy
  const restore = tree.apply(mutant)
  const { failed, skipped } = await runTests(tree, file, new Set([test]), needsPostgres)
  restore()
  if (failed.some(name => name.includes(test))) return 'found'
  return needsPostgres && skipped ? 'skipped' : 'survived'
}

/** @returns the names of the failed tests, and whether any was skipped */
async function runTests(
  tree: Tree,
  file: string,
  names: ReadonlySet<string>,
  onPostgres: boolean,
): Promise<{ readonly failed: readonly string[]; readonly skipped: boolean }> {
  const patterns = [...names].map(name => `--test-name-pattern=${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)
  if (!onPostgres) patterns.push('--test-skip-pattern=PostgreSQL')
  const args = ['--test-reporter=tap', ...patterns, `${TESTS}/${file}`]
  const { stdout, stderr } = await runNode(tree, args, TIMEOUT_MS)
  if (!/^# tests [1-9]/m.test(stdout)) throw new Error(`no test ran:\n${(stdout + stderr).slice(-2_000)}`)
  const failed = [...stdout.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => name ?? '')
  return { failed, skipped: / # SKIP/.test(stdout) }
}
