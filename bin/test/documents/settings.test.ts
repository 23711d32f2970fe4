import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SETTINGS_FILE, settingsDocument } from '../../documents/settings.ts'

const document = readFileSync(SETTINGS_FILE, 'utf8')

test('docs/settings.md is what npm run documents writes', () => {
  assert.equal(document, settingsDocument())
})

test('no cell of a setting has more than 40 words', () => {
  const rows = document.split('\n').filter(line => line.startsWith('| `'))
  const long = rows.flatMap(row => row.split(/(?<!\\)\|/)).filter(cell => cell.trim().split(/\s+/).length > 40)
  assert.deepEqual(long, [])
})
