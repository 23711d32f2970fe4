import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { closeServer, listen as listenOn } from '@zatgate/sandbox/http/listen'
import { WebhookReceiver, type WebhookResponse } from '@zatgate/sandbox/webhook-receiver'
import { verifyWebhook, ZatgateClient } from '@zatgate/sdk'
import { type ListenArguments, listen, listenSecret } from '../../../src/cli/commands/listen.ts'
import { createContext } from '../../../src/cli/context.ts'
import { createOutput } from '../../../src/cli/output.ts'
import type { Env } from '../../../src/config/settings.ts'
import type { Scope } from '../../../src/domain/account/api-key.ts'
import { formatCredential } from '../../../src/domain/account/credential.ts'
import { ATTEMPT_TIMEOUT_MS } from '../../../src/domain/notify/delivery-schedule.ts'
import { type Merchant, startTestApi, type TestApi } from '../../harness/api.ts'
import { runCommand } from '../../harness/command-line.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { COMMAND, processEnv } from '../../harness/service-process.ts'
import { until } from '../../harness/until.ts'

interface Listening {
  readonly lines: () => readonly string[]
  /** As Ctrl-C. */
  stop(): Promise<void>
}

/** A number that a float cannot hold. */
const METADATA = '{"big":9007199254740993}'
const NOTHING: ListenArguments = {
  'forward-to': '',
  types: undefined,
  after: undefined,
  url: undefined,
  'api-key': undefined,
}

/** Runs the command in this process, with a manual clock. */
function startListen(args: Partial<ListenArguments>, env: Env, clock: ManualClock, json = false): Listening {
  let output = ''
  const stream = new PassThrough().setEncoding('utf8').on('data', text => {
    output += text
  })
  const context = createContext(createOutput(json, stream, stream), {}, env)
  const running = listen({ ...NOTHING, ...args }, context, clock)
  const lines = () => output.split('\n').slice(0, -1)
  return {
    lines,
    async stop() {
      process.emit('SIGINT', 'SIGINT')
      await running
      await until('the last line', () => lines().some(line => line.includes('stopped')))
    },
  }
}

const rights = (scope: Scope) => ({ scopes: [scope], expiresAt: null, addresses: null })

async function startReceiver(t: TestContext, responses: WebhookResponse[] = []): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start()
  t.after(() => receiver.close())
  if (responses.length > 0) receiver.script(responses)
  return receiver
}

async function startAccount(t: TestContext, clock = new ManualClock()) {
  const api = await startTestApi({ clock })
  t.after(() => api.close())
  const merchant = await api.merchant()
  const { key } = await api.apiKeys.create(merchant.account, 'listen', undefined, rights('events:read'))
  return { api, merchant, key, env: { ZATGATE_URL: api.url, ZATGATE_API_KEY: key } }
}

async function sellAndCancel(api: TestApi, { apiKey, sessionToken }: Merchant): Promise<void> {
  const response = await fetch(`${api.url}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: `{"amount_zat": 5, "metadata": ${METADATA}}`,
  })
  const { id } = (await response.json()) as { id: string }
  await new ZatgateClient({ baseUrl: api.url, sessionToken }).cancelInvoice(id)
}

test('listen posts each new event, signed like a webhook, with the exact bytes of the feed', async t => {
  const clock = new ManualClock()
  const { api, merchant, key, env } = await startAccount(t, clock)
  await sellAndCancel(api, merchant)
  const receiver = await startReceiver(t)
  const listening = startListen({ 'forward-to': receiver.url }, env, clock)
  await until('the start', () => listening.lines().length === 2)
  await sellAndCancel(api, merchant)
  await until('both events', () => listening.lines().length === 4)
  await listening.stop()

  const { events } = await new ZatgateClient({ baseUrl: api.url, apiKey: key }).events.list()
  const expected = events.slice(-2)
  assert.deepEqual(
    receiver.deliveries.map(({ body }) => body.toString()),
    expected.map(({ rawBody }) => rawBody),
  )
  assert.ok(receiver.deliveries.every(({ body }) => body.includes(METADATA)))
  const secret = listenSecret(key, receiver.url)
  for (const [index, { body, headers }] of receiver.deliveries.entries()) {
    const event = await verifyWebhook(body, headers, secret, { nowMs: clock.nowMs() })
    await verifyWebhook(body, headers, secret, { scheme: 'service' })
    const { id, type } = expected[index]!
    assert.deepEqual([headers['webhook-id'], event.type], [id, type])
    assert.deepEqual([headers['content-type'], headers['user-agent']], ['application/json', 'zatgate-listen/1'])
  }
  const [first, second, created, canceled, stopped] = listening.lines()
  const [{ seq, body }] = expected as [(typeof expected)[0]]
  assert.equal(first, `signing secret: ${secret} (the same each time, for this key and URL)`)
  assert.equal(
    second,
    `forwards new events, which are those after ${seq - 1}, from ${api.url} to ${receiver.url}; Ctrl-C ends it`,
  )
  const invoice = body.invoice_id?.slice(0, 8)
  assert.equal(created, `08:00:00Z  ${seq}  invoice.created  ${invoice}  200  0 ms`)
  assert.equal(canceled, `08:00:00Z  ${seq + 1}  invoice.canceled  ${invoice}  200  0 ms`)
  assert.equal(stopped, `stopped; to go on: --after ${seq + 1}`)
  assert.ok(!listening.lines().join().includes(key))
})

test('listen repeats what the receiver does not accept, and sends no other event before', async t => {
  const clock = new ManualClock()
  const { api, merchant, env } = await startAccount(t, clock)
  await sellAndCancel(api, merchant)
  const receiver = await startReceiver(t, [
    { kind: 'status', status: 500 },
    { kind: 'redirect', location: 'http://127.0.0.1:1/' },
    { kind: 'reset' },
    { kind: 'hang' },
    { kind: 'status', status: 200 },
  ])
  const listening = startListen({ 'forward-to': receiver.url, after: 1, types: ['invoice.created'] }, env, clock, true)
  const rows = () => listening.lines().map(line => JSON.parse(line))
  for (const [index, [error, retryMs]] of [
    ['status 500', 1_000],
    ['status 302', 2_000],
    [null, 4_000],
    ['no response within 5 s', 8_000],
  ].entries()) {
    if (index === 3) {
      await until('the request', () => receiver.deliveries.length === 4)
      clock.advance(5)
    }
    const row = await until('the attempt', () => rows()[index + 1])
    assert.equal(row.type, 'invoice.created')
    if (error !== null) assert.equal(row.error, error)
    assert.equal(row.retry_in_ms, retryMs)
    await until('the pause', () => clock.sleeping.includes(Number(retryMs)))
    clock.advanceMs(Number(retryMs))
  }
  const { seq, status, error, retry_in_ms } = await until('the success', () => rows()[5])
  assert.deepEqual([status, error, retry_in_ms], [200, null, null])
  await listening.stop()
  assert.equal(new Set(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.deepEqual(rows().at(-1), { stopped: true, after: seq })
})

test('after a day and a half without a receiver, listen and the feed have every event once and in order', async t => {
  const clock = new ManualClock()
  const { api, merchant, key, env } = await startAccount(t, clock)
  const receiver = await startReceiver(t, [{ kind: 'status', status: 503 }])
  const after = 1
  const listening = startListen({ 'forward-to': receiver.url, after }, env, clock, true)
  // Not during an attempt, which would end as too late although it was received.
  const pauses = () => !clock.sleeping.includes(ATTEMPT_TIMEOUT_MS) && clock.sleeping.some(ms => ms <= 30_000 && ms > 0)
  for (let hour = 0; hour < 36; hour++) {
    await sellAndCancel(api, merchant)
    const attempts = receiver.deliveries.length
    await until('the pause', pauses)
    clock.advance(3_600)
    await until('an attempt', () => receiver.deliveries.length > attempts)
  }
  const failed = receiver.deliveries.length
  receiver.script([{ kind: 'status', status: 200 }])
  const accepted = () => receiver.deliveries.slice(failed)
  await until('the events', () => {
    if (accepted().length === 0 && pauses()) clock.advance(30)
    return accepted().length >= 72
  })
  await listening.stop()
  const client = new ZatgateClient({ baseUrl: api.url, apiKey: key })
  const followed: { id: string; rawBody: string }[] = []
  for await (const event of client.events.follow({ after })) if (followed.push(event) === 72) break
  assert.equal(new Set(followed.map(({ id }) => id)).size, 72)
  assert.deepEqual(
    accepted().map(({ headers, body }) => [headers['webhook-id'], body.toString()]),
    followed.map(({ id, rawBody }) => [id, rawBody]),
  )
  assert.ok(failed >= 36)
})

test('listen reads the sandbox of its data directory, and derives its secret from the key there', async t => {
  const clock = new ManualClock()
  const { api, merchant } = await startAccount(t, clock)
  const receiver = await startReceiver(t)
  const folder = temporaryFolder(stackOf(t))
  const { apiKey, sessionToken } = merchant
  const file = { api_url: api.url, api_key: apiKey, session_token: sessionToken }
  writeFileSync(join(folder, 'sandbox.json'), JSON.stringify(file))
  await sellAndCancel(api, merchant)
  // The guide to the first invoice exports the key of the sandbox.
  for (const env of [{}, { ZATGATE_URL: api.url, ZATGATE_API_KEY: apiKey }]) {
    const listening = startListen({ 'forward-to': receiver.url, after: 1 }, { DATA_DIR: folder, ...env }, clock)
    await until('both events', () => listening.lines().length === 4)
    await listening.stop()
    assert.ok(listening.lines()[0]?.includes(listenSecret(apiKey, receiver.url)))
  }
})

test('the secret belongs to the key and the receiver, and verifies', () => {
  const secret = listenSecret('zgk_a', 'http://localhost/')
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(listenSecret('zgk_a', 'http://localhost/'), secret)
  assert.notEqual(listenSecret('zgk_b', 'http://localhost/'), secret)
  assert.notEqual(listenSecret('zgk_a', 'http://localhost/x'), secret)
})

test('a wrong command line names what is missing or wrong, and repeats no key', async t => {
  const key = formatCredential('scopedKey', new Uint8Array(32))
  const to = ['--forward-to', 'http://localhost:1/']
  const folder = temporaryFolder(stackOf(t))
  const cases: [string[], Env, RegExp][] = [
    [[], {}, /--forward-to is missing/],
    [['--forward-to', 'localhost:3001'], {}, /--forward-to: must start with https/],
    [[...to, '--types', 'invoice.payed'], {}, /--types must be some of invoice\.paid, /],
    [to, { DATA_DIR: folder }, /ZATGATE_URL and ZATGATE_API_KEY are missing, and no sandbox/],
    [to, { ZATGATE_API_KEY: key }, /ZATGATE_URL or --url is missing/],
    [to, { ZATGATE_URL: 'https://pay.example.org' }, /ZATGATE_API_KEY or --api-key is missing/],
    [to, { ZATGATE_URL: 'http://pay.example.org', ZATGATE_API_KEY: key }, /must begin with https/],
    [to, { ZATGATE_URL: 'https://pay.example.org', ZATGATE_API_KEY: `zg_${key.slice(4)}` }, /must be a scoped key/],
    [to, { ZATGATE_URL: 'https://pay.example.org', ZATGATE_API_KEY: key.slice(0, -1) }, /incomplete or mistyped/],
  ]
  for (const [args, env, expected] of cases) {
    const { code, out, err } = await runCommand(['listen', ...args], env)
    assert.deepEqual([code, out], [2, ''], err)
    assert.match(err, expected)
    assert.ok(!err.includes(key.slice(4, 20)))
  }
})

test('a refused key ends listen with an error', async t => {
  const { api, merchant } = await startAccount(t)
  const { key } = await api.apiKeys.create(merchant.account, 'other', undefined, rights('invoices:read'))
  const env = { ZATGATE_URL: api.url, ZATGATE_API_KEY: key }
  const { code, err } = await runCommand(['listen', '--forward-to', 'http://localhost:1/'], env)
  assert.equal(code, 1)
  assert.match(err, /events:read/)
})

test('listen begins after all events that there are, also when there are several pages of the type that it asks for', async t => {
  const { api, merchant, env } = await startAccount(t)
  for (let change = 0; change < 101; change++)
    for (const expiresAt of [2_000_000_000, null])
      await api.accounts.setPlan(merchant.account.email, 'Business', expiresAt)
  const receiver = await startReceiver(t)
  const listening = startListen({ 'forward-to': receiver.url }, env, new ManualClock(), true)
  await until('the start', () => listening.lines().length === 1)
  await listening.stop()
  // The first one is of the account's creation.
  assert.equal(JSON.parse(listening.lines()[0] ?? '').after, 203)
})

test('listen says where to begin when the events that it was asked for are no longer kept', async t => {
  const server = createServer((_request, response) =>
    response.writeHead(410).end('{"code":"events_pruned","message":"pruned","first_seq":41}'),
  )
  const url = `http://127.0.0.1:${await listenOn(server, 0)}`
  t.after(() => closeServer(server))
  const env = { ZATGATE_URL: url, ZATGATE_API_KEY: formatCredential('scopedKey', new Uint8Array(32)) }
  const { code, out, err } = await runCommand(['listen', '--forward-to', 'http://localhost:1/', '--after', '7'], env)
  assert.deepEqual([code, err], [1, 'zatgate: events before 41 are no longer kept: begin with --after 40\n'])
  assert.doesNotMatch(out, /to go on/)
})

test('Ctrl-C ends listen within a second and without an error', async t => {
  const { api, merchant, env } = await startAccount(t)
  const receiver = await startReceiver(t)
  const args = [COMMAND, 'listen', '--forward-to', receiver.url, '--after', '0']
  const child = spawn(process.execPath, args, { env: processEnv(env) })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', text => (output += text))
  await sellAndCancel(api, merchant)
  await until('both events', () => output.includes('invoice.canceled'))
  const sentAt = performance.now()
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  assert.deepEqual([code, output.endsWith('to go on: --after 3\n') || output], [0, true])
  t.diagnostic(`ended in ${Math.round(performance.now() - sentAt)} ms`)
})
