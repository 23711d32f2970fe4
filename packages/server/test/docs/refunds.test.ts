import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeMemo } from '@zatgate/zcash/memo'
import { parsePaymentUri } from '@zatgate/zcash/zip321'
import { missingProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { assertShown, Guide, openSandboxShell, runModule } from './guide.ts'

const GUIDE = new Guide('docs/refunds.md')
const FIRST_INVOICE = new Guide('docs/first-invoice.md')

const skip = missingProgram('bash') || missingProgram('curl')

describe('the guide to refunds', { skip }, () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service?.close())

  test('its commands lead from the paid invoice of the first guide to a sent refund and its export', async t => {
    const shell = openSandboxShell(t, service)
    const first = (name: string) => FIRST_INVOICE.block(`sh ${name}`)
    const block = (name: string) => GUIDE.block(`sh ${name}`)
    for (const name of ['setup', 'webhook', 'create', 'pay']) await shell.run(first(name))
    const read = () => shell.json(first('read'))
    await until('detected', async () => (await read()).status === 'detected')
    await shell.run(first('mine'))
    await until('paid', async () => (await read()).status === 'paid')

    const created = await shell.json(block('create'))
    assertShown(GUIDE.block('json created'), created)
    const invoiceId = created.invoice_id
    const env = { ZATGATE_URL: service.url, SESSION_TOKEN: service.sessionToken, INVOICE_ID: invoiceId }
    const module = GUIDE.block('js refund')
    assert.equal((await runModule(module, env)).trim(), `${created.id} ${created.refund_url}`)

    const given = await shell.json(block('address'))
    assert.deepEqual([given.status, given.can_change], ['ready', true])
    const payment = await shell.json(block('payment'))
    assertShown(GUIDE.block('json payment'), payment)
    const shown = await runModule(module, env)
    assert.equal(shown.trim(), `${created.id} undefined\n${payment.zip321_uri}`)
    const { address, amount, memo } = parsePaymentUri(payment.zip321_uri)
    assert.deepEqual([address, amount], [given.address, BigInt(created.amount_zat)])
    const padded = new Uint8Array(512)
    padded.set(memo ?? [])
    assert.deepEqual(decodeMemo(padded), { kind: 'text', text: 'Refund of order 1042' })

    await shell.run(block('pay'))
    const sent = await shell.json(block('sent'))
    assert.match(sent.txid, /^[0-9a-f]{64}$/)
    assert.deepEqual([sent.id, sent.status], [created.id, 'sent'])
    assert.equal((await read()).status, 'paid')
    assert.deepEqual(await shell.json(block('list')), [sent])

    await shell.run(block('export'))
    const [header = '', row = ''] = (await shell.run('cat refunds.csv')).split('\n')
    assert.match(header, /^id,invoice_id,order_id,status,amount_zat,amount_zec,price_amount,price_currency,rate,/)
    assert.ok(row.startsWith(`${created.id},${invoiceId},1042,sent,${created.amount_zat},`), row)
    assert.match(row, new RegExp(`,10\\.00,EUR,.*,torn sleeve,${sent.txid},`))
    const events: { body: { status: string } }[] = await shell.json(block('events'))
    assert.deepEqual(
      events.map(({ body }) => body.status),
      ['awaiting_address', 'ready', 'sent'],
    )
  })
})

test('every block of the guide was run', { skip }, () => GUIDE.assertAllUsed())
