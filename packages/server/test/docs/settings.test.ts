import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { checkSettings, settingsOf } from '../deploy/checked-settings.ts'
import { runCommand } from '../harness/command-line.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { ROOT } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { openShell } from '../harness/shell.ts'
import { Guide, runModule } from './guide.ts'

const skip = missingProgram('bash') || missingProgram('openssl', 'version')

test('zatgate accepts the settings for production in the README, as pasted', { skip }, async t => {
  const folder = temporaryFolder(stackOf(t))
  const shell = openShell(t, { folder })
  const [exports = '', start] = new Guide('README.md').block('sh production').split('\nnpx zatgate doctor\n')
  assert.equal(start, 'npm start\n')
  await shell.run(exports)
  assert.equal(checkSettings(await settingsOf(shell), folder).network, 'main')
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
