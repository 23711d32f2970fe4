import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { KilledMutants } from '../mutants/killed.ts'
import { MUTANTS } from '../mutants/list.ts'
import { mutate } from '../mutants/mutate.ts'

const SERVER = join(import.meta.dirname, '../../server')

test('every mutant changes one place, and its file can still be parsed', () => {
  for (const mutant of MUTANTS) {
    const source = readFileSync(join(SERVER, 'src', mutant.file), 'utf8')
    assert.notEqual(mutate(source, mutant), source, mutant.name)
  }
})

test('every mutant has its own name, and is found by an existing test or by the simulation', () => {
  assert.ok(MUTANTS.length >= 150, `${MUTANTS.length} mutants`)
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length)
  for (const { name, killedBy, withinSeeds } of MUTANTS) {
    assert.ok(killedBy || withinSeeds, name)
    if (killedBy) assert.ok(existsSync(join(SERVER, 'test', killedBy.file)), `${name}: ${killedBy.file}`)
  }
})

test('a mutant that was killed is left out until it, its file or its test changes', t => {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-killed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['src', 'test']) mkdirSync(join(folder, name))
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  write('src/sums', 'a')
  write('test/test-of-sums', 'a')
  const killedBy = { file: 'test-of-sums', test: 'adds' }
  const mutant = { name: 'a sum', theme: 'money', file: 'sums', in: 'add', find: '+', replace: '-', killedBy }
  const killed = new KilledMutants(join(folder, 'killed'), folder)
  assert.equal(killed.has(mutant), false)
  killed.add(mutant)
  assert.equal(new KilledMutants(join(folder, 'killed'), folder).has(mutant), true)
  assert.equal(killed.has({ ...mutant, replace: '*' }), false)
  for (const file of ['src/sums', 'test/test-of-sums']) {
    write(file, 'b')
    assert.equal(killed.has(mutant), false, file)
    write(file, 'a')
  }
})

test('a change is made inside its place only', () => {
  const change = { name: 'a change', file: 'some file', find: 'a + 1', replace: 'a - 1' }
  const source = 'const one = (a: number) => a + 1\nclass Two {\n  #three(a: number) {\n    return a + 1\n  }\n}\n'
  assert.equal(mutate(source, { ...change, in: 'one' }), source.replace('a + 1', 'a - 1'))
  assert.equal(mutate(source, { ...change, in: 'three' }), source.replace('return a + 1', 'return a - 1'))
  assert.equal(mutate(source, { ...change, in: 'one', find: 'const', replace: 'let' }), source.replace('const', 'let'))
  assert.throws(() => mutate(source, { ...change, in: 'four' }), /0 times in four/)
  assert.throws(() => mutate(`${source}${source}`, { ...change, in: 'one' }), /2 times in one/)
  assert.throws(() => mutate(source, { ...change, in: 'one', replace: 'a +)' }), /cannot be parsed/)
})
