import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { COMMAND, processEnv, type ServiceProcess, type Settings, startProcess } from '../service-process.ts'

/** Generous for a busy machine. */
const COMMAND_TIMEOUT_MS = 180_000

/** The service in its own process, with its log in a file. */
export class RecordedService {
  readonly #settings: Settings
  readonly #log: string
  #process: ServiceProcess | null = null
  #url = ''

  constructor(settings: Settings, log: string) {
    this.#settings = settings
    this.#log = log
  }

  /** The URL of the service. It changes with each start. */
  get url(): string {
    return this.#url
  }

  /** Starts `zatgate start` and waits until it prints its URL. */
  async start(extra: Settings = {}): Promise<void> {
    const errors = openSync(this.#log, 'a')
    try {
      this.#process = await startProcess({ ...this.#settings, ...extra }, { errors })
      this.#url = this.#process.url
    } finally {
      closeSync(errors)
    }
  }

  /** Sends SIGKILL. Does nothing when the service is not running. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = null
    await running?.kill()
  }

  /** Sends SIGTERM. @returns the exit code, or null when the service was not running */
  async stop(): Promise<number | null> {
    const running = this.#process
    this.#process = null
    return running ? running.stop() : null
  }

  /** Runs a command with the service's settings. @returns its JSON output */
  async command<T>(...args: readonly string[]): Promise<T> {
    const child = spawn(process.execPath, [COMMAND, ...args, '--json'], {
      env: processEnv(this.#settings),
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
