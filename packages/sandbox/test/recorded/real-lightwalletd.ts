import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectClient } from '../lightwallet-client.ts'
import { freePort, type GuardedProcess, spawnGuarded } from './guarded-process.ts'

const BINARY = process.env.LIGHTWALLETD_BIN ?? ''
/** Lightwalletd retries its first call of a node after 15 s. */
const START_MS = 60_000
const POLL_MS = 20
const LOG_TAIL_CHARACTERS = 2_000

/** The `skip` option of tests that need the real server, which no package registry has. */
export const lightwalletdMissing = missing()

function missing(): false | string {
  if (BINARY === '') return 'LIGHTWALLETD_BIN is not set'
  if (!existsSync(BINARY)) throw new Error('LIGHTWALLETD_BIN is not an existing file')
  return false
}

export interface LightwalletdOptions {
  /** JSON-RPC port of its node on loopback. */
  readonly rpcPort: number
  /** gRPC port on loopback (default: a free one). */
  readonly port?: number
  /** Cache directory (default: a temporary one). `close` deletes only the temporary one. */
  readonly dataDir?: string
}

/** The real lightwalletd, without TLS. */
export interface RealLightwalletd {
  /** The value for `LIGHTWALLETD_URL`. */
  readonly url: string
  readonly port: number
  /** The exit code of the latest process; null when a signal ended it. */
  readonly exited: Promise<number | null>
  /** Ends the process (default: SIGKILL) and waits for its exit. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Restarts the process on the same port, and kills a running one first. Resolves when the server responds. */
  restart(options?: { readonly deleteCache?: boolean }): Promise<void>
  close(): Promise<void>
}

/**
 * Starts lightwalletd and waits for a response to GetLightdInfo.
 * @throws when it exits or does not respond within a minute, with the end of its log
 */
export async function startLightwalletd(options: LightwalletdOptions): Promise<RealLightwalletd> {
  const folder = await mkdtemp(join(tmpdir(), 'zatgate-lightwalletd-'))
  const dataDir = options.dataDir ?? join(folder, 'data')
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const config = join(folder, 'zcash.conf')
  const log = join(folder, 'log')
  await writeFile(config, `rpcbind=127.0.0.1\nrpcport=${options.rpcPort}\nrpcuser=x\nrpcpassword=x\n`)
  const args = ['--zcash-conf-path', config, '--no-tls-very-insecure', '--grpc-bind-addr', `127.0.0.1:${port}`]
  args.push('--http-bind-addr', '127.0.0.1:0', '--data-dir', dataDir, '--log-file', log)

  async function start(): Promise<GuardedProcess> {
    await mkdir(dataDir, { recursive: true })
    const started = spawnGuarded(BINARY, args, { cwd: folder })
    started.child.stdout!.resume()
    try {
      await untilReady(url, started)
    } catch (error) {
      await started.kill()
      const tail = (await readFile(log, 'utf8').catch(() => '')).slice(-LOG_TAIL_CHARACTERS)
      throw new Error(`lightwalletd did not start: ${(error as Error).message}\n${tail}`)
    }
    return started
  }

  let running = await start()
  return {
    url,
    port,
    get exited() {
      return running.exited
    },
    kill: signal => running.kill(signal),
    async restart({ deleteCache = false } = {}) {
      await running.kill()
      if (deleteCache) await rm(join(dataDir, 'db'), { recursive: true, force: true })
      running = await start()
    },
    async close() {
      await running.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves with the first response to GetLightdInfo. */
async function untilReady(url: string, { exited }: GuardedProcess): Promise<void> {
  const { client, close } = connectClient(url)
  let ended: string | null = null
  exited.then(
    code => {
      ended = `it exited with ${code}`
    },
    (error: Error) => {
      ended = error.message
    },
  )
  const deadline = performance.now() + START_MS
  try {
    for (;;) {
      try {
        await client.getLightdInfo({}, { timeoutMs: 2_000 })
        return
      } catch (error) {
        if (ended !== null) throw new Error(ended)
        if (performance.now() > deadline)
          throw new Error(`no response within ${START_MS} ms: ${(error as Error).message}`)
      }
      await delay(POLL_MS)
    }
  } finally {
    close()
  }
}
