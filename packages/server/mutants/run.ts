/**
 * Applies one mutant at a time to a copy of the tree and checks that its tests fail: `npm run mutants:tests`, or
 * `npm run mutants:tests -- PART` for the mutants whose name contains PART. Exits with 1 when a mutant survives. With
 * `--tested` the tests do not run without a mutant first, because they have just passed.
 */
import { spawn } from 'node:child_process'
import { MUTANTS, type Mutant } from './list.ts'
import { copyTrees, type Tree } from './tree.ts'

const TESTS = 'packages/server/test'
const TIMEOUT_MS = 300_000
/** Mutants at a time. */
const CONCURRENCY = 2

type Outcome = 'killed' | 'survived' | 'skipped'

const TESTED = '--tested'
const args = process.argv.slice(2)
const parts = args.filter(part => part !== TESTED)
const selected = MUTANTS.filter(({ name }) => parts.every(part => name.includes(part)))
const untested = args.includes(TESTED) ? [] : selected
const trees = copyTrees(Math.min(CONCURRENCY, selected.length))

await inTrees([...Map.groupBy(untested, ({ tests }) => tests.join()).values()], async (tree, mutants) => {
  const { failed } = await runTests(tree, mutants)
  if (failed.length === 0) return
  console.error(`these tests fail without a mutant:\n${failed.join('\n')}`)
  process.exit(1)
})
const outcomes: Outcome[] = []
await inTrees(selected, async (tree, mutant) => {
  const startedAt = performance.now()
  const outcome = await runMutant(tree, mutant)
  outcomes.push(outcome)
  const mark = { killed: 'killed  ', survived: 'SURVIVED', skipped: 'skipped ' }[outcome]
  print(`${mark} ${mutant.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
})
const count = (outcome: Outcome) => outcomes.filter(other => other === outcome).length
print(`\n${count('killed')} killed, ${count('survived')} survived, ${count('skipped')} skipped`)
process.exit(count('survived') > 0 ? 1 : 0)

/** Calls `work` for each item, with one item at a time in each tree. */
async function inTrees<T>(items: readonly T[], work: (tree: Tree, item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  await Promise.all(
    trees.map(async tree => {
      for (let item = queue.shift(); item; item = queue.shift()) await work(tree, item)
    }),
  )
}

async function runMutant(tree: Tree, mutant: Mutant): Promise<Outcome> {
  const restore = tree.mutate(mutant)
  const { failed, skipped } = await runTests(tree, [mutant])
  restore()
  if (failed.some(name => name.includes(mutant.killedBy))) return 'killed'
  return mutant.needsPostgres && skipped ? 'skipped' : 'survived'
}

/**
 * Runs the tests that kill these mutants, which are in the same files.
 * @returns the names of the failed tests, and whether any was skipped
 */
async function runTests(
  tree: Tree,
  mutants: readonly Mutant[],
): Promise<{ readonly failed: readonly string[]; readonly skipped: boolean }> {
  const patterns = new Set(mutants.map(({ killedBy }) => killedBy.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  const names = [...patterns].map(pattern => `--test-name-pattern=${pattern}`)
  const files = mutants[0]!.tests.map(file => `${TESTS}/${file}`)
  const stdout = await runNode(tree, ['--test', '--test-concurrency=2', '--test-reporter=tap', ...names, ...files])
  if (!/^# tests [1-9]/m.test(stdout)) throw new Error(`no test ran:\n${stdout.slice(-2_000)}`)
  const failed = [...stdout.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => name ?? '')
  return { failed, skipped: / # SKIP/.test(stdout) }
}

async function runNode(tree: Tree, args: readonly string[]): Promise<string> {
  // Without this variable, which a surrounding test run sets, the tests would run as its subtests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, args, {
    cwd: tree.path,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  let stdout = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) stdout += chunk
  await ended
  return stdout
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
