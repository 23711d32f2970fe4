import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Running, StartSandbox } from '@zatgate/server/cli/commands/start'
import { type Config, type Env, loadConfig, sandboxKeyFile } from '@zatgate/server/config/settings'
import { startService } from '@zatgate/server/main'
import type { Playground } from '@zatgate/server/web/site'
import { bannerOf } from './banner.ts'
import { seedDemo } from './demo.ts'
import { choosePorts } from './ports.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

/** Where the simulated network and the service meet: `npm start` with nothing set. */
export const start: StartSandbox = async ({ config, env, logger, json }): Promise<Running> => {
  await using stack = new AsyncDisposableStack()
  mkdirSync(config.dataDir, { recursive: true })
  const { nu63Height, nu7Height } = config.regtest
  const { autoMineSecs, dataDir } = config
  const sandbox = stack.adopt(
    await startSandbox({
      dataDir,
      autoMineSecs,
      ports: await choosePorts(config.sandboxPort),
      ...(nu63Height > 0 && { nu63Height }),
      ...(nu7Height !== null && { nu7Height }),
    }),
    it => it.close(),
  )
  // A chain that was kept has the heights that it began with, whatever is set now.
  const kept = {
    REGTEST_NU63_HEIGHT: String(sandbox.chain.nu63Height),
    REGTEST_NU7_HEIGHT: String(sandbox.chain.nu7Height ?? ''),
    SANDBOX_NU63_HEIGHT: '',
  }
  const settings = loadConfig({ ...neighbours(sandbox), ...encryptionKey(config), ...set(env), ...kept })
  const service = stack.adopt(await startService(settings, { logger, playground: playgroundOf(sandbox) }), it =>
    it.close(),
  )
  const demo = await seedDemo(service, sandbox, settings)
  process.stdout.write(json ? `${JSON.stringify(demo)}\n` : bannerOf(demo, settings))

  const running = stack.move()
  return { url: service.url, close: () => running.disposeAsync() }
}

/** The settings that a real service gets from its operator. */
function neighbours(sandbox: Sandbox): Env {
  return {
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: sandbox.lightwalletdUrl,
    SWAP_API_URL: sandbox.swapApiUrl,
    SWAP_SIGNING_KEY: sandbox.swapSigningKey,
    SMTP_URL: sandbox.smtpUrl,
    MAIL_FROM: 'zatgate sandbox <no-reply@zatgate.example>',
    BILLING_VIEWING_KEY: sandbox.operatorViewingKey,
    RATES_URL: sandbox.ratesUrl,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
  }
}

/** What the dashboard offers for trying. */
export function playgroundOf(sandbox: Sandbox): Playground {
  return {
    mailboxUrl: `${sandbox.controlUrl}/mail`,
    viewingKey: sandbox.demoViewingKey,
    async pay(uri) {
      sandbox.wallet.pay({ uri })
    },
  }
}

/** Made at the first start and kept: what it sealed must open at the next. */
function encryptionKey({ encryptionKeys, dataDir }: Config): Env {
  const [kept] = encryptionKeys
  const key = Buffer.from(kept ?? randomBytes(32)).toString('base64')
  if (kept === undefined) writeFileSync(sandboxKeyFile(dataDir), `${key}\n`, { mode: 0o600, flag: 'wx' })
  return { ENCRYPTION_KEY: key }
}

/** An empty value counts as unset, so it must not hide the sandbox's. */
function set(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
}
