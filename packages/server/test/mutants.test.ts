import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MUTANTS } from '../mutants/list.ts'

const SERVER = join(import.meta.dirname, '..')

test('every mutant replaces text that occurs exactly once, and names existing tests', () => {
  for (const { name, file, find, replace, tests, killedBy } of MUTANTS) {
    const source = readFileSync(join(SERVER, 'src', file), 'utf8')
    assert.equal(source.split(find).length, 2, `${name}: ${file}`)
    assert.notEqual(find, replace, name)
    const texts = tests.map(path => {
      assert.ok(existsSync(join(SERVER, 'test', path)), `${name}: ${path}`)
      return readFileSync(join(SERVER, 'test', path), 'utf8')
    })
    if (tests.some(path => path.startsWith('store/'))) continue
    const testName = killedBy.replace(/, on (regtest|test)$/, '')
    assert.ok(
      texts.some(text => text.includes(testName)),
      `${name}: no test is named "${killedBy}"`,
    )
  }
})
