import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawTransaction } from '@zatgate/sandbox/chain/transaction'
import { missingProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { Guide, openSandboxShell } from './guide.ts'

const GUIDE = new Guide('docs/wallets.md')
const SETUP = new Guide('docs/first-invoice.md').block('sh setup')

const block = (name: string) => GUIDE.block(`sh ${name}`)
const skip = missingProgram('bash') || missingProgram('curl')

test('its commands test a wallet: a small invoice is paid, and the viewing key finds the payment', {
  skip,
}, async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const shell = openSandboxShell(t, service)
  await shell.run(SETUP)
  const page = (await shell.run(block('create'))).trim()
  assert.equal((await fetch(page)).status, 200)
  const invoice = JSON.parse(await shell.run('cat invoice.json'))
  assert.match(invoice.zip321_uri, /amount=0\.0001&memo=/)

  const payment = service.sandbox.wallet.pay({ uri: invoice.zip321_uri })
  await until('detected', async () => (await shell.json(block('read'))).status === 'detected')
  service.sandbox.chain.mine(3)
  await until('paid', async () => (await shell.json(block('read'))).status === 'paid')

  await shell.run(`node -p 'require("./data/sandbox.json").viewing_key' > key.txt`)
  const { service: services, sessionToken } = service
  const { account } = (await services.sessions.authenticate(sessionToken)) ?? assert.fail()
  const firstAddress = await services.viewingKeys.firstAddress(account)
  assert.equal((await shell.run(block('address'))).trim(), firstAddress)
  const found = await shell.run(`TX=${Buffer.from(rawTransaction(payment)).toString('hex')}\n${block('open')}`)
  assert.match(found, /^0\.0001 ZEC \(10000 zat\)/)
  for (const text of ['ironwood action', invoice.address, `"${invoice.id}"`]) assert.ok(found.includes(text), text)
})

test('its table of other wallets claims no test, and has a source for each statement', () => {
  const [, section = ''] = GUIDE.text.split('\n## What others document\n')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([A-Z][^|]*) \| (.*) \|$/gm)]
  assert.ok(rows.length > 10)
  for (const [, wallet, cells = ''] of rows)
    for (const cell of cells.split(' | ')) {
      assert.match(cell, /^(?:documented|seen in source|not known|of no use)/, wallet)
      if (/^(?:documented|seen)/.test(cell)) assert.match(cell, /\]\(https:\/\/|the same changelog/, wallet)
    }
})

test('every block of the guide was run', { skip }, () => GUIDE.assertAllUsed())
