import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { recordedFile } from '../../../zcash/test/recording.ts'
import { freePort, type GuardedProcess, spawnGuarded, withTimeout } from './guarded-process.ts'

const START_MS = 60_000
const CONTROL_MS = 30_000
const CALL_MS = 30_000
const ATTEMPTS = 3

/** The chain after (`main`) and before (`a`) the reorganisation; `a` ends at the last replaced block. */
export type Branch = 'main' | 'a'

/** A process that serves the JSON-RPC interface of zebrad from the recorded chain. It starts at height 1 of `main`. */
export interface RecordedNode {
  readonly rpcPort: number
  /** The number of calls, and of `getbestblockhash` calls (the polls of lightwalletd). */
  readonly counts: { readonly calls: number; readonly polls: number }
  /** Makes the block at this height of the branch (default `main`) the newest one. */
  setTip(height: number, branch?: Branch): Promise<void>
  /** Replaces the mempool. Transactions that are mined below the tip are hidden. */
  setMempool(txids: readonly string[]): Promise<void>
  /**
   * While down, every connection is closed without a response. Lightwalletd retries such a call for about 22 s and then
   * exits. An error of `getbestblockhash` ends it within 2 s.
   */
  setDown(down: boolean): Promise<void>
  /** Makes one RPC method fail with this message; null: none. */
  setError(method: string | null, message?: string): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the recorded node on free ports.
 * @throws when it does not listen within a minute
 */
export async function startRecordedNode(options: { readonly rpcPort?: number } = {}): Promise<RecordedNode> {
  for (let attempt = 1; ; attempt++) {
    const [ownPort, controlPort] = [await freePort(), await freePort()]
    const started = spawnGuarded(process.execPath, [
      fileURLToPath(recordedFile('node.mjs')),
      String(ownPort),
      String(controlPort),
    ])
    try {
      await withTimeout(START_MS, () => `the recorded node did not listen within ${START_MS} ms`, listening(started))
      const proxy = await startProxy(ownPort, options.rpcPort ?? 0)
      return controls(started, proxy, controlPort)
    } catch (error) {
      await started.kill()
      // Another process may have taken the port meanwhile.
      if (attempt === ATTEMPTS) throw error
    }
  }
}

/** Resolves when both servers listen. */
async function listening({ child }: GuardedProcess): Promise<void> {
  let ready = 0
  for await (const line of createInterface({ input: child.stdout! })) {
    if (/^(rpc|control) \d+$/.test(line)) ready += 1
    if (ready === 2) {
      child.stdout!.resume()
      return
    }
  }
  throw new Error('the recorded node exited before it listened')
}

interface RpcProxy {
  readonly port: number
  readonly counts: RecordedNode['counts']
  close(): Promise<void>
}

interface RpcCall {
  readonly method: string
  readonly params?: readonly unknown[]
}

interface RpcResponse {
  result: unknown
}

/**
 * Starts a proxy of the recorded node that corrects one response: the node always returns an object for
 * `getrawtransaction`, but zebrad returns only the hex for verbosity 0, which GetMempoolTx of lightwalletd needs.
 */
async function startProxy(nodePort: number, port: number): Promise<RpcProxy> {
  const counts = { calls: 0, polls: 0 }

  async function forward(body: string): Promise<string> {
    const { method, params = [] } = JSON.parse(body) as RpcCall
    counts.calls += 1
    if (method === 'getbestblockhash') counts.polls += 1
    const upstream = await fetch(`http://127.0.0.1:${nodePort}`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(CALL_MS),
    })
    const text = await upstream.text()
    if (method !== 'getrawtransaction' || params[1] !== 0) return text
    const response = JSON.parse(text) as RpcResponse
    return JSON.stringify({ ...response, result: (response.result as { hex: string } | null)?.hex ?? null })
  }
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray()).toString()
      response.setHeader('content-type', 'application/json').end(await forward(body))
    } catch {
      // The node closed the connection, so the proxy does too.
      request.socket.destroy()
    }
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    counts,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function controls(started: GuardedProcess, proxy: RpcProxy, controlPort: number): RecordedNode {
  async function post(path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${controlPort}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CONTROL_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the recorded node refused ${path}: ${response.status}`)
  }
  return {
    rpcPort: proxy.port,
    counts: proxy.counts,
    setTip: (height, branch = 'main') => post('/tip', { height, branch }),
    setMempool: txids => post('/mempool', { txids }),
    setDown: down => post('/down', { down }),
    setError: (method, message) => post('/error', { method, message }),
    async close() {
      await proxy.close()
      await started.kill()
    },
  }
}
