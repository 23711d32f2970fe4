import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const COMMAND = join(import.meta.dirname, '../../../../bin/main.ts')

/** The service in its own process. */
export interface ServiceProcess {
  readonly url: string
  /** Sends SIGKILL: the service cannot finish anything. */
  kill(): Promise<void>
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
}

/** Starts `zatgate start` with these settings and waits until it prints its URL. */
export async function startProcess(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...settings }
  const child = spawn(process.execPath, [COMMAND, 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const url = await Promise.race([addressOf(child), exited.then(([code]) => failStart(code))])
  const terminate = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null) child.kill(signal)
    return (await exited)[0]
  }
  return { url, kill: async () => void (await terminate('SIGKILL')), stop: () => terminate('SIGTERM') }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    const { url, api_url } = JSON.parse(line) as { url?: string; api_url?: string }
    const address = url ?? api_url
    if (address !== undefined) return address
  }
  throw new Error('the service closed its output without printing its URL')
}

function failStart(code: number | null): never {
  throw new Error(`the service exited with ${code} before it was ready`)
}
