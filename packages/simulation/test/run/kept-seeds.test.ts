import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPlan } from '../../src/run/saved-plan.ts'
import { runScript } from './child.ts'

const FOLDER = join(import.meta.dirname, '../../seeds')
/** Defects of the service, and in a folder of their own those of the simulation. */
const files = globSync('**/*.json', { cwd: FOLDER }).map(name => join(FOLDER, name))

test('every kept seed says what was wrong and which commit fixed it', () => {
  for (const file of files) {
    const { rule, finding, wrong, fixedBy } = readPlan(file)
    assert.ok(finding.startsWith(rule), file)
    assert.ok(wrong && fixedBy, `${file} lacks wrong or fixedBy`)
  }
})

test('no kept seed fails any more', async () => {
  assert.deepEqual(
    await runScript('replay-kept.ts', files),
    files.map(file => [file, null]),
  )
})
