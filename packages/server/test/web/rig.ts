import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, type SandboxOptions, startSandbox } from '@zatgate/sandbox/sandbox'
import { createSandboxTools } from '@zatgate/sandbox/start'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { type Service, startService } from '../../src/main.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { joined } from '../harness/service.ts'
import { until } from '../harness/until.ts'

/** The service on a simulated network with an empty database. */
export interface WebHarness {
  readonly url: string
  readonly service: Service
  readonly sandbox: Sandbox
  /** The code of the newest email to an address, once there are at least `count` of them. */
  codeFor(email: string, count?: number): Promise<string>
  close(): Promise<void>
}

export interface WebHarnessOptions {
  readonly clock?: Clock
  readonly env?: Env
  readonly sandboxOptions?: SandboxOptions
}

export async function startWebHarness(options: WebHarnessOptions = {}): Promise<WebHarness> {
  await using stack = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-web-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const sandbox = stack.adopt(await startSandbox(options.sandboxOptions), it => it.close())
  const config = loadConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...joined(sandbox),
    ...options.env,
  })
  const { clock } = options
  const logger = createLogger(config.logLevel)
  const sandboxTools = createSandboxTools(sandbox)
  const service = stack.adopt(await startService(config, { logger, sandboxTools, ...(clock && { clock }) }), it =>
    it.close(),
  )
  const running = stack.move()
  return {
    url: service.url,
    service,
    sandbox,
    async codeFor(email, count = 1) {
      const codes = () => sandbox.mailbox.mails(email).flatMap(({ code }) => (code === undefined ? [] : [code]))
      await until(`mail ${count} to ${email}`, () => codes().length >= count)
      return codes()[0] as string
    },
    close: () => running.disposeAsync(),
  }
}
