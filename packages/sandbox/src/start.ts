import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWritableDataDir } from '@zatgate/server/adapters/system/data-dir'
import type { RunningService, StartSandbox } from '@zatgate/server/cli/sandbox'
import { type Config, type Env, loadConfig, sandboxKeyFile } from '@zatgate/server/config/settings'
import { startService } from '@zatgate/server/main'
import { thisProcess } from '@zatgate/server/store/process'
import { takeProcessLock } from '@zatgate/server/store/sqlite/process-lock'
import type { SandboxTools } from '@zatgate/server/web/context'
import { formatBanner } from './banner.ts'
import { seedDemo } from './demo.ts'
import { choosePorts } from './ports.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts'

const IN_USE = 'stop it, or set DATA_DIR to another folder'

/** Starts the sandbox and the service on top of it: `npm start` without settings. */
export const start: StartSandbox = async ({ config, env, logger, json, migration }): Promise<RunningService> => {
  await using stack = new AsyncDisposableStack()
  const closing = <T extends RunningPart>(part: T): T => stack.adopt(part, it => it.close())

  createWritableDataDir(config.dataDir)
  const lock = takeProcessLock(join(config.dataDir, 'sandbox'), thisProcess([]), IN_USE)
  stack.defer(() => lock.release())
  const sandbox = closing(await startSandbox(await sandboxOptions(config)))
  const settings = loadConfig({
    ...withoutFiles({ ...sandboxSettings(sandbox), ...encryptionKey(config) }, env),
    ...nonEmpty(env),
    ...activationHeights(sandbox),
  })
  const service = closing(
    await startService(settings, { logger, migration, sandboxTools: createSandboxTools(sandbox) }),
  )
  const demo = await seedDemo(service, sandbox, settings)
  process.stdout.write(json ? `${JSON.stringify(demo)}\n` : formatBanner(demo, settings))

  const running = stack.move()
  return { url: service.url, close: () => running.disposeAsync() }
}

interface RunningPart {
  close(): Promise<void>
}

async function sandboxOptions({ dataDir, autoMineSecs, sandboxPort, regtest }: Config): Promise<SandboxOptions> {
  const { nu63Height, nu7Height } = regtest
  return {
    dataDir,
    autoMineSecs,
    ports: await choosePorts(sandboxPort),
    ...(nu63Height > 0 && { nu63Height }),
    ...(nu7Height !== null && { nu7Height }),
  }
}

/** The activation heights of the chain: an existing chain keeps its own, regardless of the settings. */
function activationHeights({ chain }: Sandbox): Env {
  return {
    REGTEST_NU63_HEIGHT: String(chain.nu63Height),
    REGTEST_NU7_HEIGHT: String(chain.nu7Height ?? ''),
    SANDBOX_NU63_HEIGHT: '',
  }
}

/** The settings that point the service at the sandbox; a real service gets them from its operator. */
export function sandboxSettings(sandbox: Sandbox): Env {
  return {
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: sandbox.lightwalletdUrl,
    SWAP_API_URL: sandbox.swapApiUrl,
    SWAP_SIGNING_KEY: sandbox.swapSigningKey,
    SMTP_URL: sandbox.smtpUrl,
    MAIL_FROM: 'zatgate sandbox <no-reply@zatgate.example>',
    BILLING_VIEWING_KEY: sandbox.operatorViewingKey,
    RATES_SOURCES: sandbox.rates.setting,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
  }
}

/** The sandbox actions of the dashboard. */
export function createSandboxTools(sandbox: Sandbox): SandboxTools {
  return {
    mailboxUrl: `${sandbox.controlUrl}/mail`,
    viewingKey: sandbox.demoViewingKey,
    async pay(uri) {
      sandbox.wallet.pay({ uri })
    },
  }
}

/** The encryption key of the sandbox, created at the first start and stored in the data directory. */
function encryptionKey({ encryptionKeys, dataDir }: Config): Env {
  const [existing] = encryptionKeys
  const key = Buffer.from(existing ?? randomBytes(32)).toString('base64')
  if (existing === undefined) writeFileSync(sandboxKeyFile(dataDir), `${key}\n`, { mode: 0o600, flag: 'wx' })
  return { ENCRYPTION_KEY: key }
}

/** Drops the values of the sandbox that the operator gives as files. */
function withoutFiles(values: Env, env: Env): Env {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !env[`${name}_FILE`]?.trim()))
}

/** Drops empty values, which count as unset, so that they do not override the settings of the sandbox. */
function nonEmpty(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
}
