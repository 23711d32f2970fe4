import { createLogger, type Logger } from '../../adapters/system/logger.ts'
import type { Config, Env } from '../../config/settings.ts'
import { startService } from '../../main.ts'
import { type Command, readArguments } from '../command.ts'
import { onParentGone } from '../parent-process.ts'

/** Something that runs until it is closed. */
export interface Running {
  readonly url: string
  close(): Promise<void>
}

/** Starts the simulated network and the service on it, and shows the banner. */
export type StartSandbox = (options: {
  readonly config: Config
  readonly env: Env
  readonly logger: Logger
  readonly json: boolean
}) => Promise<Running>

/** A close that takes longer is broken off; `main.ts` bounds its parts well below. */
const CLOSE_MS = 25_000

export const start: Command = {
  name: 'start',
  usage: 'start',
  summary: 'runs the service; on a simulated network where no real one is set',
  async run(args, { env, out, config, startSandbox }) {
    readArguments(args, [], 0)
    const settings = config()
    const logger = createLogger(settings.logLevel)
    for (const warning of settings.warnings) logger.warn({}, warning)
    const stop = stopRequested()
    const running = settings.sandbox
      ? await needSandbox(startSandbox)({ config: settings, env, logger, json: out.json })
      : await startService(settings, { logger })
    if (!settings.sandbox)
      out.result({ url: running.url }, [
        running.url ? `zatgate answers at ${running.url}` : `zatgate runs: ${settings.roles.join(', ')}`,
      ])
    logger.info({ reason: await stop }, 'stopping')
    const late = setTimeout(() => {
      logger.error({}, 'did not stop in time')
      process.exit(1)
    }, CLOSE_MS)
    await running.close()
    clearTimeout(late)
    logger.info({}, 'stopped')
    return 0
  },
}

/** Ctrl-C reaches us from the terminal and from the launcher: what comes this soon after the first is its echo. */
const ECHO_MS = 1_000

/** Resolves at the first signal to stop, or when the launcher is gone; a later signal ends the process at once. */
function stopRequested(): Promise<string> {
  return new Promise(resolve => {
    let askedAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        const now = performance.now()
        if (askedAt !== undefined && now - askedAt > ECHO_MS) process.exit(1)
        askedAt ??= now
        resolve(signal)
      })
    }
    onParentGone(() => resolve('the launcher is gone'))
  })
}

function needSandbox(startSandbox: StartSandbox | undefined): StartSandbox {
  if (startSandbox) return startSandbox
  throw new Error('NETWORK and LIGHTWALLETD_URL are not set, and the sandbox is not part of this command')
}
