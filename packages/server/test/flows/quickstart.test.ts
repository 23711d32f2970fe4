import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Guide, openSandboxShell } from '../docs/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const README = new Guide('README.md')
const skip = missingProgram('bash') || missingProgram('curl')

test('the commands of the README create an invoice and pay it, as pasted', { skip }, async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const shell = openSandboxShell(t, service)
  assert.equal(README.block('sh start'), 'npm start\n')
  await shell.run(README.block('sh create'))
  assert.match((await shell.json('echo "$INVOICE"')).address, /^uregtest1/)
  const status = async () => (await service.service.invoices.read((await shell.run('echo "$ID"')).trim())).status
  const [pay = '', detected = '', mine = '', paid = '', ...others] = README.block('sh pay').trim().split('\n')
  assert.deepEqual(others, [])

  await shell.run(pay)
  await until('detected', async () => (await status()) === 'detected')
  assert.equal((await shell.json(detected)).status, 'detected')
  await shell.run(mine)
  await until('paid', async () => (await status()) === 'paid')
  assert.equal((await shell.json(paid)).status, 'paid')
})
