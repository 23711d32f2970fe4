import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SCOPE_NAMES } from '../../src/domain/account/api-key.ts'
import { NAV } from '../../src/web/components/nav.ts'
import { missingProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { assertShown, Guide, openSandboxShell, runModule } from './guide.ts'

const GUIDE = new Guide('docs/first-invoice.md')

const skip = missingProgram('bash') || missingProgram('curl')

describe('the guide to the first invoice', { skip }, () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service?.close())

  test('its commands lead from the webhook to the paid invoice and its event, with the responses that it shows', async t => {
    const shell = openSandboxShell(t, service)
    const block = (name: string) => GUIDE.block(`sh ${name}`)
    await shell.run(block('setup'))
    assert.match((await shell.json(block('webhook'))).secret, /^whsec_/)
    const created = await shell.json(block('create'))
    assertShown(GUIDE.block('json created'), created)
    const env = { ZATGATE_URL: service.url, ZATGATE_API_KEY: service.apiKey }
    assert.equal((await runModule(GUIDE.block('js create'), env)).trim(), created.id)
    assertShown(GUIDE.block('json reused'), await shell.json(block('reuse')))

    assert.match((await shell.json(block('pay'))).txid, /^[0-9a-f]{64}$/)
    const read = () => shell.json(block('read'))
    const detected = await until('detected', async () => {
      const invoice = await read()
      return invoice.status === 'detected' && invoice
    })
    assertShown(GUIDE.block('json detected'), detected)
    await shell.run(block('mine'))
    await until('paid', async () => (await read()).status === 'paid')
    const event = await until('the event', () => shell.json(block('received')))
    assertShown(GUIDE.block('json event'), event)
    assert.equal(event.invoice_id, created.id)
    assert.equal((await shell.json(block('cancel'))).status, 'expired')
    await shell.run(block('key'))
    const listed = await shell.json(block('list'))
    assert.deepEqual(
      listed.map(({ id, status }: Record<string, unknown>) => [id, status]),
      [[created.id, 'paid']],
    )
  })

  test('it has each scope', () => {
    const [, section = ''] = GUIDE.text.split('## API keys')
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+:\w+)` \|/gm)].map(([, scope]) => scope)
    assert.deepEqual(rows.sort(), SCOPE_NAMES.toSorted())
  })

  test('it names pages of the dashboard by their names', () => {
    const [, section = ''] = GUIDE.text.split('## On a real network')
    const named = [...section.matchAll(/^\d\. \*\*(.*?)\*\*/gm)].map(([, name]) => name)
    const labels: readonly string[] = NAV.flatMap(({ items }) => items.map(({ label }) => label))
    assert.deepEqual(named, ['Sign in', ...named.slice(1).filter(name => labels.includes(name ?? ''))])
    assert.equal(named.length, 4)
  })
})

test('the same commands create an invoice with NETWORK=test, which a wallet pays', { skip }, async t => {
  const service = await startTestService({ sandboxOptions: { network: 'test' } })
  t.after(() => service.close())
  const shell = openSandboxShell(t, service)
  await shell.run(GUIDE.block('sh setup'))
  const invoice = await shell.json(GUIDE.block('sh create'))
  assert.match(invoice.address, /^utest1/)
  await shell.run(GUIDE.block('sh pay'))
  await until('detected', async () => (await shell.json(GUIDE.block('sh read'))).status === 'detected')
  await shell.run(GUIDE.block('sh mine'))
  await until('paid', async () => (await shell.json(GUIDE.block('sh read'))).status === 'paid')
})

test('every block of the guide was run', { skip }, () => GUIDE.assertAllUsed())
