/** The target of every attack: a service with a shop on it, and the harm that an attack does to an honest client. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { count, printLine } from '../bench/report.ts'
import { startServiceProcess } from '../bench/service-process.ts'
import { type Env, loadConfig } from '../src/config/settings.ts'
import type { Account } from '../src/domain/account/account.ts'
import { type Service, startService } from '../src/main.ts'
import type { ViewingKeys } from '../src/services/account/viewing-key.ts'
import { testViewingKey } from '../test/harness/viewing-key.ts'
import { type Reads, startReader } from './reader.ts'

/** A service in a separate process with default limits and a fresh SQLite database. It has one account. */
export interface Target {
  readonly url: string
  readonly apiKey: string
  readonly sessionToken: string
  /** A pending invoice. */
  readonly invoiceId: string
  /** Runs an attack while a client of another address reads the invoice 50 times a second. */
  harmOf(attack: () => Promise<void>): Promise<Harm>
}

export interface Harm {
  /** Without the attack, just before it. */
  readonly readsBefore: Reads
  readonly reads: Reads
  /** How much the resident memory of the service grew at most. */
  readonly memoryMb: number
}

/** A shop with one invoice, before its service starts. */
export interface FilledShop {
  readonly account: Account
  readonly viewingKeys: ViewingKeys
  /** To add other accounts. */
  readonly service: Service
  /** The SQLite file. */
  readonly databaseFile: string
}

const BASELINE_MS = 2_000
const SAMPLE_MS = 200

/** The header that gives a request its client address: the service trusts one proxy, and connects to this machine only. */
export const fromClient = (address: string) => ({ 'x-forwarded-for': address })

/**
 * Runs `work` on a new service. Its log is dropped.
 * @param env settings beside the defaults
 * @param fill adds rows to the shop before the service starts
 */
export async function withTarget(
  work: (target: Target) => Promise<void>,
  env: Env = {},
  fill: (shop: FilledShop) => void | Promise<void> = () => {},
): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-attack-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const settings: Env = {
    DATA_DIR: folder,
    PORT: '0',
    ROLES: 'api',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'silent',
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: 'http://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'attack@example.org',
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    ...env,
  }
  const shop = await openShop({ ...settings, LOG_LEVEL: 'silent' }, fill)
  const service = await startServiceProcess(settings, null)
  stack.defer(() => service.stop())
  const read = { url: `${service.url}/v1/invoices/${shop.invoiceId}`, headers: fromClient('192.0.2.200') }

  async function harmOf(attack: () => Promise<void>): Promise<Harm> {
    using reader = startReader(read)
    await sleep(BASELINE_MS)
    const readsBefore = await reader.reads()
    const { rssMb: before } = await service.usage()
    let highest = before
    const done = attack().then(() => true)
    done.catch(() => {}) // rejects below
    for (let finished = false; !finished; ) {
      finished = await Promise.race([done, sleep(SAMPLE_MS, false)])
      highest = Math.max(highest, (await service.usage()).rssMb)
    }
    return { readsBefore, reads: await reader.reads(), memoryMb: highest - before }
  }

  await work({ url: service.url, ...shop, harmOf })
}

async function openShop(
  settings: Env,
  fill: (shop: FilledShop) => void | Promise<void>,
): Promise<Pick<Target, 'apiKey' | 'sessionToken' | 'invoiceId'>> {
  const service = await startService(loadConfig(settings))
  const { accounts, apiKeys, invoices, sessions, viewingKeys } = service
  const email = 'shop@example.org'
  await accounts.findOrCreate(email)
  const { account } = await viewingKeys.set(await accounts.setPlan(email, 'Business', null), testViewingKey(1))
  const { key: apiKey } = await apiKeys.create(account, 'attack')
  const { token: sessionToken } = await sessions.create(account, 'attack')
  const order = { amountZat: 150_000_000n, expiresInSecs: 86_400, idempotencyKey: undefined }
  const { publicId: invoiceId } = await invoices.create(account, order)
  await fill({ account, viewingKeys, service, databaseFile: join(String(settings.DATA_DIR), 'zatgate.db') })
  await service.close()
  return { apiKey, sessionToken, invoiceId }
}

/** Prints the response times of the honest client. */
export function printReads({ readsBefore, reads }: Harm, goalMs: number): void {
  const { failed, count: total } = reads
  const alone = `p99 ${readsBefore.p99Ms.toFixed(1)} ms without the attack`
  const failures = failed > 0 ? `, ${count(failed)} of ${count(total)} FAILED` : ''
  printFigure(`an honest client's reads meanwhile, p99 (${alone}${failures})`, reads.p99Ms, { below: goalMs }, 'ms')
}

/** Prints one line: the figure and its goal. */
export function printFigure(what: string, value: number, goal: { below: number } | { from: number }, unit = ''): void {
  const met = 'below' in goal ? value < goal.below : value >= goal.from
  const aim = 'below' in goal ? `< ${count(goal.below)}` : `>= ${count(goal.from)}`
  const text = [value < 100 ? String(Number(value.toFixed(1))) : count(value), unit].join(' ').trim()
  printLine(`${what}: ${text} (goal ${aim}, ${met ? 'met' : 'MISSED'})`)
}
