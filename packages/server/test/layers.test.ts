import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '..', 'src')

interface Import {
  readonly from: string
  /** Nothing but types, which are gone when the code runs. */
  readonly typesOnly: boolean
  /** What stands between `import` and `from`. */
  readonly names: string
}

interface Source {
  /** Below src, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly statements: readonly Import[]
  readonly imports: readonly string[]
}

const STATEMENT = /^(?:import|export) (type )?([\w\s{},*]*?)\s?(?:from )?'([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(text: string): Import[] {
  return [...text.matchAll(STATEMENT)].map(([, type, names = '', from, dynamic]) => ({
    from: from ?? dynamic ?? '',
    typesOnly: type !== undefined,
    names: names.trim(),
  }))
}

const sources: readonly Source[] = globSync('**/*.ts', { cwd: SRC }).map(path => {
  const text = readFileSync(join(SRC, path), 'utf8')
  const statements = importsOf(text)
  return { path, text, statements, imports: statements.map(({ from }) => from) }
})

/** A layer may import itself where that is said here, and what stands beside it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain'],
  ports: ['ports', 'domain'],
  services: ['services', 'domain', 'ports'],
  store: ['store', 'domain', 'ports'],
  adapters: ['adapters', 'domain', 'ports'],
  workers: ['workers', 'services', 'domain', 'ports'],
  http: ['http', 'services', 'domain', 'ports'],
  web: ['web', 'http', 'services', 'domain', 'ports'],
  config: ['config', 'domain'],
  main: ['adapters', 'config', 'domain', 'http', 'ports', 'services', 'store', 'web', 'workers'],
  cli: ['adapters', 'cli', 'config', 'domain', 'main', 'ports', 'services', 'store', 'workers'],
}

function layerOf(path: string): string {
  const [first = '', ...rest] = path.split('/')
  if (rest.length > 0) return first
  const name = basename(first, '.ts')
  return name.startsWith('config') ? 'config' : name
}

function localImports({ path, imports }: Source): string[] {
  return imports.filter(name => name.startsWith('.')).map(name => normalize(join(dirname(path), name)))
}

/** What a pattern finds in the files of some layers, as `path: line`. Comments do not count. */
function findings(pattern: RegExp, ...layers: readonly string[]): string[] {
  return sources
    .filter(({ path }) => layers.includes(layerOf(path)))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter(line => !/^\s*(\/\/|\*|\/\*)/.test(line) && pattern.test(line))
        .map(line => `${path}: ${line.trim()}`),
    )
}

const ALL = Object.keys(MAY_IMPORT)

test('there is something to check, and every file lies in a known layer', () => {
  assert.ok(sources.length > 50)
  assert.deepEqual(
    sources.map(({ path }) => path).filter(path => !ALL.includes(layerOf(path))),
    [],
  )
})

test('imports point down, as the table of layers has them', () => {
  const wrong = sources.flatMap(source =>
    localImports(source)
      .filter(target => !MAY_IMPORT[layerOf(source.path)]?.includes(layerOf(target)))
      .map(target => `${source.path} → ${target}`),
  )
  assert.deepEqual(wrong, [])
})

/** Values pass between services by injection only; their types may be named. */
test('no service imports another: a shared rule belongs to the domain', () => {
  // A status and its event are written together, within the transaction of whichever service moves the withdrawal.
  const shared = 'services/withdrawal-transition.ts'
  const wrong = sources
    .filter(({ path }) => layerOf(path) === 'services')
    .flatMap(({ path, statements }) =>
      statements
        .filter(({ from, typesOnly }) => !typesOnly && from.startsWith('./'))
        .filter(({ from }) => normalize(join('services', from)) !== shared)
        .map(({ from }) => `${path} → ${from}`),
    )
  assert.deepEqual(wrong, [])
})

test('no route imports another', () => {
  const wrong = sources
    .filter(({ path }) => path.startsWith('http/routes/'))
    .flatMap(source =>
      localImports(source)
        .filter(target => target.startsWith('http/routes/'))
        .map(target => `${source.path} → ${target}`),
    )
  assert.deepEqual(wrong, [])
})

test('SQL stands in the store only', () => {
  const layers = ALL.filter(layer => layer !== 'store')
  assert.deepEqual(findings(/\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE)\b/, ...layers), [])
  const drivers = sources.filter(
    ({ path, imports }) =>
      layerOf(path) !== 'store' && imports.some(name => ['kysely', 'pg', 'node:sqlite'].includes(name)),
  )
  assert.deepEqual(
    drivers.map(({ path }) => path),
    [],
  )
})

test('time and chance come through ports, and the environment through config', () => {
  assert.deepEqual(
    findings(/\bDate\.now\(|new Date\(\)|\bMath\.random\(|randomBytes\(|randomUUID\(/, 'domain', 'services'),
    [],
  )
  assert.deepEqual(findings(/\bprocess\.env\b/, ...ALL.filter(layer => layer !== 'config')), [])
})

test('Zcash cryptography is behind the viewer and the light-client adapters', () => {
  const wrong = sources.filter(
    ({ path, imports }) =>
      imports.some(name => name.startsWith('@zatgate/zcash')) && !/^adapters\/(zcash|lightwalletd)\//.test(path),
  )
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('the server knows nothing of the sandbox', () => {
  const wrong = sources.filter(({ imports }) => imports.some(name => name.includes('sandbox') && !name.startsWith('.')))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('the domain does no input or output', () => {
  const pure = (names: string, from: string) =>
    ['node:crypto', 'node:zlib'].includes(from) || (from === 'node:net' && /^\{ isIP(v6)? \}$/.test(names))
  const wrong = sources
    .filter(({ path }) => layerOf(path) === 'domain')
    .flatMap(({ path, statements }) =>
      statements
        .filter(({ names, from }) => !from.startsWith('.') && !pure(names, from))
        .map(({ from }) => `${path} → ${from}`),
    )
  assert.deepEqual(wrong, [])
})

test('no file is longer than 400 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > 401)
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  )
})
