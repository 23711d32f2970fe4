import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { releaseMemoryAtRest } from '../../adapters/system/memory-at-rest.ts'
import { startService } from '../../main.ts'
import type { Context } from '../context.ts'
import { withMigrations } from '../migration.ts'
import type { StartSandbox } from '../sandbox.ts'
import { onStopSignal } from '../stop-signal.ts'

/** A shutdown that takes longer is aborted. `main.ts` sets shorter timeouts for its parts. */
const SHUTDOWN_TIMEOUT_MS = 25_000

export async function start({ env, out, config, startSandbox }: Context): Promise<void> {
  const settings = config({ needsMail: true })
  const logger = createLogger(settings.logLevel, { format: settings.logFormat })
  for (const warning of settings.warnings) logger.warn({}, warning)
  const stopSignal = new Promise<string>(resolve => onStopSignal(resolve))
  const running = await withMigrations(
    line => logger.info({}, line),
    migration =>
      settings.sandbox
        ? requireSandbox(startSandbox)({ config: settings, env, logger, json: out.json, migration })
        : startService(settings, {
            logger,
            migration,
            onWait: reason => logger.warn({}, `waiting for the database: ${reason}`),
          }),
  )
  if (!settings.sandbox)
    out.result({ url: running.url }, [
      running.url ? `zatgate listens at ${running.url}` : `zatgate runs the roles: ${settings.roles.join(', ')}`,
    ])
  const memory = releaseMemoryAtRest({ clock: systemClock })
  logger.info({ reason: await stopSignal }, 'stopping')
  memory.stop()
  const shutdownTimer = setTimeout(() => {
    logger.error({}, 'shutdown timed out')
    process.exit(1)
  }, SHUTDOWN_TIMEOUT_MS)
  await running.close()
  clearTimeout(shutdownTimer)
  logger.info({}, 'stopped')
}

function requireSandbox(startSandbox: StartSandbox | undefined): StartSandbox {
  if (startSandbox) return startSandbox
  throw new Error('NETWORK and LIGHTWALLETD_URL are not set, and the sandbox is not installed')
}
