import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, type SandboxOptions, startSandbox } from '@zatgate/sandbox/sandbox'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { type Service, startService } from '../../src/main.ts'
import type { Clock } from '../../src/ports/clock.ts'

export interface TestServiceOptions {
  /** Default: a SQLite file of its own. */
  readonly databaseUrl?: string
  readonly clock?: Clock
  /** Settings beside those that join it to the sandbox. */
  readonly env?: Env
  /** Another service's, to be a second process on one chain; it is not closed with this one. */
  readonly sandbox?: Sandbox
  readonly sandboxOptions?: SandboxOptions
}

/** The whole service in this process, on a simulated network of its own, with one account ready to sell. */
export interface TestService {
  readonly url: string
  readonly service: Service
  readonly sandbox: Sandbox
  readonly email: string
  readonly apiKey: string
  readonly sessionToken: string
  /** The settings it runs with, for commands beside it. */
  readonly env: Env
  close(): Promise<void>
}

/** One key for all, so that services can share a database. */
const ENCRYPTION_KEY = randomBytes(32).toString('base64')
const EMAIL = 'merchant@example.org'

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  await using stack = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-service-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const sandbox = options.sandbox ?? stack.adopt(await startSandbox(options.sandboxOptions), it => it.close())
  const env: Env = {
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY,
    ...joined(sandbox),
    ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
    ...options.env,
  }
  const config = loadConfig(env)
  const { clock } = options
  const logger = createLogger(config.logLevel)
  const service = stack.adopt(await startService(config, { logger, ...(clock && { clock }) }), it => it.close())
  const { accounts, credentials, viewingKeys } = service
  await accounts.findOrCreate(EMAIL)
  const account = await accounts.setPlan(EMAIL, 'Business', null)
  await viewingKeys.set(account, sandbox.demoViewingKey)
  const { key } = await credentials.createApiKey(account, 'test')
  const { token } = await credentials.createSession(account, 'test')

  const running = stack.move()
  return {
    url: service.url,
    service,
    sandbox,
    email: EMAIL,
    apiKey: key,
    sessionToken: token,
    env,
    close: () => running.disposeAsync(),
  }
}

/** The settings that join a service to the sandbox. */
export function joined(sandbox: Sandbox): Env {
  const { network, nu63Height, nu7Height } = sandbox.chain
  return {
    NETWORK: network,
    ...(network === 'regtest' && {
      REGTEST_NU63_HEIGHT: String(nu63Height),
      REGTEST_NU7_HEIGHT: String(nu7Height ?? ''),
    }),
    LIGHTWALLETD_URL: sandbox.lightwalletdUrl,
    SWAP_API_URL: sandbox.swapApiUrl,
    SWAP_SIGNING_KEY: sandbox.swapSigningKey,
    SMTP_URL: sandbox.smtpUrl,
    MAIL_FROM: 'test <test@example.org>',
    BILLING_VIEWING_KEY: sandbox.operatorViewingKey,
    RATES_URL: sandbox.ratesUrl,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
}
