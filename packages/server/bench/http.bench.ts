import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { Type } from 'typebox'
import { loadConfig } from '../src/config.ts'
import { compileValidator } from '../src/http/validation.ts'
import { startService } from '../src/main.ts'
import { testViewingKey } from '../test/support/api.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../test/support/postgres.ts'
import { load, type Measured, requestText } from './load.ts'

const CONNECTIONS = 64
const SECONDS = 3
const KEYS = 8

async function measurePostgres(): Promise<void> {
  const bin = findPostgres()
  if (bin === null) return print('PostgreSQL', `skipped, ${NO_POSTGRES}`)
  const server = await startPostgres(bin, { durable: true })
  try {
    await measure('PostgreSQL', await server.freshDatabase())
  } finally {
    await server.stop()
  }
}

async function measure(name: string, databaseUrl: string): Promise<void> {
  const service = await startService(
    loadConfig({
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      PORT: '0',
      ROLES: 'api',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'silent',
      NETWORK: 'regtest',
      LIGHTWALLETD_URL: 'http://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'bench@example.org',
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    }),
  )
  try {
    const keys = await openShops(service)
    const sample = await created(service.url, keys[0]!)
    const constant = await startConstant(sample.body)
    const creates = keys.map(key => createRequest(service.url, key))
    await load({ url: service.url, requests: creates, connections: CONNECTIONS, seconds: 1 })
    compare(
      `${name}: create`,
      await loaded(service.url, creates),
      await loaded(constant.url, [createRequest(constant.url, keys[0]!)]),
    )
    const read = (url: string) => [requestText(url, 'GET', `/v1/invoices/${sample.id}`, {})]
    compare(
      `${name}: read`,
      await loaded(service.url, read(service.url)),
      await loaded(constant.url, read(constant.url)),
    )
    await constant.close()
  } finally {
    await service.close()
  }
}

async function openShops({ accounts, credentials, viewingKeys }: Awaited<ReturnType<typeof startService>>) {
  const keys: string[] = []
  for (let shop = 1; shop <= KEYS; shop++) {
    const email = `shop${shop}@example.org`
    await accounts.open(email)
    const account = await accounts.setPlan(email, 'Business', null)
    await viewingKeys.set(account, testViewingKey(shop))
    keys.push((await credentials.createApiKey(account, 'bench')).key)
  }
  return keys
}

const createRequest = (url: string, key: string) =>
  requestText(
    url,
    'POST',
    '/v1/invoices',
    { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    '{"amount_zat":150000000}',
  )

async function created(url: string, key: string): Promise<{ id: string; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"amount_zat":150000000}',
  })
  const body = (await response.json()) as { id: string }
  return { id: body.id, body }
}

/** The framework with schemas on both sides and nothing behind them. */
async function startConstant(answer: Record<string, unknown>) {
  const app = fastify()
  app.setValidatorCompiler(compileValidator as never)
  const types: Record<string, object> = { string: Type.String(), number: Type.Integer() }
  const shape = Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, types[typeof value] as never]))
  const response = { 200: Type.Object(shape) }
  const body = Type.Object({ amount_zat: Type.Integer({ minimum: 1 }) }, { additionalProperties: false })
  app.post('/v1/invoices', { schema: { body, response } }, async () => answer)
  app.get('/v1/invoices/:id', { schema: { response } }, async () => answer)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, close: () => app.close() }
}

const loaded = (url: string, requests: readonly string[]) =>
  load({ url, requests, connections: CONNECTIONS, seconds: SECONDS })

function compare(what: string, ours: Measured, bound: Measured): void {
  const ratio = (ours.perSecond / bound.perSecond).toFixed(2)
  const rate = ({ perSecond }: Measured) => Math.round(perSecond).toLocaleString('en-US')
  const times = `p50 ${ours.p50Ms.toFixed(1)} ms, p99 ${ours.p99Ms.toFixed(1)} ms`
  const failures = ours.failed > 0 ? `, ${ours.failed} FAILED` : ''
  print(what, `${rate(ours)}/s, ratio ${ratio} to a constant answer (${rate(bound)}/s); ${times}${failures}`)
}

function print(what: string, line: string): void {
  process.stdout.write(`${what}: ${line}\n`)
}

/**
 * Invoices made and read over HTTP, each against the same framework giving a constant answer of the same size to the
 * same load in the same run. The load comes from another thread and shares the machine's cores with the server.
 */
const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
try {
  await measure('SQLite', `sqlite:${join(folder, 'bench.db')}`)
  await measurePostgres()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
