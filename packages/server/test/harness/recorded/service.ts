import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type GuardedProcess, spawnGuarded, withTimeout } from '../../../../sandbox/test/recorded/bound-process.ts'

const COMMAND = join(import.meta.dirname, '../../../../../bin/main.ts')
/** Generous timeouts for a busy machine. */
const START_TIMEOUT_MS = 180_000
const COMMAND_TIMEOUT_MS = 180_000

/** Node's compile cache: service starts take most of the walk's processor time. */
const COMPILE_CACHE = mkdtempSync(join(tmpdir(), 'zatgate-compiled-'))
process.on('exit', () => rmSync(COMPILE_CACHE, { recursive: true, force: true }))

export type Settings = Readonly<Record<string, string>>

/** The service in its own process, with its log in a file. */
export class RecordedService {
  readonly #settings: Settings
  readonly #log: string
  #process: GuardedProcess | null = null
  #url = ''

  constructor(settings: Settings, log: string) {
    this.#settings = settings
    this.#log = log
  }

  /** The URL of the service. It changes with each start. */
  get url(): string {
    return this.#url
  }

  /** Starts `zatgate start` and waits at most three minutes until it prints its URL. */
  async start(extra: Settings = {}): Promise<void> {
    const errors = openSync(this.#log, 'a')
    const env = environment({ ...this.#settings, ...extra })
    const started = spawnGuarded(process.execPath, [COMMAND, 'start', '--json'], { env, errors })
    closeSync(errors)
    this.#process = started
    try {
      this.#url = await withTimeout(
        START_TIMEOUT_MS,
        () => `the service did not start within ${START_TIMEOUT_MS} ms`,
        addressOf(started),
      )
    } catch (error) {
      await this.kill()
      throw error
    }
  }

  /** Sends SIGKILL. Does nothing when the service is not running. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = null
    await running?.kill('SIGKILL')
  }

  /** Sends SIGTERM. @returns the exit code, or null when the service was not running */
  async stop(): Promise<number | null> {
    const running = this.#process
    this.#process = null
    await running?.kill('SIGTERM')
    return running ? running.exited : null
  }

  /** Runs a command with the service's settings. @returns its JSON output */
  async command<T>(...args: readonly string[]): Promise<T> {
    const env = environment(this.#settings)
    const child = spawn(process.execPath, [COMMAND, ...args, '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: COMMAND_TIMEOUT_MS,
    })
    const exited = once(child, 'exit') as Promise<[number | null]>
    const output = Buffer.concat(await child.stdout.toArray()).toString()
    const [code] = await exited
    if (code !== 0) throw new Error(`zatgate ${args[0]} exited with ${code}`)
    return JSON.parse(output) as T
  }
}

function environment(settings: Settings): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings }
}

async function addressOf({ child }: GuardedProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url } = JSON.parse(line) as { url?: string }
    if (url !== undefined) {
      child.stdout!.resume()
      return url
    }
  }
  throw new Error('the service exited before it was ready')
}
