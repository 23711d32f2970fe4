import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SeededRandom } from '@zatgate/sandbox/random'
import pg from 'pg'
import { loadConfig } from '../../src/config/settings.ts'
import { startService } from '../../src/main.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../harness/postgres.ts'
import type { Settings } from '../harness/service-process.ts'
import { Ledger } from '../harness/soak/ledger.ts'
import { SoakNetwork } from '../harness/soak/network.ts'
import { killRepeatedly, SoakService } from '../harness/soak/services.ts'
import { Shop } from '../harness/soak/shop.ts'
import { intersection, type Span } from '../harness/soak/spans.ts'
import { SoakTime } from '../harness/soak/time.ts'
import {
  countWitnessed,
  type EventCounts,
  finalProblems,
  pollProblems,
  witnessedSpans,
} from '../harness/soak/verdict.ts'
import { IS_WEBHOOK_EVENT } from '../harness/webhook-event.ts'

/**
 * `ZATGATE_TEST_SOAK=<invoices>,<kills>,<reorganisations>[,<speed>]`. A release must pass 500,200,50. `speed` is the speed
 * of time relative to the real clock: 6 by default, but 1 when the variable is set without it.
 */
const [INVOICES, KILLS, REORGANISATIONS, SPEED = 1] = (process.env.ZATGATE_TEST_SOAK ?? '30,6,5,6')
  .split(',')
  .map(Number) as [number, number, number, number?]
const SEED = process.env.ZATGATE_TEST_SEED ?? randomBytes(8).toString('hex')

/** Durations in real milliseconds. */
const REAL = {
  perKill: 4_000,
  calm: 11_000,
  storm: 5_000,
  /** A service that runs this long with servers without faults has read everything from them. */
  witness: 8_000,
  settleSlack: 60_000,
  pollEvery: 1_000,
} as const
/** In the run's time: a dropped payment counts for 120 s, and the longest invoice is open for 120 s. */
const SETTLE_MS = 300_000
const LEFT_UNMINED = 3
const MAX_PRINTED_PROBLEMS = 40

const bin = findPostgres()

test(`${INVOICES} invoices on two services end as an independent ledger expects, despite ${KILLS} kills, wrong clocks, server faults and ${REORGANISATIONS} reorganisations`, {
  skip: bin ? false : NO_POSTGRES,
}, async t => {
  t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
  const run = await startRun(t)
  const { network, ledger, shop, services, time } = run

  await runScenario(run)
  await settleDown(run)
  const settled = await problemsUntilSettled(run)
  for (const id of shop.ids.slice(0, LEFT_UNMINED)) shop.pay(id, 7n)
  const unmined = settled.length > 0 ? [] : await problemsUntilSettled(run)

  const clear = clearSpans(services, network)
  const witnessMs = REAL.witness * time.factor
  const during = shop.ids.flatMap(id => {
    const expiresAtMs = ledger.expiresAtMs(id)
    const witnessed = witnessedSpans(ledger.fullSpans(id), clear, { expiresAtMs, witnessMs })
    return pollProblems(shop.polls(id), expiresAtMs, witnessed).map(problem => `${shortName(id)} ${problem}`)
  })
  t.diagnostic(
    JSON.stringify({
      invoices: shop.ids.length,
      witnessed: countWitnessed(ledger, shop.ids, clear, witnessMs),
      blocks: network.chain.height,
      ...network.counts,
      seconds: Math.round((time.nowMs() - time.sinceMs) / 1_000 / time.factor),
    }),
  )
  const problems = [...new Set([...during, ...settled, ...unmined])]
  assert.equal(
    problems.length,
    0,
    `${problems.length} problems:\n${problems.slice(0, MAX_PRINTED_PROBLEMS).join('\n')}`,
  )
})

interface Run {
  readonly network: SoakNetwork
  readonly ledger: Ledger
  readonly shop: Shop
  readonly services: readonly SoakService[]
  readonly time: SoakTime
  readonly signal: AbortSignal
  random(purpose: string): SeededRandom
  events(): Promise<Map<string, EventCounts>>
}

async function startRun(t: TestContext): Promise<Run> {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-soak-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres(bin!)
  stack.defer(() => postgres.stop())
  const databaseUrl = await postgres.freshDatabase()

  const seed = new Uint8Array(createHash('sha256').update(SEED).digest())
  const time = new SoakTime(SPEED)
  const ledger = new Ledger()
  const network = await SoakNetwork.start(seed, ledger, time)
  stack.defer(() => network.close())
  const settings = settingsFor(network, databaseUrl, dataDir)
  const apiKey = await openAccount(settings, network)
  const [first, second] = network.urls
  const services = [`${first},${second}`, `${second},${first}`].map(
    urls => new SoakService({ ...settings, LIGHTWALLETD_URL: urls }, time),
  )
  for (const service of services) {
    stack.defer(() => service.kill())
    await service.start(0)
  }
  const database = new pg.Client(databaseUrl)
  await database.connect()
  stack.defer(() => database.end())
  const ending = new AbortController()
  stack.defer(() => ending.abort())
  return {
    network,
    ledger,
    services,
    time,
    signal: ending.signal,
    shop: new Shop({ services, network, time, apiKey, signal: ending.signal }),
    random: purpose => new SeededRandom(seed, purpose),
    events: () => countEvents(database),
  }
}

/** Runs everything concurrently, until all invoices are created and paid and all kills and reorganisations are done. */
async function runScenario({ network, services, shop, time, signal, random }: Run): Promise<void> {
  const done = new AbortController()
  const stop = AbortSignal.any([signal, done.signal])
  const lengthMs = Math.max(KILLS, 6) * REAL.perKill * time.factor
  const lengths = { calmMs: REAL.calm * time.factor, stormMs: REAL.storm * time.factor }
  const background = Promise.all([
    network.mineRegularly(random('blocks'), stop),
    network.storms(random('storms'), lengths, stop),
    shop.watch(stop),
  ])
  const reorganise = async () => {
    const reorgRandom = random('reorganisations')
    for (let i = 0; i < REORGANISATIONS && !signal.aborted; i++) {
      await time.sleep(lengthMs / REORGANISATIONS / 2, signal)
      await Promise.all([network.reorganise(reorgRandom, signal), time.sleep(lengthMs / REORGANISATIONS / 2, signal)])
    }
  }
  const scenario = Promise.all([
    shop.sell(INVOICES, lengthMs * 0.8, random('sales')).then(() => shop.bought()),
    killRepeatedly(services, KILLS, random('kills'), { time, signal }),
    reorganise(),
  ])
  await Promise.race([scenario, background])
  done.abort()
  await background
}

/** Removes all faults, restarts the services with correct clocks and mines all transactions. */
async function settleDown({ network, services }: Run): Promise<void> {
  await network.calm()
  for (const service of services) {
    await service.kill()
    await service.start(0)
  }
  network.settle()
}

/** The differences from the ledger once the state no longer changes, or at the deadline. */
async function problemsUntilSettled(run: Run): Promise<string[]> {
  const { network, time, signal } = run
  const mining = new AbortController()
  const blocks = network.mineEmpty(AbortSignal.any([signal, mining.signal]))
  const deadline = performance.now() + SETTLE_MS / time.factor + REAL.settleSlack
  let previous = ''
  for (;;) {
    const { problems, state } = await compare(run)
    const isSettled = problems.length === 0 && state === previous
    if (isSettled || signal.aborted || performance.now() > deadline) {
      mining.abort()
      await blocks
      return problems
    }
    previous = state
    await time.sleep(REAL.pollEvery * time.factor, signal)
  }
}

async function compare({ shop, ledger, time, events }: Run): Promise<{ problems: string[]; state: string }> {
  const invoices = []
  for (const [index, id] of shop.ids.entries()) invoices.push(await shop.read(id, index))
  const counted = await events()
  const problems = invoices.flatMap(invoice =>
    finalProblems(invoice, ledger.expectation(invoice.id, time.nowMs()), counted.get(invoice.id) ?? {}).map(
      problem => `${shortName(invoice.id)} ${problem}`,
    ),
  )
  return { problems, state: JSON.stringify([invoices, [...counted]]) }
}

/** The times at which a service ran without interruption and all servers were free of faults. */
function clearSpans(services: readonly SoakService[], network: SoakNetwork): Span[] {
  const healthy = network.healthySpans()
  return services.flatMap(({ aliveSpans }) => intersection(aliveSpans, healthy))
}

function shortName(id: string): string {
  return `invoice ${id.slice(0, 8)}`
}

function settingsFor(network: SoakNetwork, databaseUrl: string, dataDir: string): Settings {
  return {
    NETWORK: network.chain.network,
    LIGHTWALLETD_URL: network.urls.join(),
    DATABASE_URL: databaseUrl,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'soak@example.com',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: process.env.ZATGATE_TEST_LOG_LEVEL ?? 'silent',
  }
}

async function openAccount(settings: Settings, network: SoakNetwork): Promise<string> {
  const service = await startService(loadConfig({ ...settings, ROLES: 'api' }))
  try {
    await service.accounts.findOrCreate('soak@example.com')
    const account = await service.accounts.setPlan('soak@example.com', 'Business', null)
    const { account: ready } = await service.viewingKeys.set(account, network.viewingKey)
    return (await service.apiKeys.create(ready, 'soak')).key
  } finally {
    await service.close()
  }
}

async function countEvents(database: pg.Client): Promise<Map<string, EventCounts>> {
  const { rows } = await database.query<{ id: string; types: EventCounts }>(
    `SELECT id, json_object_agg(type, count) AS types FROM (
       SELECT invoices.public_id AS id, type, count(*)::int AS count
       FROM events JOIN invoices ON invoices.id = events.invoice_id WHERE ${IS_WEBHOOK_EVENT} GROUP BY 1, 2
     ) AS counted GROUP BY id ORDER BY id`,
  )
  return new Map(rows.map(({ id, types }) => [id, types]))
}
