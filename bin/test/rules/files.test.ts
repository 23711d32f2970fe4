import { test } from 'node:test'
import { DOCUMENTS, lineOf, none, paths, readText, type Source, sources } from './sources.ts'

/** Files that start without an import, and what starts them. */
const ENTRY_POINTS: readonly (readonly [pattern: RegExp, startedBy: string])[] = [
  [/\.test\.(ts|mjs)$/, 'npm test'],
  [/\/bench\/[\w-]+\.bench\.ts$/, 'npm run bench'],
  [/\/attack\/[\w-]+\.attack\.ts$/, 'npm run attack'],
  [/^packages\/simulation\/mutants\/run\.ts$/, 'npm run mutants'],
  [/^packages\/simulation\/src\/cli\.ts$/, 'npm run simulate'],
  [/^bin\/(main\.ts|run\.mjs|zatgate\.mjs)$/, 'package.json, and the launcher for main.ts'],
]

/** Its exports are those of the compiled module. */
const KERNEL_EXPORTS = 'packages/zcash/kernel/assembly/index.ts'

/** A path in the contents of a string: that of a thread, a process or a preloaded module. */
const NAMED_FILE = /(?<=['"`/])[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs)(?=['"`])/g

const TYPE = /^(?:export )?(?:abstract )?(?:interface|type|class) ([\w$]+)/gm

interface User {
  readonly source: Source
  readonly names: readonly string[]
}

const users = new Map<string, User[]>()
for (const source of sources)
  for (const { path, names } of source.imports)
    if (path !== undefined && path !== source.path) users.set(path, [...(users.get(path) ?? []), { source, names }])

/** Files outside of the repository that a string names. */
const EXTERNAL: Readonly<Record<string, string>> = {
  'node.mjs': 'plays the recorded chain to the real lightwalletd',
  'lint.mjs': 'the linter of the SDK of StartOS',
  'cli.mjs': 'the bundler of the package for StartOS',
}

/** File names that a string outside the imports contains, and where. */
const named = sources.flatMap(({ path, uncommented }) => {
  const imported = /(?<![-\w])(?:from |import |import\()'[^'\n]*'/g
  const rest = uncommented.replaceAll(imported, statement => ' '.repeat(statement.length))
  return [...rest.matchAll(NAMED_FILE)].map(({ 0: name, index }) => ({ name, path, line: lineOf(rest, index) }))
})

test('every file is imported, started or named by another one', () => {
  const isNamed = (path: string) => named.some(({ name, path: by }) => by !== path && path.endsWith(`/${name}`))
  const unused = sources
    .map(({ path }) => path)
    .filter(path => !users.has(path) && !isNamed(path) && !ENTRY_POINTS.some(([pattern]) => pattern.test(path)))
  none(unused)
})

test('every file that a string names exists', () => {
  const existing = paths('{.ci,bin,deploy,packages}/**/*.{ts,mjs}')
  const missing = named.filter(
    ({ name }) => EXTERNAL[name] === undefined && !existing.some(path => path.endsWith(`/${name}`)),
  )
  none(missing.map(({ path, line, name }) => `${path}:${line} ${name}`))
})

test('every import of a file names one that exists', () => {
  const existing = new Set(paths('{.ci,bin,deploy,packages}/**/*.{ts,mjs,json}'))
  const missing = sources.flatMap(source =>
    source.imports
      .filter(({ module, path }) => module.startsWith('.') && !existing.has(path ?? ''))
      .map(({ line, module }) => `${source.path}:${line} ${module}`),
  )
  none(missing)
})

test('every export is used by another file, or is a type that such an export mentions', () => {
  none(sources.filter(({ path }) => path !== KERNEL_EXPORTS).flatMap(unusedExports))
})

function unusedExports({ path, code, exports }: Source): string[] {
  const imported = exports.filter(({ name }) => isImported(path, name))
  const used = new Set(imported.map(({ name }) => name))
  const visible = imported.map(({ offset }) => statementAt(code, offset))
  const types = [...code.matchAll(TYPE)].map(({ 1: name = '', index }) => ({ name, text: statementAt(code, index) }))
  // A type that a used export mentions is part of what its users see. The list of visible statements grows meanwhile.
  for (const statement of visible) {
    for (const { name, text } of types) {
      if (used.has(name) || !hasWord(statement, name)) continue
      used.add(name)
      visible.push(text)
    }
  }
  return exports.filter(({ name }) => !used.has(name)).map(({ name, line }) => `${path}:${line} ${name}`)
}

function isImported(path: string, name: string): boolean {
  const others = users.get(path) ?? []
  if (others.some(({ names }) => names.includes(name))) return true
  // `import * as` and `import()` name the export in the code of the importer.
  return others.some(({ source, names }) => names.includes('*') && hasWord(source.uncommented, name))
}

/** The text from a top-level statement to the next one. */
function statementAt(code: string, offset: number): string {
  const rest = code.slice(offset)
  const end = rest.slice(1).search(/^(?:export|const|let|function|async function|class|interface|type|enum)\b/m)
  return end < 0 ? rest : rest.slice(0, end + 1)
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w$])${word.replaceAll('$', '\\$')}(?![\\w$])`).test(text)
}

test('every file that a document names exists', () => {
  const existing = paths('{*,{bin,deploy,docs,packages}/**/*}')
  const missing = DOCUMENTS.flatMap(path => {
    const text = readText(path)
    return [...text.matchAll(/(?<=`)(?:[\w-]+\/)*[\w-]+(?:\.test)?\.(?:ts|mjs|md|css|proto|yml)(?=`)/g)]
      .filter(({ 0: name }) => !existing.some(file => file === name || file.endsWith(`/${name}`)))
      .map(({ 0: name, index }) => `${path}:${lineOf(text, index)} ${name}`)
  })
  none(missing)
})
