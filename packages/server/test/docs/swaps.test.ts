import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { SWAP_STATUSES, type SwapStatus, swapEventTypeOf } from '../../src/domain/sale/swap.ts'
import { testEnv } from '../harness/container.ts'
import { call } from '../harness/http-call.ts'
import { missingProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import type { Shell } from '../harness/shell.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { assertShown, Guide, openSandboxShell, runModule } from './guide.ts'

const GUIDE = new Guide('docs/swaps.md')
const SETUP = new Guide('docs/first-invoice.md').block('sh setup')
/** Clock speed. The first poll of a swap comes five seconds after its start. */
const SPEED = 10

const block = (name: string) => GUIDE.block(`sh ${name}`)
const skip = missingProgram('bash') || missingProgram('curl')

test('its settings are valid', { skip }, async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const shell = openSandboxShell(t, service)
  const values = await shell.run(`${block('settings')}\nenv | grep ^SWAP_`)
  const env = Object.fromEntries(
    values
      .trim()
      .split('\n')
      .map(line => line.split('=') as [string, string]),
  )
  assert.deepEqual(Object.keys(env).sort(), ['SWAP_API_KEY', 'SWAP_API_URL'])
  // The dots of the document stand for the rest of the key.
  const config = loadConfig({ ...testEnv, ...(env as Env), SWAP_API_KEY: env.SWAP_API_KEY?.replace('…', 'x') })
  assert.equal(config.swap?.apiUrl, 'https://1click.chaindefuser.com')
})

describe('the guide to swaps', { skip }, () => {
  let service: TestService
  before(async () => {
    const clock = new SkewedClock({ factor: SPEED })
    service = await startTestService({ clock })
    const json = { url: service.sandbox.webhookReceiver.url }
    await call(service, 'PUT /v1/account/webhook', { token: service.sessionToken, json })
  })
  after(() => service?.close())

  async function openSwap(t: { after(work: () => Promise<void>): void }): Promise<{ shell: Shell; id: string }> {
    const shell = openSandboxShell(t, service)
    await shell.run(SETUP)
    const id = (await shell.run(`${block('create')}\necho "$INVOICE_ID"`)).trim()
    return { shell, id }
  }

  async function statusesOf(id: string): Promise<string> {
    const { body } = await call(service, `GET /v1/invoices/${id}`)
    return `${body.status} ${body.swap?.status}`
  }

  function events(id: string): string[] {
    const bodies = service.sandbox.webhookReceiver.deliveries.map(({ body }) => JSON.parse(body.toString()))
    return bodies.filter(body => body.invoice_id === id).map(body => body.type)
  }

  test('its commands lead from the list of assets to the paid invoice, with the responses that it shows', async t => {
    const { shell, id } = await openSwap(t)
    assertShown(GUIDE.block('json assets'), await shell.json(block('assets')))
    const quote = await shell.json(block('start'))
    const { deposit_address, ...shown } = JSON.parse(GUIDE.block('json quote'))
    assert.match(deposit_address, /^bc1/)
    const { deposit_address: firstAddress, ...others } = quote
    assertShown(JSON.stringify(shown), others)
    const output = await runModule(GUIDE.block('js start'), { ZATGATE_URL: service.url, INVOICE_ID: id })
    assert.match(output, /^Send 0\.0\d+ BTC to \w+\n$/)
    const address = output.trim().split(' ').at(-1) as string
    assert.notEqual(address, firstAddress)

    await shell.run(`SWAP='{"deposit_address": "${address}"}'\n${block('drive')}`)
    await until('paid', async () => (await statusesOf(id)).startsWith('paid'))
    await until('the event', () => events(id).includes('invoice.paid'))
  })

  test('each status of the table is an outcome of the sandbox, with the event that it names', async t => {
    assert.deepEqual(GUIDE.rows('Statuses').sort(), [...SWAP_STATUSES].sort())
    const outcomes = SWAP_STATUSES.filter(status => status !== 'PENDING_DEPOSIT' && status !== 'SUCCESS')
    await Promise.all(
      outcomes.map(async (outcome: SwapStatus) => {
        const { shell, id } = await openSwap(t)
        await shell.run(block('start'))
        await shell.run(block('drive').replace('SUCCESS', outcome))
        await until(outcome, async () => (await statusesOf(id)) === `pending ${outcome}`)
        const [, row = ''] = GUIDE.text.split(`\n| \`${outcome}\` | `)
        const [, named] = /Event `(.*?)`/.exec(row.split('\n')[0] ?? '') ?? []
        assert.equal(named ?? null, swapEventTypeOf(outcome))
        if (named !== undefined) await until(named, () => events(id).includes(named))
      }),
    )
  })

  test('a success without delivery leaves the invoice pending', async t => {
    const { shell, id } = await openSwap(t)
    await shell.run(block('start'))
    await shell.run(block('drive').replace('"SUCCESS"', '"SUCCESS", "deliver": false'))
    await until('the outcome', async () => (await statusesOf(id)) === 'pending SUCCESS')
  })

  test('its table has exactly the messages with which a start fails', async () => {
    const create = async (json: object) =>
      (await call(service, 'POST /v1/invoices', { token: service.apiKey, json })).body
    const sell = (amount_zat: number) => create({ amount_zat })
    const start = async (id: string, asset_id = 'nep141:btc.omft.near', refund_to = 'the-buyers-own-address') => {
      const { status, body } = await call(service, `POST /v1/invoices/${id}/swap`, { json: { asset_id, refund_to } })
      return [status, body.message, body.deposit_address] as const
    }
    const { oneclick, wallet } = service.sandbox
    const [invoice, small, paid, busy] = [
      await sell(2_500_000),
      await sell(1_000),
      await sell(2_500_000),
      await sell(2_500_000),
    ]
    wallet.pay({ uri: paid.zip321_uri })
    await until('detected', async () => (await statusesOf(paid.id)).startsWith('detected'))
    const [, , address] = await start(busy.id)
    oneclick.drive(address, { outcome: 'PROCESSING' })
    await until('processing', async () => (await statusesOf(busy.id)).endsWith('PROCESSING'))

    const failures = [
      await start(invoice.id, undefined, ' '),
      await start(invoice.id, 'nep141:no.such.asset'),
      await start(invoice.id, undefined, 'invalid'),
      await start(small.id),
      await start(paid.id),
      await start((await create({ open_amount: true })).id),
      await start(busy.id),
    ]
    // The start that the provider refused counts too.
    for (let starts = 1; starts < 5; starts++) assert.equal((await start(invoice.id))[0], 200)
    failures.push(await start(invoice.id))
    oneclick.settings.tampering = 'amount'
    failures.push(await start((await sell(2_500_000)).id))
    oneclick.settings.tampering = 'none'

    const [, section = ''] = GUIDE.text.split('\n## Errors\n')
    const rows = [...section.matchAll(/^\| `(.*?)` \| (\d+) \|/gm)].map(([, message, status]) => [
      Number(status),
      message,
    ])
    assert.deepEqual(
      rows,
      failures.map(([status, message]) => [status, message]),
    )
  })
})

test('every block of the guide was run', { skip }, () => GUIDE.assertAllUsed())
