import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type GuardedProcess, spawnGuarded, withTimeout } from '../../../sandbox/test/recorded/guarded-process.ts'

/** The program of the command line. */
export const COMMAND = join(import.meta.dirname, '../../../../bin/main.ts')

export type Settings = Readonly<Record<string, string>>

/** The service in its own process. */
export interface ServiceProcess {
  readonly url: string
  /** Sends SIGKILL: the service cannot finish anything. */
  kill(): Promise<void>
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
}

export interface StartOptions {
  /** The program of the command line. Default: that of this checkout. */
  readonly command?: string
  /** The file descriptor of its log. Default: the standard error of this process. */
  readonly errors?: number
  /** Generous for a busy machine. */
  readonly timeoutMs?: number
}

/**
 * The environment of a process of the service: these settings alone. It shares the compile cache of the test run: without
 * it, Node takes twice as long to start a service, and a killed one leaves nothing in a cache.
 */
export function processEnv(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...settings }
}

/**
 * Starts `zatgate start` with these settings and waits until it prints its URL.
 * @throws when it exits or exceeds the timeout. It is not running then.
 */
export async function startProcess(
  settings: Settings,
  { command = COMMAND, errors, timeoutMs = 180_000 }: StartOptions = {},
): Promise<ServiceProcess> {
  const started = spawnGuarded(process.execPath, [command, 'start', '--json'], {
    env: processEnv(settings),
    ...(errors !== undefined && { errors }),
  })
  try {
    const url = await withTimeout(
      timeoutMs,
      () => `the service did not start within ${timeoutMs} ms`,
      addressOf(started),
    )
    const stop = async () => {
      await started.kill('SIGTERM')
      return started.exited
    }
    return { url, kill: () => started.kill('SIGKILL'), stop }
  } catch (error) {
    await started.kill('SIGKILL')
    throw error
  }
}

async function addressOf({ child, exited }: GuardedProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url, api_url } = JSON.parse(line) as { url?: string; api_url?: string }
    const address = url ?? api_url
    if (address !== undefined) {
      child.stdout!.resume()
      return address
    }
  }
  throw new Error(`the service exited with ${await exited} before it was ready`)
}
