import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type BoundProcess, spawnBound, within } from '../../../../sandbox/test/recorded/bound-process.ts'

const COMMAND = join(import.meta.dirname, '../../../../../bin/main.ts')
/** Far more than needed, for a machine that does much else. */
const START_MS = 180_000
const COMMAND_MS = 180_000

/** Node keeps compiled code here: most of the walk's processor time is the starts of the service. */
const COMPILE_CACHE = mkdtempSync(join(tmpdir(), 'zatgate-compiled-'))
process.on('exit', () => rmSync(COMPILE_CACHE, { recursive: true, force: true }))

export type Settings = Readonly<Record<string, string>>

/** The service as its operator runs it: a process with settings, its log in a file. */
export class RecordedService {
  readonly #settings: Settings
  readonly #log: string
  #process: BoundProcess | null = null
  #url = ''

  constructor(settings: Settings, log: string) {
    this.#settings = settings
    this.#log = log
  }

  /** Where it answers; another address after each start. */
  get url(): string {
    return this.#url
  }

  /** Starts `zatgate start` and waits until it answers, for at most three minutes. */
  async start(extra: Settings = {}): Promise<void> {
    const errors = openSync(this.#log, 'a')
    const env = environment({ ...this.#settings, ...extra })
    const started = spawnBound(process.execPath, [COMMAND, 'start', '--json'], { env, errors })
    closeSync(errors)
    this.#process = started
    try {
      this.#url = await within(START_MS, () => `the service did not start within ${START_MS} ms`, addressOf(started))
    } catch (error) {
      await this.kill()
      throw error
    }
  }

  /** kill -9. Does nothing while it is not running. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = null
    await running?.kill('SIGKILL')
  }

  /** SIGTERM; the exit code. */
  async stop(): Promise<number | null> {
    const running = this.#process
    this.#process = null
    await running?.kill('SIGTERM')
    return running ? running.exited : null
  }

  /** Runs one command with the service's settings. @returns what it printed as JSON */
  async command<T>(...words: readonly string[]): Promise<T> {
    const env = environment(this.#settings)
    const child = spawn(process.execPath, [COMMAND, ...words, '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: COMMAND_MS,
    })
    const exited = once(child, 'exit') as Promise<[number | null]>
    const printed = Buffer.concat(await child.stdout.toArray()).toString()
    const [code] = await exited
    if (code !== 0) throw new Error(`zatgate ${words[0]} ended with ${code}`)
    return JSON.parse(printed) as T
  }
}

function environment(settings: Settings): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings }
}

async function addressOf({ child }: BoundProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url } = JSON.parse(line) as { url?: string }
    if (url !== undefined) {
      child.stdout!.resume()
      return url
    }
  }
  throw new Error('the service ended before it answered')
}
