import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ZatgateClient } from '@zatgate/sdk'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/notify/event.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { missingProgram, startProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { openShell } from '../harness/shell.ts'
import { until } from '../harness/until.ts'
import { Guide } from './guide.ts'

const GUIDE = new Guide('docs/webhooks.md')

interface Receiver {
  readonly language: string
  readonly program: string
  readonly version: string
  readonly file: string
  readonly command: (file: string, port: number) => readonly string[]
}

const RECEIVERS: readonly Receiver[] = [
  { language: 'python', program: 'python3', version: '--version', file: 'receiver.py', command: file => [file] },
  {
    ...{ language: 'php', program: 'php', version: '--version', file: 'webhook.php' },
    command: (file, port) => ['-S', `127.0.0.1:${port}`, file],
  },
  { language: 'go', program: 'go', version: 'version', file: 'receiver.go', command: file => ['run', file] },
]

for (const { language, program, version, file, command } of RECEIVERS) {
  const skip = missingProgram(program, version) || missingProgram('bash') || missingProgram('curl')
  test(`the guide's receiver in ${language} learns of a payment, and refuses what zatgate did not sign`, {
    skip,
  }, async t => {
    const service = await startTestService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
    t.after(() => service.close())
    const { url: baseUrl, apiKey, sessionToken, sandbox } = service
    const client = new ZatgateClient({ baseUrl, apiKey, sessionToken })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhook`
    const folder = temporaryFolder(stackOf(t))
    const variables = { ZATGATE_URL: baseUrl, SESSION_TOKEN: sessionToken }
    const replace = { 'https://shop.example.com/webhook': url }
    const { secret } = await openShell(t, { folder, env: variables, replace }).json(GUIDE.block('sh set'))
    const path = join(folder, file)
    writeFileSync(path, GUIDE.block(`${language} receiver`))
    // As a file or a pasted secret ends.
    const env = { PORT: String(port), ZATGATE_WEBHOOK_SECRET: ` ${secret} \n`, GOTOOLCHAIN: 'local' }
    const { output } = startProgram(t, [program, ...command(path, port)], { env })

    const unsigned = () => fetch(url, { method: 'POST', body: '{"type":"invoice.paid","invoice_id":"forged"}' })
    const refusal = await until(`the receiver, which printed: ${output()}`, () => unsigned().catch(() => null))
    assert.equal(refusal.status, 400)
    const forged = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
    for (const signature of ['v1,', 'v1,AAAA', ''])
      assert.equal(
        (await fetch(url, { method: 'POST', body: '{}', headers: { ...forged, 'webhook-signature': signature } }))
          .status,
        400,
      )
    assert.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(70_000) })).status, 400)

    const invoice = await client.createInvoice({ amount_zat: 150_000 })
    sandbox.wallet.pay({ uri: invoice.zip321_uri })
    await until('detected', async () => (await client.getInvoice(invoice.id)).status === 'detected')
    sandbox.chain.mine(3)
    await until('the event', () => output().includes(`paid ${invoice.id}`))
    assert.ok(!output().includes('forged'))
    await until('the log', async () => (await client.listDeliveries()).some(({ status_code }) => status_code === 204))
  })
}

const NO_SHELL = missingProgram('bash') || missingProgram('curl')
test('the guide sends the events of one invoice to one more URL', { skip: NO_SHELL }, async t => {
  const service = await startTestService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  t.after(() => service.close())
  const { url, sessionToken, sandbox } = service
  const own = `${sandbox.webhookUrl}orders/1001`
  const shell = openShell(t, {
    folder: temporaryFolder(stackOf(t)),
    env: { ZATGATE_URL: url, SESSION_TOKEN: sessionToken },
    replace: {
      'https://shop.example.com/webhook': sandbox.webhookUrl,
      'https://shop.example.com/orders/1001': own,
    },
  })
  await shell.json(GUIDE.block('sh set'))
  const invoice = await shell.json(GUIDE.block('sh own'))
  assert.equal(invoice.webhook_url, own)
  sandbox.wallet.pay({ uri: invoice.zip321_uri })
  const client = new ZatgateClient({ baseUrl: url, sessionToken })
  await until('detected', async () => (await client.getInvoice(invoice.id)).status === 'detected')
  sandbox.chain.mine(3)
  const paths = () => sandbox.webhookReceiver.deliveries.map(({ path }) => path).sort()
  await until('both events', () => paths().join() === '/,/orders/1001')
})

test('the guide says what to do with every event of the webhook, and with no other', () => {
  assert.deepEqual(GUIDE.rows('What to do with each event').sort(), [...WEBHOOK_EVENT_TYPES].sort())
})
