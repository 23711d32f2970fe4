import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openSandboxShell } from '../docs/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const README = new URL('../../../../README.md', import.meta.url)

/** The blocks of commands in the section “Try it”, after `npm start`. */
function quickstart(): string[] {
  const [, section = ''] = readFileSync(README, 'utf8').split('## Try it')
  const blocks = [...(section.split('\n## ')[0] ?? '').matchAll(/```\n(.*?)```/gs)].map(
    ([, commands]) => commands ?? '',
  )
  assert.equal(blocks[0], 'npm start\n')
  return blocks.slice(1)
}

const skip = missingProgram('bash') || missingProgram('curl')

test('the commands of the README create an invoice and pay it, as pasted', { skip }, async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const shell = openSandboxShell(t, service)
  const [create = '', follow = '', ...more] = quickstart()
  assert.deepEqual(more, [])
  await shell.run(create)
  assert.match((await shell.json('echo "$INVOICE"')).address, /^uregtest1/)
  const status = async () => (await service.service.invoices.read((await shell.run('echo "$ID"')).trim())).status
  const [pay = '', detected = '', mine = '', paid = '', ...others] = follow.split('\n').filter(line => line !== '')
  assert.deepEqual(others, [])

  await shell.run(pay)
  await until('detected', async () => (await status()) === 'detected')
  assert.equal((await shell.json(detected)).status, 'detected')
  await shell.run(mine)
  await until('paid', async () => (await status()) === 'paid')
  assert.equal((await shell.json(paid)).status, 'paid')
})
