import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKeptSeeds } from '../../src/run/saved-plan.ts'
import { runScript } from './child.ts'

const seeds = readKeptSeeds()

test('the names of kept seeds are unique, and each seed says what was wrong and which commit fixed it', () => {
  assert.ok(seeds.length > 0)
  assert.equal(new Set(seeds.map(({ name }) => name)).size, seeds.length)
  for (const { name, of, rule, finding, wrong, fixedBy } of seeds) {
    assert.match(name, /^[a-z]+(-[a-z]+)+$/)
    assert.ok(of === 'service' || of === 'simulation', name)
    assert.ok(finding.startsWith(rule), name)
    assert.ok(wrong && fixedBy, `${name} lacks wrong or fixedBy`)
  }
})

test(`none of the ${seeds.length} kept seeds fails any more`, async () => {
  assert.deepEqual(
    await runScript('replay-kept.ts', []),
    seeds.map(({ name }) => [name, null]),
  )
})
