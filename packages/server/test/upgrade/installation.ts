import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { call } from '../harness/http-call.ts'
import { startProcess } from '../harness/service-process.ts'

const PRELOAD = new URL('../harness/soak/shifted-clock.ts', import.meta.url)

/** A checkout of zatgate, of this or an earlier version, with a data folder and a database. */
export interface Checkout {
  readonly folder: string
  readonly dataDir: string
  readonly databaseUrl: string
  /** Base64. */
  readonly encryptionKey: string
}

/** Its service on its sandbox, in a separate process. Tests drive it only from outside, so that its version does not matter. */
export interface Installation {
  readonly url: string
  readonly demo: { readonly api_key: string; readonly session_token: string; readonly email: string }
  /** Sends one request. @returns the body @throws when the status is not 2xx */
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of several versions
  api(line: string, token: string | null, json?: unknown, headers?: Record<string, string>): Promise<any>
  /** Sends one request to the control address of the sandbox. */
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of several versions
  control(line: string, json?: unknown): Promise<any>
  /** Runs one command with the same settings and clock. @returns its output */
  // biome-ignore lint/suspicious/noExplicitAny: the outputs of several versions
  command(...args: readonly string[]): Promise<any>
  stop(): Promise<void>
}

/** @param shiftMs how far its clock is ahead  @param settings settings beside those of the checkout */
export async function startInstallation(
  { folder, dataDir, databaseUrl, encryptionKey }: Checkout,
  shiftMs: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const command = join(folder, 'bin/main.ts')
  const env = {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: encryptionKey,
    ...{ PORT: '0', SANDBOX_PORT: '0', AUTO_MINE_SECS: '0', LOG_LEVEL: 'error' },
    NODE_OPTIONS: `--import=${PRELOAD.href}`,
    ZATGATE_TEST_CLOCK: `0,1,${shiftMs}`,
    ...settings,
  }
  const service = await startProcess(env, { command })
  const demo = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
  const api: Installation['api'] = async (line, token, json, headers = {}) => {
    const { status, text, body } = await call(service, line, { ...(token && { token }), headers, json })
    if (status >= 300) throw new Error(`${line}: ${status} ${text}`)
    return body
  }
  return {
    url: service.url,
    demo,
    api,
    async control(line, json) {
      const { status, text, body } = await call({ url: demo.sandbox_url }, line, { json })
      if (status >= 300) throw new Error(`${line}: ${status} ${text}`)
      return body
    },
    async command(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [command, ...args, '--json'], { env })
      return JSON.parse(stdout)
    },
    async stop() {
      const code = await service.stop()
      if (code !== 0) throw new Error(`the service stopped with status ${code}`)
    },
  }
}
