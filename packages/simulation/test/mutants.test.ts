import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { MUTANTS } from '../mutants/list.ts'
import { THEMES } from '../mutants/mutant.ts'
import { readMutantRecord } from '../src/evidence/records.ts'

const SOURCES = join(import.meta.dirname, '../../server/src')

function read(file: string): string {
  return readFileSync(join(SOURCES, file), 'utf8')
}

test('every mutant replaces text that occurs exactly once', () => {
  for (const { name, file, find, replace } of MUTANTS) {
    assert.equal(read(file).split(find).length, 2, `${name}: ${file}`)
    assert.notEqual(find, replace, name)
  }
})

test('every mutated file can still be parsed', () => {
  for (const { name, file, find, replace } of MUTANTS) {
    const mutated = read(file).replace(find, () => replace)
    assert.doesNotThrow(() => stripTypeScriptTypes(mutated), name)
  }
})

test('there are at least 40 mutants, each with its own name', () => {
  assert.ok(MUTANTS.length >= 40, `${MUTANTS.length} mutants`)
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length)
})

test('the recorded results are those of all mutants', () => {
  assert.deepEqual(Object.keys(readMutantRecord() ?? {}).sort(), MUTANTS.map(({ name }) => name).sort())
})

test('the mutants are ordered by theme, and every theme is present', () => {
  const themes = MUTANTS.map(({ theme }) => theme)
  assert.deepEqual([...new Set(themes)], [...THEMES])
  assert.deepEqual(
    themes.map(theme => THEMES.indexOf(theme)),
    themes.map(theme => THEMES.indexOf(theme)).sort((a, b) => a - b),
  )
})
