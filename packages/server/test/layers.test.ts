import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '..', 'src')

interface Import {
  readonly from: string
  /** A type-only import, erased at run time. */
  readonly typesOnly: boolean
  /** The text between `import` and `from`. */
  readonly names: string
}

interface Source {
  /** Path below src, with forward slashes. */
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

/** The layers that each layer may import. */
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
  container: ['adapters', 'config', 'domain', 'ports', 'services', 'store'],
  roles: ['adapters', 'container', 'domain', 'http', 'ports', 'services', 'web', 'workers'],
  main: ['container', 'roles', 'adapters', 'config', 'domain', 'http', 'ports', 'services', 'store', 'web', 'workers'],
  cli: ['adapters', 'cli', 'config', 'container', 'domain', 'main', 'ports', 'services', 'store', 'workers'],
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

/** Lines that match a pattern in the files of some layers, as `path: line`. Comments are ignored. */
function matchingLines(pattern: RegExp, ...layers: readonly string[]): string[] {
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

test('every source file belongs to a known layer', () => {
  assert.ok(sources.length > 50)
  assert.deepEqual(
    sources.map(({ path }) => path).filter(path => !ALL.includes(layerOf(path))),
    [],
  )
})

test('imports point only to the layers in the table', () => {
  const violations = sources.flatMap(source =>
    localImports(source)
      .filter(target => !MAY_IMPORT[layerOf(source.path)]?.includes(layerOf(target)))
      .map(target => `${source.path} → ${target}`),
  )
  assert.deepEqual(violations, [])
})

/** Services receive each other by injection; only their types may be imported. */
test('no service imports another service; shared rules belong to the domain', () => {
  // Functions that several services call in their own transactions.
  const shared = ['services/invoice-state.ts', 'services/payment.ts', 'services/withdrawal-transition.ts']
  const violations = sources
    .filter(({ path }) => layerOf(path) === 'services')
    .flatMap(({ path, statements }) =>
      statements
        .filter(({ from, typesOnly }) => !typesOnly && from.startsWith('./'))
        .filter(({ from }) => !shared.includes(normalize(join('services', from))))
        .map(({ from }) => `${path} → ${from}`),
    )
  assert.deepEqual(violations, [])
})

test('no route imports another route', () => {
  const violations = sources
    .filter(({ path }) => path.startsWith('http/routes/'))
    .flatMap(source =>
      localImports(source)
        .filter(target => target.startsWith('http/routes/'))
        .map(target => `${source.path} → ${target}`),
    )
  assert.deepEqual(violations, [])
})

test('SQL and database drivers appear only in the store', () => {
  const layers = ALL.filter(layer => layer !== 'store')
  assert.deepEqual(
    matchingLines(/\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE)\b/, ...layers),
    [],
  )
  const drivers = sources.filter(
    ({ path, imports }) =>
      layerOf(path) !== 'store' && imports.some(name => ['kysely', 'pg', 'node:sqlite'].includes(name)),
  )
  assert.deepEqual(
    drivers.map(({ path }) => path),
    [],
  )
})

test('domain and services get time and randomness through ports, and only config reads the environment', () => {
  assert.deepEqual(
    matchingLines(/\bDate\.now\(|new Date\(\)|\bMath\.random\(|randomBytes\(|randomUUID\(/, 'domain', 'services'),
    [],
  )
  assert.deepEqual(matchingLines(/\bprocess\.env\b/, ...ALL.filter(layer => layer !== 'config')), [])
})

test('only the note scanner and the light-client adapters import Zcash cryptography', () => {
  const violations = sources.filter(
    ({ path, imports }) =>
      imports.some(name => name.startsWith('@zatgate/zcash')) && !/^adapters\/(zcash|lightwalletd)\//.test(path),
  )
  assert.deepEqual(
    violations.map(({ path }) => path),
    [],
  )
})

test('the server does not import the sandbox', () => {
  const violations = sources.filter(({ imports }) =>
    imports.some(name => name.includes('sandbox') && !name.startsWith('.')),
  )
  assert.deepEqual(
    violations.map(({ path }) => path),
    [],
  )
})

test('the domain performs no input or output', () => {
  const pure = (names: string, from: string) =>
    ['node:crypto', 'node:zlib'].includes(from) || (from === 'node:net' && /^\{ isIP(v6)? \}$/.test(names))
  const violations = sources
    .filter(({ path }) => layerOf(path) === 'domain')
    .flatMap(({ path, statements }) =>
      statements
        .filter(({ names, from }) => !from.startsWith('.') && !pure(names, from))
        .map(({ from }) => `${path} → ${from}`),
    )
  assert.deepEqual(violations, [])
})

test('no file is longer than 400 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > 401)
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  )
})
