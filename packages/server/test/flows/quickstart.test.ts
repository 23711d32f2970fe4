import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Guide, openSandboxShell } from '../docs/guide.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { ROOT } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { openShell } from '../harness/shell.ts'
import { until } from '../harness/until.ts'

const README = new Guide('README.md')
const skip = missingProgram('bash') || missingProgram('curl')

test('from an empty folder the commands of the README make a clone, whose sandbox creates an invoice, pays it and verifies its webhook', {
  skip: skip || missingProgram('git'),
}, async t => {
  const folder = temporaryFolder(stackOf(t))
  const env = {
    // The checkout may belong to another user.
    ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  }
  const shell = openShell(t, { folder, env, replace: { 'https://git.example.com/zatgate.git': ROOT } })
  await shell.run(README.block('sh clone'))
  // The dependencies are there: an installation needs the network, and is tested with the launcher.
  await shell.run(`ln -s ${ROOT}/node_modules node_modules; npx() { shift; node bin/main.ts "$@"; }`)
  const printed = await shell.run(README.block('sh try'))
  assert.match(printed, /paid/)
  assert.match(printed, /verified/)
})

test('the commands of the README create an invoice and pay it, as pasted', { skip }, async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const shell = openSandboxShell(t, service)
  assert.equal(README.block('sh start'), 'npm start\n')
  const commands = README.block('sh invoice')
  assert.equal(commands.match(/^curl /gm)?.length, 3)
  await shell.run(commands)
  const { id, address } = await shell.json('cat data/invoice.json')
  assert.match(address, /^uregtest1/)
  await until('paid', async () => (await service.service.invoices.read(id)).status === 'paid')
  README.assertAllUsed()
})
