import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MUTANTS } from '../../mutants/list.ts'
import { isSimulated } from '../../mutants/mutant.ts'
import { readFixedDefects } from '../../src/evidence/defects.ts'
import { evidenceDocument } from '../../src/evidence/document.ts'
import { EVIDENCE_FILE } from '../../src/evidence/make.ts'
import { RULES } from '../../src/rules.ts'
import { readCatalogue } from '../../src/run/catalogue.ts'
import { openDatabases } from '../../src/run/databases.ts'

const SOURCES = join(import.meta.dirname, '../../src')

test('docs/evidence.md has at most three pages, without the mutants and defects found', () => {
  const text = readFileSync(EVIDENCE_FILE, 'utf8').replace(/^## (?:Mutants|Defects) found$.*?(?=^## )/gms, '')
  assert.ok(text.length < 21_000, `${text.length} characters`)
})

test('docs/evidence.md has the rules, faults, mutants and defects of the sources: else npm run evidence makes it anew', async () => {
  const seeds = { first: 1, count: 1, secs: 1, broken: [], simulatedHours: 1, actions: {}, transitions: {} }
  const expected = evidenceDocument({
    rules: RULES,
    catalogue: readCatalogue(await openDatabases()),
    date: '2026-03-01',
    measured: { commit: 'abc123456', seeds, mutants: {} },
    mutants: MUTANTS.filter(isSimulated),
    defects: readFixedDefects(),
  })
  assert.deepEqual(withoutResults(readFileSync(EVIDENCE_FILE, 'utf8')), withoutResults(expected))
})

/** Its lines without what a run has measured. */
function withoutResults(text: string): string[] {
  return text
    .replace(/^## Results$.*?(?=^## )/ms, '')
    .replace(/a run of commit \S+ on \S+\./, '')
    .replaceAll(/ \((?:[\d,]+|\*\*not found\*\*)\)/g, '')
    .split('\n')
}

test('every listed rule is checked somewhere, and listed once', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter(file => file !== 'rules.ts')
  const sources = files.map(file => readFileSync(join(SOURCES, file), 'utf8')).join()
  const rules = Object.values(RULES).flat()
  assert.deepEqual(
    rules.filter(rule => !sources.includes(`'${rule}'`)),
    [],
  )
  assert.equal(new Set(rules).size, rules.length)
})

test('the document names what was measured, what was found and what never happened', () => {
  const text = evidenceDocument({
    rules: { sale: ['a rule holds'] },
    catalogue: {
      actions: [],
      faults: [{ name: 'stall', part: 'chain', weight: 1, fault: 'a server stalls', run: () => undefined }],
      transitions: ['invoice pending → paid', 'invoice paid → lost'],
    },
    date: '2026-03-01',
    measured: {
      commit: 'abc123456',
      seeds: {
        first: 7,
        count: 2_000,
        secs: 100,
        broken: [],
        simulatedHours: 1_234,
        actions: { stall: 17 },
        transitions: { 'invoice pending → paid': 9 },
      },
      mutants: { 'a bug': 3, 'another bug': null },
    },
    mutants: [
      { name: 'a bug', theme: 'locks' },
      { name: 'another bug', theme: 'locks' },
    ],
    defects: [{ wrong: 'an address was repeated', rule: 'a rule holds', fixedBy: 'abc1234' }],
  })
  for (const part of [
    '<details><summary>invoices and payments: 1</summary>\n\n- a rule holds\n\n</details>',
    '<summary>chain: 1</summary>\n\n- a server stalls (17)\n',
    'a run of commit abc123456 on 2026-03-01',
    '2,000 seeds from 7 on, 20.0 a second',
    'never taken: invoice paid → lost.',
    '1 of 2 mutants were found',
    '<summary>locks: 2</summary>\n\n- a bug (3)\n- another bug (**not found**)\n',
    '| an address was repeated | a rule holds | abc1234 |',
  ])
    assert.ok(text.includes(part), part)
})
