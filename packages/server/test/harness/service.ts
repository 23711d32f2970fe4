import { join } from 'node:path'
import { type Sandbox, type SandboxOptions, startSandbox } from '@zatgate/sandbox/sandbox'
import { createSandboxTools } from '@zatgate/sandbox/start'
import type { Logger } from '../../src/adapters/system/logger.ts'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { type Service, startService } from '../../src/main.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { temporaryFolder, testEnv } from './container.ts'
import { canaryLogger } from './log.ts'
import { fastClock } from './skewed-clock.ts'
import { createSqliteFile } from './sqlite-template.ts'
import { until } from './until.ts'

export interface TestServiceOptions {
  /** Default: a new SQLite file. */
  readonly databaseUrl?: string
  /** The clock of the service and its sandbox. Default: a fast one. */
  readonly clock?: Clock
  /** Default: one at level debug whose lines must contain no secret, which is checked at the end. */
  readonly logger?: Logger
  /** Settings beside those that join it to the sandbox. */
  readonly env?: Env
  /** The sandbox of another service, for a second process on its chain. It is not closed with this service. */
  readonly sandbox?: Sandbox
  readonly sandboxOptions?: SandboxOptions
}

/** The whole service in this process on a simulated network, with an empty database. */
export interface SandboxService {
  readonly url: string
  readonly service: Service
  readonly sandbox: Sandbox
  /** The settings it runs with, for commands beside it. */
  readonly env: Env
  /** Values that no line of the log may contain, by name. */
  readonly secrets: Map<string, string>
  /** The code of the newest email to an address, once there are at least `count` of them. */
  codeFor(email: string, count?: number): Promise<string>
  close(): Promise<void>
}

/** An account that can sell. */
interface Seller {
  readonly email: string
  readonly apiKey: string
  readonly sessionToken: string
}

/** A service with one account that can sell. */
export type TestService = SandboxService & Seller

const EMAIL = 'merchant@example.org'

/** Starts the service without an account. */
export async function startSandboxService(options: TestServiceOptions = {}): Promise<SandboxService> {
  await using stack = new AsyncDisposableStack()
  const dataDir = temporaryFolder(stack)
  const clock = options.clock ?? options.sandbox?.chain.clock ?? fastClock()
  const sandbox =
    options.sandbox ?? stack.adopt(await startSandbox({ clock, ...options.sandboxOptions }), it => it.close())
  const env: Env = {
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: testEnv.ENCRYPTION_KEY,
    ...joined(sandbox),
    ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
    ...options.env,
  }
  if (env.DATABASE_URL === undefined) await createSqliteFile(join(dataDir, 'zatgate.db'))
  const config = loadConfig(env)
  const canary = canaryLogger()
  const { logger = canary.logger } = options
  const secrets = new Map([
    ['viewing key', sandbox.demoViewingKey],
    ["operator's viewing key", sandbox.operatorViewingKey],
  ])
  for (const name of ['ENCRYPTION_KEY', 'METRICS_TOKEN', 'SWAP_API_KEY']) if (env[name]) secrets.set(name, env[name])
  const sandboxTools = createSandboxTools(sandbox)
  const service = await startService(config, { logger, sandboxTools, clock })
  stack.adopt(service, it => it.close())
  const running = stack.move()
  return {
    url: service.url,
    service,
    sandbox,
    env,
    secrets,
    async codeFor(email, count = 1) {
      const codes = () => sandbox.mailbox.mails(email).flatMap(({ code }) => (code === undefined ? [] : [code]))
      await until(`mail ${count} to ${email}`, () => codes().length >= count)
      return codes()[0] as string
    },
    async close() {
      await running.disposeAsync()
      if (logger === canary.logger) canary.assertNoSecret(secrets)
    },
  }
}

/** Starts the service with an account. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const started = await startSandboxService(options)
  return { ...started, ...(await openSeller(started, EMAIL)) }
}

/** Opens an account with the viewing key of the sandbox. */
export async function openSeller({ service, sandbox, secrets }: SandboxService, email: string): Promise<Seller> {
  const { accounts, apiKeys, sessions, viewingKeys } = service
  await accounts.findOrCreate(email)
  const account = await accounts.setPlan(email, 'Business', null)
  await viewingKeys.set(account, sandbox.demoViewingKey)
  const { key } = await apiKeys.create(account, 'test')
  const { token } = await sessions.create(account, 'test')
  secrets.set(`API key of ${email}`, key).set(`session token of ${email}`, token)
  return { email, apiKey: key, sessionToken: token }
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
    RATES_SOURCES: sandbox.rates.setting,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
}
