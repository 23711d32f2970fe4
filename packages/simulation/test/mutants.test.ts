import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { MUTANTS } from '../mutants/list.ts'
import { THEMES } from '../mutants/mutant.ts'
import { readMutantRecord, readRecordedSources } from '../src/evidence/records.ts'
import { mutantFingerprints, simulationFingerprint } from '../src/evidence/sources.ts'

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

test('every recorded result is that of a mutant', t => {
  if (readRecordedSources().simulation === '') return t.skip('no run of this version is recorded yet')
  const names = new Set(MUTANTS.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(readMutantRecord() ?? {}).filter(name => !names.has(name)),
    [],
  )
})

test('the recorded results are those of the present sources', t => {
  const { simulation, mutants } = readRecordedSources()
  if (simulation === '') return t.skip('no run of this version is recorded yet')
  const fingerprintOf = mutantFingerprints()
  const stale = MUTANTS.filter(mutant => mutants[mutant.name] !== fingerprintOf(mutant)).map(({ name }) => name)
  assert.deepEqual(stale, [], 'run these mutants again: npm run mutants -- --record --stale && npm run evidence')
  const message = 'record a run of the present simulation: npm run simulate -- --minutes 10 --record'
  assert.equal(simulation, simulationFingerprint(), message)
})

test('the mutants are ordered by theme, and every theme is present', () => {
  const themes = MUTANTS.map(({ theme }) => theme)
  assert.deepEqual([...new Set(themes)], [...THEMES])
  assert.deepEqual(
    themes.map(theme => THEMES.indexOf(theme)),
    themes.map(theme => THEMES.indexOf(theme)).sort((a, b) => a - b),
  )
})
