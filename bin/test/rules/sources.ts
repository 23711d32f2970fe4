import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { keep } from './lexer.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

export interface Import {
  /** The module as written. */
  readonly module: string
  /** The path of the file, from the root; undefined for a module of Node or a dependency. */
  readonly path: string | undefined
  /** The imported names; `*` for the whole module. */
  readonly names: readonly string[]
  /** Whether only types are imported. */
  readonly isType: boolean
  /** Whether the file exports the names again. */
  readonly isReexport: boolean
  readonly line: number
}

export interface Export {
  readonly name: string
  readonly line: number
  /** The offset of the statement in the text. */
  readonly offset: number
}

export interface Source {
  /** The path from the root, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text without comments and without the contents of strings, at the same offsets. */
  readonly code: string
  /** The text without comments, at the same offsets. */
  readonly uncommented: string
  readonly imports: readonly Import[]
  readonly exports: readonly Export[]
}

const IGNORED = /(^|\/)(node_modules|dist|\.git|\.ci\/node)(\/|$)/
const STATEMENT = /^(import|export) (type )?([\w\s{},*$]*?)\s*(?:from )?'([^'\n]+)'/gm
const DYNAMIC = /\bimport\(\s*'([^'\n]+)'/g
const EXPORT =
  /^export (?:default )?(?:async |abstract |declare )*(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm
const EXPORT_LIST = /^export (?:type )?\{([^}]*)\}(?! from)/gm

/** Hand-written TypeScript and JavaScript of bin and of all packages, except what browsers load. */
export const sources: readonly Source[] = paths('{bin,packages}/**/*.{ts,mjs}')
  .filter(path => !path.includes('/gen/'))
  .map(readSource)

const byPath = new Map(sources.map(source => [source.path, source]))

/** The paths of all documents. */
export const DOCUMENTS: readonly string[] = paths('**/*.md')

export function sourceAt(path: string): Source | undefined {
  return byPath.get(path)
}

/** The files below some folders, for example `packages/sdk/src/`. */
export function sourcesIn(...folders: readonly string[]): Source[] {
  return sources.filter(({ path }) => folders.some(folder => path.startsWith(folder)))
}

/** Existing paths from the root that match a pattern, without dependencies, sorted. */
export function paths(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT, exclude: path => IGNORED.test(path) })
    .map(path => path.replaceAll('\\', '/'))
    .sort()
}

/** Fails with the list, unless it is empty. */
export function none(list: readonly unknown[]): void {
  assert.deepEqual(list, [])
}

/** The matches of a pattern in a text of a source, as `path:line text`. */
export function matches({ path, text }: Source, pattern: RegExp, within: string): string[] {
  const lines = text.split('\n')
  const found = [...within.matchAll(pattern)].map(({ index }) => lineOf(text, index))
  return [...new Set(found)].map(line => `${path}:${line} ${lines[line - 1]!.trim()}`)
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function readSource(path: string): Source {
  const text = readText(path)
  const code = keep(text, 'code')
  const uncommented = keep(text, 'code', 'string')
  return { path, text, code, uncommented, imports: importsOf(path, uncommented), exports: exportsOf(code) }
}

function importsOf(path: string, text: string): Import[] {
  const statements = [...text.matchAll(STATEMENT)].flatMap(
    ({ 1: keyword, 2: type, 3: names = '', 4: module = '', index }) =>
      resolveAll(path, module).map(imported => ({
        module,
        path: imported,
        names: names.includes('*') ? ['*'] : namesOf(names),
        isType: type !== undefined,
        isReexport: keyword === 'export',
        line: lineOf(text, index),
      })),
  )
  const dynamic = [...text.matchAll(DYNAMIC)].map(({ 1: module = '', index }) => ({
    module,
    path: resolve(path, module),
    names: ['*'],
    isType: false,
    isReexport: false,
    line: lineOf(text, index),
  }))
  return [...statements, ...dynamic]
}

/** `Base, { a as b, type C }` → Base, a, C */
function namesOf(clause: string): string[] {
  return clause
    .replaceAll(/[{}]/g, ',')
    .split(',')
    .map(item =>
      item
        .trim()
        .replace(/^type /, '')
        .split(' as ')[0]!
        .trim(),
    )
    .filter(name => name !== '')
}

function exportsOf(code: string): Export[] {
  const declared = [...code.matchAll(EXPORT)].map(({ 1: name = '', index }) => ({ name, index }))
  const listed = [...code.matchAll(EXPORT_LIST)].flatMap(({ 1: names = '', index }) =>
    namesOf(names).map(name => ({ name, index })),
  )
  return [...declared, ...listed].map(({ name, index }) => ({ name, line: lineOf(code, index), offset: index }))
}

/** The files that an import can mean: one, or one for each condition of an entry in the package's `imports`. */
function resolveAll(from: string, module: string): (string | undefined)[] {
  if (!module.startsWith('#')) return [resolve(from, module)]
  const folder = from.split('/').slice(0, 2).join('/')
  const { imports } = JSON.parse(readText(`${folder}/package.json`)) as { imports: Record<string, object> }
  return Object.values(imports[module] ?? {}).map(path => `${folder}/${path.slice('./'.length)}`)
}

/** Resolves a relative module or a module of a workspace package. */
function resolve(from: string, module: string): string | undefined {
  if (module.startsWith('.')) {
    // AssemblyScript imports without the extension.
    const extension = from.startsWith('packages/zcash/kernel/') && posix.extname(module) === '' ? '.ts' : ''
    return posix.normalize(posix.join(posix.dirname(from), module + extension))
  }
  const [, name, file = 'index'] = /^@zatgate\/([\w-]+)(?:\/(.+))?$/.exec(module) ?? []
  if (name === undefined) return undefined
  const path = `packages/${name}/src/${file}.ts`
  return existsSync(join(ROOT, path)) ? path : undefined
}
