import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../harness/command-line.ts'
import { readDocument } from '../harness/guide.ts'

const NAME = '[a-z][a-z-]*(?: [a-z][a-z-]*)*'

test('docs/commands.md lists the commands of zatgate --help', async () => {
  const { out } = await runCommand(['--help'], {}, { columns: 100 })
  const shown = [...out.matchAll(new RegExp(`^ {2}(${NAME}) {2,}`, 'gm'))].map(([, name]) => name)
  const documented = [...readDocument('docs/commands.md').matchAll(new RegExp(`^\\| \`(${NAME})`, 'gm'))]
  assert.ok(shown.length > 10)
  assert.deepEqual(documented.map(([, name]) => name).sort(), shown.sort())
})
