import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const COMMAND = join(import.meta.dirname, '../../../../bin/main.ts')

/** The service as a process of its own, to be killed. */
export interface ServiceProcess {
  readonly url: string
  /** kill -9: nothing is told, nothing is finished. */
  kill(): Promise<void>
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>
}

/** Starts `zatgate start` with these settings and waits until it answers. */
export async function startProcess(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...settings }
  const child = spawn(process.execPath, [COMMAND, 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const url = await Promise.race([addressOf(child), exited.then(([code]) => failed(code))])
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null) child.kill(signal)
    return (await exited)[0]
  }
  return { url, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    const { url, api_url } = JSON.parse(line) as { url?: string; api_url?: string }
    const found = url ?? api_url
    if (found !== undefined) return found
  }
  throw new Error('the service ended its output without telling its address')
}

function failed(code: number | null): never {
  throw new Error(`the service ended with ${code} before it answered`)
}
