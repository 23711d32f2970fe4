import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { verifyWebhook, ZatgateClient } from '@zatgate/sdk'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/notify/event.ts'
import { receiversFor } from '../../src/web/receivers.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { missingProgram, startProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { openShell } from '../harness/shell.ts'
import { until } from '../harness/until.ts'
import { Guide } from './guide.ts'

const GUIDE = new Guide('docs/webhooks.md')

interface Program {
  readonly language: string
  readonly program: string
  readonly version: string
  /** The file name, the code and the command of a receiver at a URL. */
  readonly receiver: (url: URL) => Promise<{ readonly fileName: string; readonly code: string; readonly start: string }>
}

/** As the page Webhook shows it to an account with this URL. */
const shown = (language: string) => async (url: URL) =>
  (await receiversFor(url)).find(receiver => receiver.language === language) ?? assert.fail(language)

const RECEIVERS: readonly Program[] = [
  { language: 'Node', program: process.execPath, version: '--version', receiver: shown('Node') },
  { language: 'Python', program: 'python3', version: '--version', receiver: shown('Python') },
  { language: 'PHP', program: 'php', version: '--version', receiver: shown('PHP') },
  {
    ...{ language: 'Go', program: 'go', version: 'version' },
    receiver: async () => ({
      ...{ fileName: 'receiver.go', start: 'go run receiver.go' },
      code: GUIDE.block('go receiver'),
    }),
  },
]

/** Writes a receiver into a new folder, and starts it with its command. */
async function start(t: TestContext, { program, receiver }: Program, url: URL, secret: string) {
  const folder = temporaryFolder(stackOf(t))
  const { fileName, code, start: command } = await receiver(url)
  writeFileSync(join(folder, fileName), code)
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const env = { PATH, PORT: url.port, ZATGATE_WEBHOOK_SECRET: secret, GOTOOLCHAIN: 'local' }
  assert.ok(command.startsWith(basename(program)), command)
  return startProgram(t, command.split(' '), { env, cwd: folder })
}

for (const receiver of RECEIVERS) {
  const { language, program, version } = receiver
  const skip = missingProgram(program, version) || missingProgram('bash') || missingProgram('curl')
  test(`the receiver in ${language} learns of a payment, and refuses what zatgate did not sign`, { skip }, async t => {
    const service = await startTestService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
    t.after(() => service.close())
    const { url: baseUrl, apiKey, sessionToken, sandbox } = service
    const client = new ZatgateClient({ baseUrl, apiKey, sessionToken })
    // The receiver in Go has the path of the guide.
    const url = `http://127.0.0.1:${await freePort()}/${language === 'Go' ? 'webhook' : "shop's/$paid/hook.php?a=b"}`
    const folder = temporaryFolder(stackOf(t))
    const variables = { ZATGATE_URL: baseUrl, SESSION_TOKEN: sessionToken }
    const replace = { 'https://shop.example.com/webhook': url.replace("'", `'\\''`) }
    const { secret } = await openShell(t, { folder, env: variables, replace }).json(GUIDE.block('sh set'))
    // As a file or a pasted secret ends.
    const { output } = await start(t, receiver, new URL(url), ` ${secret} \n`)

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

    // As deep as the service allows.
    const metadata = JSON.parse(`${'{"a":'.repeat(15)}{}${'}'.repeat(15)}`)
    const invoice = await client.createInvoice({ amount_zat: 150_000, metadata })
    sandbox.wallet.pay({ uri: invoice.zip321_uri })
    await until('detected', async () => (await client.getInvoice(invoice.id)).status === 'detected')
    sandbox.chain.mine(3)
    await until('the event', () => output().includes(`paid ${invoice.id}`))
    assert.ok(!output().includes('forged'))
    await until('the log', async () => (await client.listDeliveries()).some(({ status_code }) => status_code === 204))

    if (language !== 'Node' && language !== 'Go') return
    const sentAt = String(Math.floor(Date.now() / 1000))
    const body = '{"type":"invoice.paid","invoice_id":"rotated"}'
    const sign = (key: Buffer) => `v1,${createHmac('sha256', key).update(`b.${sentAt}.${body}`).digest('base64')}`
    const [own, other] = [sign(Buffer.from(secret.slice('whsec_'.length), 'base64')), sign(Buffer.alloc(32))]
    const statusOf = async (signature: string) => {
      const headers = { 'webhook-id': 'b', 'webhook-timestamp': sentAt, 'webhook-signature': signature }
      return (await fetch(url, { method: 'POST', body, headers })).status
    }
    const statuses = [await statusOf(`${other} ${own}`), await statusOf(`${own} ${other}`), await statusOf(other)]
    assert.deepEqual(statuses, [204, 204, 400], 'one of two signatures, as after a rotation')
  })
}

for (const receiver of RECEIVERS) {
  const { language, program, version } = receiver
  const skip = missingProgram(program, version)
  test(`the receiver in ${language} accepts nothing while its secret is not set`, { skip }, async t => {
    const url = new URL(`http://127.0.0.1:${await freePort()}/webhook`)
    const { output, exitCode } = await start(t, receiver, url, '')
    const body = '{"type":"invoice.paid","invoice_id":"forged"}'
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
    const signed = createHmac('sha256', '').update(`a.${headers['webhook-timestamp']}.${body}`).digest('base64')
    const send = () =>
      fetch(url, {
        ...{ method: 'POST', body, headers: { ...headers, 'webhook-signature': `v1,${signed}` } },
      })
    const response = await until(`the receiver, which printed: ${output()}`, () =>
      exitCode() === null ? send().catch(() => null) : new Response(output(), { status: 500 }),
    )
    assert.equal(response.status, 500)
    assert.match(await response.text(), /ZATGATE_WEBHOOK_SECRET/)
    assert.ok(!output().includes('paid'), output())
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

test('every receiver is found in its guide, and has one path and one port', async () => {
  for (const { language, fileName, code, start: command } of await receiversFor(null)) {
    assert.match(fileName, /^\w+\.(?:mjs|py|php)$/, language)
    assert.equal([...code.matchAll(/\/webhook/g)].length, 1, language)
    assert.equal([...(code + command).matchAll(/3001/g)].length, 1, language)
  }
  const [node] = await receiversFor(new URL('https://shop.example.com/pay/events'))
  assert.match(node?.code ?? '', /^const PATH = '\/pay\/events'\nconst PORT = 3001$/m)
})

test('the guide creates, changes, rotates, disables and recovers an endpoint', { skip: NO_SHELL }, async t => {
  const service = await startTestService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  t.after(() => service.close())
  const { url, apiKey, sessionToken, sandbox } = service
  const { webhookReceiver, webhookUrl } = sandbox
  const shell = openShell(t, {
    folder: temporaryFolder(stackOf(t)),
    env: { ZATGATE_URL: url, SESSION_TOKEN: sessionToken },
    replace: {
      'https://shop.example.com/events': `${webhookUrl}events`,
      'https://shop.example.com/new-events': `${webhookUrl}new-events`,
    },
  })
  const client = new ZatgateClient({ baseUrl: url, apiKey, sessionToken })
  const received = () =>
    webhookReceiver.deliveries.map(({ path, body }) => `${path} ${JSON.parse(body.toString()).type}`)

  const created = await shell.json(GUIDE.block('sh endpoint'))
  const { delivery_id } = await shell.json(GUIDE.block('sh endpoint-test'))
  assert.match(delivery_id, /^[0-9a-f-]{36}$/)
  await until('the test event', () => received().join() === '/events test')
  await client.createInvoice({ amount_zat: 1 })
  await until('the event', () => received().at(-1) === '/events invoice.created')
  const changed = await shell.json(GUIDE.block('sh endpoint-change'))
  assert.deepEqual([changed.url, changed.types], [`${webhookUrl}new-events`, null])

  const { secret } = await shell.json(GUIDE.block('sh endpoint-rotate'))
  await client.createInvoice({ amount_zat: 1 })
  await until('the event at the new URL', () => received().at(-1) === '/new-events invoice.created')
  const { body, headers } = webhookReceiver.deliveries.at(-1)!
  for (const key of [created.secret, secret])
    assert.equal((await verifyWebhook(body, headers, key)).type, 'invoice.created')

  const { enabled } = await shell.json(GUIDE.block('sh endpoint-resume'))
  assert.equal(enabled, true)
  const { first_seq } = await shell.json(GUIDE.block('sh endpoint-recover'))
  assert.ok(first_seq >= 1)
  // Events from before its creation, and of types that it did not name then.
  await until('the rest', () => received().at(-1) === '/new-events plan.updated')
  assert.equal(received().filter(line => line.endsWith(' invoice.created')).length, 2, 'nothing twice')
})

test('the guide says what to do with every event of the webhook, and with no other', () => {
  assert.deepEqual(GUIDE.rows('What to do with each event').sort(), [...WEBHOOK_EVENT_TYPES].sort())
})
