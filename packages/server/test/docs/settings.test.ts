import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runCommand } from '../harness/command-line.ts'
import { blocksOf, ROOT } from '../harness/guide.ts'
import { Guide, runModule } from './guide.ts'

test('the README starts production with the commands of docs/going-live.md, which the test of that guide runs', () => {
  const guide = blocksOf('docs/going-live.md').flatMap(({ text }) => text.split('\n'))
  const commands = new Guide('README.md').block('sh production').trim().split('\n')
  assert.equal(commands.length, 3)
  assert.deepEqual(
    commands.filter(command => !guide.includes(command)),
    [],
  )
})

test('npx zatgate in the checkout is the command that the tests of documents run in its place', async () => {
  const { stdout } = await promisify(execFile)('npx', ['zatgate', 'help'], { cwd: ROOT })
  assert.equal(stdout, (await runCommand(['help'], {})).out)
})

test("the sandbox's example as a library runs as it stands", async () => {
  const guide = new Guide('packages/sandbox/README.md')
  await runModule(`${guide.block('js library')}\nconsole.log('done')`)
  guide.assertAllUsed()
})
