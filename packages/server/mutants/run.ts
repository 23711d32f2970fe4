/**
 * Applies one mutant at a time to a copy of the tree and checks that its tests fail: `npm run mutants`, or
 * `npm run mutants -- PART` for the mutants whose name contains PART. Exits with 1 when a mutant survives.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { MUTANTS, type Mutant } from './list.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SERVER = 'packages/server'
const TIMEOUT_MS = 300_000

const selected = MUTANTS.filter(({ name }) => process.argv.slice(2).every(part => name.includes(part)))
const copy = mkdtempSync(join(tmpdir(), 'zatgate-mutants-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
copyTree()

for (const { tests, killedBy } of selected) {
  const { failed } = runTests(tests, killedBy)
  if (failed.length === 0) continue
  console.error(`these tests fail without a mutant:\n${failed.join('\n')}`)
  process.exit(1)
}
const outcomes = selected.map(report)
const count = (outcome: string) => outcomes.filter(other => other === outcome).length
process.stdout.write(`\n${count('killed')} killed, ${count('survived')} survived, ${count('skipped')} skipped\n`)
process.exit(count('survived') > 0 ? 1 : 0)

type Outcome = 'killed' | 'survived' | 'skipped'

function report(mutant: Mutant): Outcome {
  const startedAt = performance.now()
  const outcome = runMutant(mutant)
  const mark = { killed: 'killed  ', survived: 'SURVIVED', skipped: 'skipped ' }[outcome]
  process.stdout.write(`${mark} ${mutant.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`)
  return outcome
}

function runMutant({ file, find, replace, tests, killedBy, needsPostgres }: Mutant): Outcome {
  const path = join(copy, SERVER, 'src', file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) throw new Error(`${file} does not contain this text exactly once:\n${find}`)
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  const { failed, skipped } = runTests(tests, killedBy)
  writeFileSync(path, source)
  if (failed.some(name => name.includes(killedBy))) return 'killed'
  return needsPostgres && skipped ? 'skipped' : 'survived'
}

/** Runs the tests whose names contain `named`. Returns the names of the failed tests and whether any was skipped. */
function runTests(files: readonly string[], named: string): { failed: string[]; skipped: boolean } {
  const paths = files.map(file => join(SERVER, 'test', file))
  const pattern = `--test-name-pattern=${named.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`
  const args = ['--test', '--test-concurrency=2', '--test-reporter=tap', pattern, ...paths]
  // Without this variable, which a surrounding test run sets, the tests would run as its subtests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: copy,
    env,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (!/^# tests [1-9]/m.test(stdout)) throw new Error(`no test ran:\n${stdout.slice(-2_000)}`)
  const failed = [...stdout.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => name ?? '')
  return { failed, skipped: / # SKIP/.test(stdout) }
}

/** Copies the files known to git and links the installed packages; the project's own packages link into the copy. */
function copyTree(): void {
  const git = ['-c', `safe.directory=${ROOT}`, 'ls-files', '--cached', '--others', '--exclude-standard']
  const files = spawnSync('git', git, { cwd: ROOT })
  if (files.status !== 0) throw new Error(`git cannot list the files: ${files.stderr}`)
  for (const file of files.stdout.toString().split('\n').filter(Boolean)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(join(ROOT, file), join(copy, file))
  }
  const modules = join(copy, 'node_modules')
  mkdirSync(join(modules, '@zatgate'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@zatgate') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  for (const name of readdirSync(join(ROOT, 'packages')))
    symlinkSync(join(copy, 'packages', name), join(modules, '@zatgate', name))
}
