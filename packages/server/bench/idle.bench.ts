import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { systemClock } from '../src/adapters/system/clock.ts'
import { systemRandom } from '../src/adapters/system/random.ts'
import { createApiKeys } from '../src/services/account/api-key.ts'
import { openStore } from '../src/store/open.ts'
import { joined } from '../test/harness/service.ts'
import { load, requestText } from './load.ts'
import { count, printLine } from './report.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'
import { addShops } from './shops.ts'

interface Case {
  readonly accounts: number
  readonly invoicesEach: number
  readonly goalMb: number
}

const CASES: readonly Case[] = [
  { accounts: 1, invoicesEach: 100, goalMb: 130 },
  { accounts: 10_000, invoicesEach: 10, goalMb: 250 },
]
/** Until the threads of the note scanner have ended and the memory of the start is released. */
const SETTLE_MS = 45_000
const IDLE_MS = 30_000
const BURST = 5_000
const BURST_SECONDS = 60
const CONNECTIONS = 64
const GOALS = { cpuPercent: 0.5, firstMs: 300, p99Ms: 150 }

/** A service at rest, where every account has a viewing key in use, and the first requests after its start. */
async function run({ accounts, invoicesEach, goalMb }: Case): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sandbox = stack.adopt(await startSandbox({ foreignPerBlock: 1 }), it => it.close())
  const key = randomBytes(32)
  const databaseUrl = `sqlite:${join(folder, 'zatgate.db')}`
  await addShops(databaseUrl, key, { shops: accounts, invoicesEach })
  const apiKey = await createApiKey(databaseUrl)
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: key.toString('base64'),
    ...joined(sandbox),
  }
  const contents = `${count(accounts)} ${accounts === 1 ? 'account' : 'accounts'} and ${count(accounts * invoicesEach)} open invoices, SQLite`

  async function scanBlock(): Promise<void> {
    const store = await openStore(databaseUrl)
    const height = async () => (await store.read(tx => tx.chain.tip()))?.height ?? 0
    while ((await height()) === 0) await sleep(100)
    const before = await height()
    sandbox.chain.mine()
    while ((await height()) === before) await sleep(100)
    await store.close()
  }

  async function printRest(service: ServiceProcess, when: string): Promise<void> {
    await sleep(SETTLE_MS)
    const before = await service.usage()
    await sleep(IDLE_MS)
    const after = await service.usage()
    const percent = ((after.cpuMs - before.cpuMs) / IDLE_MS) * 100
    printLine(
      `at rest ${when}, ${contents}: ${after.rssMb} MB resident (goal < ${goalMb}), ${after.heapMb} MB of it the main thread's heap, ` +
        `${percent.toFixed(2)} % of a core (goal < ${GOALS.cpuPercent})`,
    )
  }

  const idle = await startServiceProcess(env)
  await scanBlock()
  await printRest(idle, 'after a block')
  await idle.stop()

  const busy = await startServiceProcess(env)
  const creates = {
    url: busy.url,
    requests: [
      requestText(
        busy.url,
        'POST',
        '/v1/invoices',
        { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        '{"amount_zat":150000000}',
      ),
    ],
    seconds: BURST_SECONDS,
  }
  const first = await load({ ...creates, connections: 1, maxRequests: 1 })
  const burst = await load({ ...creates, connections: CONNECTIONS, maxRequests: BURST })
  printLine(
    `first request, ${contents}: ${first.p50Ms.toFixed(1)} ms (goal < ${GOALS.firstMs}); the next ${count(BURST)} creates: ` +
      `p50 ${burst.p50Ms.toFixed(1)} ms, p99 ${burst.p99Ms.toFixed(1)} ms (goal < ${GOALS.p99Ms}), ${first.failed + burst.failed} failed`,
  )
  await scanBlock()
  await printRest(busy, `after ${count(BURST)} creates and a block`)
  await busy.stop()
}

/** An API key of the first shop. */
async function createApiKey(databaseUrl: string): Promise<string> {
  const store = await openStore(databaseUrl)
  const account = await store.read(tx => tx.accounts.byEmail('shop0@example.org'))
  const onError = (error: unknown) => {
    throw error
  }
  const { key } = await createApiKeys({ store, clock: systemClock, random: systemRandom, onError }).create(
    account!,
    'bench',
  )
  await store.close()
  return key
}

for (const measured of CASES) await run(measured)
