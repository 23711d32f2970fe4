import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { canaryLogger } from '../harness/log.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const SWAP_KEY = 'swap-key-canary-5f21c0'
const SMTP_PASSWORD = 'smtp-password-canary-8d31'
const SHOP_SECRET = 'shop-secret-canary-61ce'
const METRICS_TOKEN = 'metrics-token-canary-77aa'

/** The secrets of the run by name, collected as they appear. */
const secrets = new Map<string, string>()
const lines = { json: [] as string[], pretty: [] as string[] }
let service: TestService

let attempts = 0

/** Fails every attempt, so that failures are logged too. */
const receiver = createServer((request, response) => {
  request.resume()
  attempts += 1
  response.writeHead(500).end()
})

before(async () => {
  const write = (line: string) => void lines.json.push(line)
  const json = createLogger('debug', { format: 'json', destination: { write } })
  const pretty = createLogger('debug', {
    format: 'pretty',
    destination: { write: line => void lines.pretty.push(line) },
  })
  // Each call goes to both forms.
  const logger = new Proxy(json, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (!['debug', 'info', 'warn', 'error'].includes(String(name))) return value
      return (details: object, message: string) => {
        target[name as 'info'](details, message)
        pretty[name as 'info'](details, message)
      }
    },
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  service = await startTestService({
    logger,
    env: { SWAP_API_KEY: SWAP_KEY, METRICS_TOKEN, LOG_LEVEL: 'debug' },
  })
  secrets.set('API key', service.apiKey)
  secrets.set('session token', service.sessionToken)
  secrets.set('viewing key', service.sandbox.demoViewingKey)
  secrets.set('encryption key', service.env.ENCRYPTION_KEY ?? '')
  secrets.set('swap key', SWAP_KEY)
  secrets.set('metrics token', METRICS_TOKEN)
})
after(async () => {
  await service.close()
  receiver.close()
})

/** Whether a text has the value, and not only as a part of a longer number. */
function isIn(value: string, text: string): boolean {
  return text.split(value).some((before, index, parts) => {
    const after = parts[index + 1]
    return after !== undefined && !/\d$/.test(before) && !/^\d/.test(after)
  })
}

async function call(
  method: string,
  path: string,
  body: object | null,
  token: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return text.startsWith('{') ? JSON.parse(text) : {}
}

/** A plugin asks for a key, uses it, and asks for a path with the key that does not exist. */
async function connectPlugin(token: string): Promise<void> {
  const redirect = encodeURIComponent(`https://shop.example/?secret=${SHOP_SECRET}`)
  const url = `${service.url}/api-keys/authorize?permissions=btcpay.store.canviewinvoices&redirect=${redirect}`
  const cookie = `__Host-zatgate=${token}`
  const asked = await (await fetch(url, { headers: { cookie } })).text()
  const form = new URLSearchParams({ token: /name="token" value="([\w-]+)"/.exec(asked)?.[1] ?? '' })
  const sent = await (await fetch(url, { method: 'POST', headers: { cookie }, body: form })).text()
  const key = /zgk_\w+/.exec(sent)?.[0] ?? ''
  assert.ok(sent.includes(SHOP_SECRET))
  secrets.set('key of a plugin', key).set('secret of a shop', SHOP_SECRET)
  const authorization = `token ${key}`
  for (const [method, path] of [
    ['GET', `no-such-part/${key}`],
    ['GET', `api-keys/current?key=${key}`],
    ['DELETE', `api-keys/${key}`],
  ] as const)
    await fetch(`${service.url}/api/v1/${path}`, { method, headers: { authorization } })
}

test('a sale with failing webhooks, refused requests, a sign-in and a plugin leave no secret in the log at level debug', async () => {
  const { apiKey, sessionToken, sandbox, email } = service
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const { secret } = await call('PUT', '/v1/account/webhook', { url }, sessionToken)
  assert.match(String(secret), /^whsec_/)
  secrets.set('webhook secret', String(secret))

  const invoice = await call('POST', '/v1/invoices', { amount_zat: 150_000 }, apiKey)
  secrets.set('invoice id', String(invoice.id))
  sandbox.wallet.pay({ uri: String(invoice.zip321_uri) })
  sandbox.chain.mine(4)
  await until('a webhook attempt has failed', () => attempts > 0)
  assert.equal((await call('GET', `/v1/invoices/${invoice.id}`, null, apiKey)).status, 'paid')

  await call('POST', `/v1/invoices/${invoice.id}/swap`, { asset_id: 'no such asset', refund_to: 'x' }, apiKey)
  await call('POST', '/v1/invoices', { amount_zat: -1 }, apiKey)
  await call('PUT', '/v1/account/viewing-key', { viewing_key: `${sandbox.demoViewingKey}x` }, sessionToken)
  await call('GET', `/v1/invoices/${invoice.id}?token=${sessionToken}`, null, `${apiKey}x`)
  const browser = await service.service.signIn.requestCode(email, '192.0.2.1')
  const code = await service.codeFor(email)
  const { token } = await service.service.signIn.signIn(browser, code, 'test')
  secrets.set('token of the sign-in', token)
  secrets.set('sign-in code', code)
  await connectPlugin(token)

  assert.ok(lines.json.filter(line => line.includes('request completed')).length >= 6)
  assert.equal(lines.json.length, lines.pretty.length)
  for (const [form, written] of Object.entries(lines))
    for (const [name, value] of secrets) {
      assert.ok(value.length >= 6, name)
      assert.ok(!isIn(value, written.join('')), `${name}: ${form}`)
    }
})

test('a mail server that refuses the password leaves no password in the log', async () => {
  const written: string[] = []
  const destination = { write: (line: string) => void written.push(line) }
  const mailServer = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => done(new Error(`wrong password ${password?.length}`)),
  })
  await new Promise<void>(resolve => mailServer.listen(0, '127.0.0.1', resolve))
  const { port } = mailServer.server.address() as AddressInfo
  const shop = await startTestService({
    logger: createLogger('debug', { destination }),
    env: { SMTP_URL: `smtp://user:${SMTP_PASSWORD}@127.0.0.1:${port}` },
  })
  await shop.service.signIn.requestCode(shop.email, '192.0.2.1')
  await until('the refusal is logged', () => written.some(line => line.includes('a mail could not be sent')))
  await shop.close()
  await new Promise<void>(resolve => mailServer.close(resolve))
  const text = written.join('')
  assert.ok(!text.includes(SMTP_PASSWORD))
  assert.ok(!text.includes(Buffer.from(`\0user\0${SMTP_PASSWORD}`).toString('base64')))
})

test('every other test of the whole service checks its log: a secret in one line of level debug is found', () => {
  const { logger, assertNoSecret } = canaryLogger()
  const known = new Map([['swap key', SWAP_KEY]])
  logger.debug({ path: '/v1/invoices/:id' }, 'request completed')
  assertNoSecret(known)
  logger.debug({ headers: { 'x-api-key': SWAP_KEY } }, 'request to the provider')
  assert.throws(() => assertNoSecret(known), /the log contains: swap key/)
})
