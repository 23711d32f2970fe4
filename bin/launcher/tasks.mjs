import { readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { LaunchError } from './fail.mjs'
import { ROOT } from './launch.mjs'

const BIOME = 'node_modules/@biomejs/biome/bin/biome'
const TSC = 'node_modules/typescript/bin/tsc'
/** Each test process begins with these. */
const PRELOADED = ['untracked-promises.mjs', 'compiled.mjs', 'plain-imports.mjs'].map(
  name => new URL(name, import.meta.url).href,
)

/** An unknown name gets the list of the files, unless there are more. */
const MAX_LISTED = 30

/**
 * The commands of each task, run in order from the root: `args` with Node unless a `program` is given.
 * Arguments that are not options filter by file name: only files whose path contains one of them are run.
 *
 * @type {Record<string, (args: string[]) => { program?: string, args: string[] }[]>}
 */
export const TASKS = {
  test(args) {
    const { options, files } = select(args, ['test'], /\.test\.(ts|mjs)$/)
    // Three files at a time, also on two cores: a file waits half of its time, for pages, databases and other processes.
    const runner = [
      ...PRELOADED.flatMap(url => ['--import', url]),
      '--test',
      '--test-concurrency=3',
      '--test-reporter=spec',
    ]
    return [{ args: [...runner, ...options, ...files] }]
  },
  check: () => [{ args: [BIOME, 'check', '--error-on-warnings'] }, { args: [TSC, '-p', 'tsconfig.json'] }],
  bench(args) {
    const { options, files } = select(args, ['bench'], /\.bench\.ts$/)
    return files.map(file => ({ args: [...options, file] }))
  },
  attack(args) {
    const { options, files } = select(args, ['attack'], /\.attack\.ts$/)
    return files.map(file => ({ args: [...options, file] }))
  },
  simulate: args => [{ args: ['packages/simulation/src/cli.ts', ...args] }],
  mutants: args => [{ args: ['packages/simulation/mutants/run.ts', ...args] }],
  evidence: args => [{ args: ['packages/simulation/src/cli.ts', '--evidence', ...args] }],
  'contact-sheet': args => [{ args: ['packages/server/test/web/contact-sheet.ts', ...args] }],
  documents: () => [{ args: ['bin/documents/main.ts'] }],
  packages: () => [{ args: ['bin/packages/main.ts'] }],
  release: args => [{ args: ['bin/release/main.ts', ...args] }],
  format: () => [{ args: [BIOME, 'check', '--write'] }],
  generate: () => [{ program: 'sh', args: ['packages/zcash/scripts/generate.sh'] }],
}

function select(args, folders, pattern) {
  const options = args.filter(arg => arg.startsWith('-'))
  const parts = args.filter(arg => !arg.startsWith('-'))
  const all = packageFolders(folders)
    .flatMap(filesUnder)
    .map(file => relative(ROOT, file))
    .filter(file => pattern.test(file))
    .sort()
  const files = all.filter(file => parts.length === 0 || parts.some(part => file.includes(part)))
  if (files.length === 0) {
    const names = all.length > MAX_LISTED ? '' : `; there are ${all.map(file => basename(file)).join(', ')}`
    throw new LaunchError(`no file in ${folders} has ${parts.join(' or ')} in its path${names}`, 2)
  }
  return { options, files }
}

function packageFolders(names) {
  const packages = readdirSync(join(ROOT, 'packages')).map(name => join(ROOT, 'packages', name))
  return [join(ROOT, 'bin'), ...packages].flatMap(folder => names.map(name => join(folder, name)))
}

function filesUnder(folder) {
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  }
  return entries.flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(path)
    return [path]
  })
}
