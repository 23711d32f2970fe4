import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Import, none, type Source, sources, sourcesIn } from './sources.ts'

const SERVER = 'packages/server/src/'

/** The layers of the server that each layer may import; `infrastructure` to `main` are files. */
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
  infrastructure: ['adapters', 'config', 'domain', 'ports', 'store'],
  container: ['config', 'domain', 'infrastructure', 'ports', 'services', 'store'],
  background: ['container', 'workers'],
  roles: ['adapters', 'background', 'container', 'domain', 'http', 'ports', 'services', 'web'],
  main: ['container', 'roles', 'adapters', 'config', 'domain', 'http', 'ports', 'services', 'store', 'web', 'workers'],
  cli: [
    'adapters',
    'cli',
    'config',
    'container',
    'domain',
    'infrastructure',
    'main',
    'ports',
    'services',
    'store',
    'workers',
  ],
}

/** The packages of the workspace that the sources of each package may import. */
const MAY_DEPEND_ON: Readonly<Record<string, readonly string[]>> = {
  zcash: [],
  sdk: [],
  server: ['sdk', 'zcash'],
  sandbox: ['server', 'zcash'],
  simulation: ['server'],
}

/** The modules without input or output that the domain may import; of `node:net` only the address checks. */
const PURE = new Set([
  'node:crypto',
  'node:zlib',
  'node:net isIP',
  'node:net isIPv6',
  'node:net BlockList',
  '@noble/hashes/sha2.js',
  '@noble/hashes/sha3.js',
  '@scure/base',
])

function layerOf(path: string): string {
  return path.slice(SERVER.length).split('/')[0]!.replace(/\.ts$/, '')
}

/** The imports that a rule rejects, as `path:line → module`. */
function rejected(files: readonly Source[], rejects: (item: Import, source: Source) => boolean): string[] {
  return files.flatMap(source =>
    source.imports
      .filter(item => rejects(item, source))
      .map(({ line, module }) => `${source.path}:${line} → ${module}`),
  )
}

const server = sourcesIn(SERVER)

test('every source file of the server belongs to a known layer', () => {
  assert.ok(server.length > 50)
  none(server.map(({ path }) => path).filter(path => MAY_IMPORT[layerOf(path)] === undefined))
})

test('a layer imports only the layers in its row of the table', () => {
  none(
    rejected(
      server,
      ({ path }, source) =>
        path?.startsWith(SERVER) === true && !MAY_IMPORT[layerOf(source.path)]?.includes(layerOf(path)),
    ),
  )
})

test('a package imports only the packages in its row of the table', () => {
  for (const [name, allowed] of Object.entries(MAY_DEPEND_ON)) {
    const outside = ({ module }: Import) => {
      const sibling = /^@zatgate\/([\w-]+)/.exec(module)?.[1]
      return sibling !== undefined && sibling !== name && !allowed.includes(sibling)
    }
    none(rejected(sourcesIn(`packages/${name}/src/`), outside))
  }
})

test('no file imports another package by a relative path', () => {
  const packageOf = (path: string) => path.split('/').slice(0, 2).join('/')
  const crosses = ({ module, path }: Import, source: Source) =>
    module.startsWith('.') && path !== undefined && packageOf(path) !== packageOf(source.path)
  const inPackages = sources.filter(({ path }) => /^packages\/[\w-]+\/src\//.test(path))
  none(rejected(inPackages, crosses))
})

/** The rooms of the layers. A file beside them serves all; the parts of the pages for buyers have a folder. */
const ROOMS = 'sale|chain|notify|payout|account'
const OTHER_FOLDERS = /\/web\/components\/buyer\//
const LAYERS_WITH_ROOMS =
  'domain|services|workers|(?:ports|store)/repository|http/routes|web/(?:routes|pages|components)'

test('a layer with rooms has no other folders', () => {
  const isElsewhere = ({ path }: Source) =>
    new RegExp(`^${SERVER}(?:${LAYERS_WITH_ROOMS})/(?!(?:${ROOMS})/)[^/]+/`).test(path) && !OTHER_FOLDERS.test(path)
  none(server.filter(isElsewhere).map(({ path }) => path))
})

test('rooms meet through domain, ports and services, never through the repositories of each other', () => {
  const roomOf = (path: string) => new RegExp(`^${SERVER}store/repository/(${ROOMS})/`).exec(path)?.[1]
  const crosses = ({ path = '' }: Import, source: Source) =>
    source.path.startsWith(`${SERVER}store/repository/`) &&
    roomOf(path) !== undefined &&
    roomOf(path) !== roomOf(source.path)
  none(rejected(server, crosses))
})

test('no routes register other routes, and no page route imports another', () => {
  const folderOf = (path = '') => /^packages\/server\/src\/(http|web)\/routes\//.exec(path)?.[1]
  const crosses = ({ path, names }: Import, source: Source) => {
    const folder = folderOf(path)
    if (folder === undefined || folder !== folderOf(source.path)) return false
    return folder === 'web' || names.some(name => name === '*' || name.endsWith('Routes'))
  }
  none(rejected(server, crosses))
})

test('only the note scanner and the light-client adapters import Zcash cryptography', () => {
  const others = server.filter(({ path }) => !/\/adapters\/(zcash|lightwalletd)\//.test(path))
  none(rejected(others, ({ module }) => module.startsWith('@zatgate/zcash')))
})

test('only the store imports database drivers', () => {
  const drivers = ['kysely', 'pg', 'node:sqlite', '@electric-sql/pglite']
  const others = [
    ...server.filter(({ path }) => layerOf(path) !== 'store'),
    ...sourcesIn('packages/sandbox/src/', 'packages/sdk/src/', 'packages/zcash/src/'),
  ]
  none(rejected(others, ({ module }) => drivers.includes(module)))
})

test('the domain performs no input or output', () => {
  const isPure = ({ module, names }: Import) =>
    PURE.has(module) || (names.length > 0 && names.every(name => PURE.has(`${module} ${name}`)))
  none(rejected(sourcesIn(`${SERVER}domain/`), item => item.path === undefined && !isPure(item)))
})
