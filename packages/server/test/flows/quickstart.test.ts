import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { paste } from '../harness/guide.ts'
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
  const folder = temporaryFolder(stackOf(t))
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/sandbox.json'), JSON.stringify({ api_key: service.apiKey }))
  const [create = '', follow = '', ...more] = quickstart().map(block =>
    block
      .replaceAll('http://127.0.0.1:3000', service.url)
      .replaceAll('http://127.0.0.1:4010', service.sandbox.controlUrl),
  )
  assert.deepEqual(more, [])
  const [id = '', uri = ''] = (await paste(`${create}\necho "$ID"; echo "$URI"`, { folder })).trim().split('\n')
  const [pay, detected, mine = '', paid, ...others] = follow.split('\n').filter(line => line !== '')
  assert.deepEqual(others, [])

  await paste(`URI='${uri}'\n${pay}`)
  await until('detected', async () => (await service.service.invoices.read(id)).status === 'detected')
  assert.equal(JSON.parse(await paste(`ID=${id}\n${detected}`)).status, 'detected')
  await paste(mine)
  await until('paid', async () => (await service.service.invoices.read(id)).status === 'paid')
  assert.equal(JSON.parse(await paste(`ID=${id}\n${paid}`)).status, 'paid')
})
