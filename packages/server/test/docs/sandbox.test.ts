import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runCommand } from '../harness/command-line.ts'
import { ROOT } from '../harness/guide.ts'
import { Guide, runModule } from './guide.ts'

test('npx zatgate in the checkout is the command that the tests of documents run in its place', async () => {
  const { stdout } = await promisify(execFile)('npx', ['zatgate', 'help'], { cwd: ROOT })
  assert.equal(stdout, (await runCommand(['help'], {})).out)
})

test("the sandbox's example as a library runs as it stands", async () => {
  const guide = new Guide('packages/sandbox/README.md')
  await runModule(`${guide.block('js library')}\nconsole.log('done')`)
  guide.assertAllUsed()
})
