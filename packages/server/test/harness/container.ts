import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { type Config, type Env, loadConfig } from '../../src/config/settings.ts'
import { type Container, openContainer } from '../../src/container.ts'
import { DEFAULT_PLANS } from '../../src/domain/account/plan.ts'
import type { Overrides } from '../../src/infrastructure.ts'
import { type Clock, nowSecs } from '../../src/ports/clock.ts'
import { NO_METRICS } from '../../src/ports/metrics.ts'
import type { ReportedRates } from '../../src/ports/rate.ts'
import { silentLog } from './log.ts'
import { ManualClock } from './manual-clock.ts'
import { createPlainNoteScanner } from './plain-note-scanner.ts'
import { createSqliteFile } from './sqlite-template.ts'

/** The context of a test, or anything else that runs work at its end. */
export interface TestScope {
  after(work: () => Promise<void>): void
}

/** Adapters that replace those of the tests, which replace the configured ones. */
export interface TestContainerOptions extends Overrides {
  /** Default: an empty SQLite file, removed after the test. The database of another container: a second process. */
  readonly databaseUrl?: string
  /** Settings that replace those of `testEnv`. */
  readonly env?: Env
  /** Settings in the form of the configuration, such as plans. */
  readonly config?: Partial<Config>
}

/** The key that seals the secrets of the tests' databases. */
const ENCRYPTION_KEY = Buffer.alloc(32, 1)

/** Settings of a service on regtest without external services: nothing listens at their addresses. */
export const testEnv: Env = {
  NETWORK: 'regtest',
  LIGHTWALLETD_URL: 'http://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'zatgate <no-reply@example.org>',
  ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
  CONFIRMATIONS: '3',
  WITHDRAWAL_CURRENCIES: 'USD,EUR,JPY',
  WITHDRAWAL_SPREAD_BPS: '100',
  WITHDRAWAL_EXPIRES_SECS: '900',
  PORT: '0',
  RATE_LIMIT: '0',
  MAX_WEBSOCKETS: '1000',
  LOG_LEVEL: 'silent',
}

/**
 * Opens the container of a process. Default adapters: a manual clock, a silent log, no metrics, exchange rates of 100, and
 * a note scanner without threads. The container is closed after the test.
 */
export async function openTestContainer(test: TestScope, options: TestContainerOptions = {}): Promise<Container> {
  const { databaseUrl, env, config, ...overrides } = options
  const stack = stackOf(test)
  const dataDir = overrides.store ? tmpdir() : temporaryFolder(stack)
  const settings = loadConfig({ ...testEnv, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env })
  if (!overrides.store && databaseUrl === undefined) await createSqliteFile(join(dataDir, 'zatgate.db'))
  const { clock = new ManualClock(), log = silentLog } = overrides
  const adapters = {
    registry: new Registry(),
    metrics: NO_METRICS,
    noteScanner: createPlainNoteScanner(),
    rates: fixedRates(clock),
    ...overrides,
    clock,
    log,
  }
  const plans = config?.billingViewingKey ? DEFAULT_PLANS : settings.plans
  return openContainer({ ...settings, plans, ...config }, adapters, stack)
}

/** A scope that ends when the stack is disposed of. Work runs in reverse order. */
export function scopeOf(stack: AsyncDisposableStack): TestScope {
  return { after: work => stack.defer(work) }
}

/** A stack that is disposed of after the test. */
export function stackOf(test: TestScope): AsyncDisposableStack {
  const stack = new AsyncDisposableStack()
  test.after(() => stack.disposeAsync())
  return stack
}

/** Creates a folder. @param stack removes it */
export function temporaryFolder(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-test-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The same price in each currency, always of now. */
export function fixedRates(clock: Clock, price = '100'): ReportedRates {
  return {
    rate: async currency => ({ currency, price, fetchedAt: nowSecs(clock), sources: ['coinbase', 'kraken'] }),
    report: () => [],
  }
}
