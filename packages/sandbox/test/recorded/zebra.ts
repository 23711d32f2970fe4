import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type GuardedProcess, spawnGuarded, withTimeout } from './guarded-process.ts'

const CACHE = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
/** The program: that of `ZEBRAD_BIN`, or the one that `.ci/zebrad` builds. */
export const ZEBRAD = process.env.ZEBRAD_BIN || join(CACHE, 'zatgate/zebrad-7.0.0/bin/zebrad')

const START_MS = 120_000
const CALL_MS = 60_000
const POLL_MS = 20
const LOG_LINES = 30
/** JSON-RPC, and the light-wallet server. */
const OPENED = /Opened (RPC|lightwalletd gRPC) endpoint at \S+:(\d+)$/

/** The `skip` option of tests that need zebrad. With `CI=true` they fail without it. */
export const zebraMissing = missing()

function missing(): false | string {
  if (existsSync(ZEBRAD) || process.env.CI === 'true') return false
  if (process.env.ZEBRAD_BIN) throw new Error('ZEBRAD_BIN is not an existing file')
  return 'zebrad 7.0.0 is not installed: .ci/zebrad builds it'
}

/** A failed call of the JSON-RPC interface. */
export class ZebraRpcError extends Error {
  readonly code: number

  constructor(method: string, error: { readonly code: number; readonly message: string }) {
    super(`${method}: ${error.code}: ${error.message}`)
    this.code = error.code
  }
}

/** A zebrad on a regtest, with its own light-wallet server. */
export interface Zebra {
  /** The value for `LIGHTWALLETD_URL`. */
  readonly url: string
  readonly rpcPort: number
  /** @throws ZebraRpcError */
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
  /** The last lines of its log. */
  logTail(): string
  /** Ends the process (SIGKILL) and waits for its exit. */
  kill(): Promise<void>
  /** Restarts the process on the same ports, and kills a running one first. Resolves when it has a block. */
  restart(options?: { readonly deleteState?: boolean }): Promise<void>
  close(): Promise<void>
}

/**
 * Starts zebrad with an empty state, on free ports of loopback.
 * @param activationHeights heights of the network upgrades by name, such as `NU6.3`
 * @throws when it does not listen within two minutes, with the end of its log
 */
export async function startZebra(activationHeights: Readonly<Record<string, number>>): Promise<Zebra> {
  if (!existsSync(ZEBRAD)) throw new Error(`zebrad is not at ${ZEBRAD}: .ci/zebrad builds it`)
  const folder = await mkdtemp(join(tmpdir(), 'zatgate-zebra-'))
  const state = join(folder, 'state')
  const config = join(folder, 'zebra.toml')
  const log: string[] = []
  let ports = { rpc: 0, grpc: 0 }

  async function start(): Promise<GuardedProcess> {
    await writeFile(config, configuration(activationHeights, { ...ports, state }))
    const started = spawnGuarded(ZEBRAD, ['-c', config, 'start'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      errors: 'inherit',
    })
    try {
      ports = await withTimeout(START_MS, () => `no servers within ${START_MS} ms`, opened(started, log))
      await untilGenesis(ports.rpc)
    } catch (error) {
      await started.kill()
      throw new Error(`zebrad did not start: ${(error as Error).message}\n${log.join('\n')}`)
    }
    return started
  }

  let running = await start()
  return {
    url: `http://127.0.0.1:${ports.grpc}`,
    rpcPort: ports.rpc,
    rpc: (method, ...params) => zebraRpc(ports.rpc, method, params),
    logTail: () => log.join('\n'),
    kill: () => running.kill(),
    async restart({ deleteState = false } = {}) {
      await running.kill()
      if (deleteState) await rm(state, { recursive: true, force: true })
      running = await start()
    },
    async close() {
      await running.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(
  activationHeights: Readonly<Record<string, number>>,
  { rpc, grpc, state }: { readonly rpc: number; readonly grpc: number; readonly state: string },
): string {
  return [
    '[network]',
    'network = "Regtest"',
    'listen_addr = "127.0.0.1:0"',
    '[network.testnet_parameters.activation_heights]',
    ...Object.entries(activationHeights).map(([name, height]) => `"${name}" = ${height}`),
    '[rpc]',
    `listen_addr = "127.0.0.1:${rpc}"`,
    `lightwalletd_listen_addr = "127.0.0.1:${grpc}"`,
    'enable_cookie_auth = false',
    '[state]',
    `cache_dir = "${state}"`,
    '',
  ].join('\n')
}

/** Resolves with the ports when both servers listen, and keeps the end of the log. */
async function opened({ child, exited }: GuardedProcess, log: string[]): Promise<{ rpc: number; grpc: number }> {
  const ports: { rpc?: number; grpc?: number } = {}
  const listening = new Promise<{ rpc: number; grpc: number }>(resolve => {
    createInterface({ input: child.stdout! }).on('line', line => {
      if (log.push(line) > LOG_LINES) log.shift()
      const [, server, port] = OPENED.exec(line) ?? []
      if (port !== undefined) ports[server === 'RPC' ? 'rpc' : 'grpc'] = Number(port)
      const { rpc, grpc } = ports
      if (rpc !== undefined && grpc !== undefined) resolve({ rpc, grpc })
    })
  })
  const ended = exited.then(code => Promise.reject<never>(new Error(`it exited with ${code}`)))
  return Promise.race([listening, ended])
}

/** Resolves when the regtest has its genesis block, which zebrad makes after it has opened its servers. */
export async function untilGenesis(rpcPort: number): Promise<void> {
  const deadline = performance.now() + START_MS
  for (;;) {
    try {
      await zebraRpc(rpcPort, 'getbestblockhash', [])
      return
    } catch (error) {
      if (!(error instanceof ZebraRpcError) || performance.now() > deadline) throw error
    }
    await delay(POLL_MS)
  }
}

async function zebraRpc<T>(port: number, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(CALL_MS),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { code: number; message: string } }
  if (error) throw new ZebraRpcError(method, error)
  return result
}
