// Preloaded with --import: runs the service without the type stripper of Node, which holds 15 MB and half a second of each
// start. A file without its types is kept in node_modules/.cache by the hash of its source and of the function that removes
// them. Run as a program, fills that folder.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
/** Stripped types leave spaces of their length, so that positions in stack traces are right. */
const CACHE = join(MODULES, '.cache', `types-${process.versions.node}`)
/** The files of the service and of its benchmarks. */
const FILES = '{bin,packages/*/{src,bench}}/**/*.ts'
const PREFIX = pathToFileURL(ROOT).href
const IS_KEPT = /^(bin|packages\/[^/]+\/(src|bench))\/.*\.ts$/

let mayFill = isWritable(MODULES)

if (import.meta.main) fill()
else registerHooks({ load })

function load(url, context, nextLoad) {
  if (!url.startsWith(PREFIX) || !IS_KEPT.test(url.slice(PREFIX.length))) return nextLoad(url, context)
  const file = cacheFile(readFileSync(fileURLToPath(url)))
  const source = read(file) ?? fillAndRead(file)
  return source === null ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Once, in a separate process, where the stripper stays. A folder that is read-only is left as it is. */
function fillAndRead(file) {
  if (!mayFill) return null
  mayFill = false
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url)]
  spawnSync(process.execPath, args, { stdio: 'ignore' })
  return read(file)
}

function fill() {
  mkdirSync(CACHE, { recursive: true })
  const old = new Set(readdirSync(CACHE))
  for (const path of globSync(FILES, { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, path))
    const file = cacheFile(source)
    if (old.delete(basename(file))) continue
    writeFileSync(`${file}.${process.pid}`, withoutTypes(source.toString()))
    renameSync(`${file}.${process.pid}`, file)
  }
  for (const name of old) rmSync(join(CACHE, name), { force: true })
}

/** A line that had nothing but a type is empty. Other spaces at the end of a line may belong to a template. */
function withoutTypes(source) {
  const lines = source.split('\n')
  return stripTypeScriptTypes(source)
    .split('\n')
    .map((line, index) => (line === lines[index] || line.trim() !== '' ? line : ''))
    .join('\n')
}

function cacheFile(source) {
  return join(CACHE, `${createHash('sha256').update(source).update(`${withoutTypes}`).digest('hex')}.js`)
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
