import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { recordedFile } from '../../../zcash/test/recording.ts'
import { type BoundProcess, freePort, spawnBound, within } from './bound-process.ts'

const START_MS = 60_000
const CONTROL_MS = 30_000
const CALL_MS = 30_000
const ATTEMPTS = 3

/** The chain before and after the reorganisation: `a` ends at the last replaced block. */
export type Branch = 'main' | 'a'

/** A process that answers JSON-RPC as zebrad would, from the recorded chain. It begins at height 1 of `main`. */
export interface RecordedNode {
  readonly rpcPort: number
  /** Calls so far, and those of them that ask for the best block: lightwalletd polls with these. */
  readonly counts: { readonly calls: number; readonly polls: number }
  /** Makes the block at this height of the branch (default `main`) the newest one. */
  setTip(height: number, branch?: Branch): Promise<void>
  /** Replaces the mempool. A transaction that is mined below the tip is not shown. */
  setMempool(txids: readonly string[]): Promise<void>
  /**
   * While down, every connection is closed without an answer. Lightwalletd repeats such a call for some 22 s and then
   * exits; an error for `getbestblockhash` ends it within 2 s.
   */
  setDown(down: boolean): Promise<void>
  /** Lets one RPC method fail with this message; null ends it. */
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
    const started = spawnBound(process.execPath, [
      fileURLToPath(recordedFile('node.mjs')),
      String(ownPort),
      String(controlPort),
    ])
    try {
      await within(START_MS, () => `the recorded node did not listen within ${START_MS} ms`, listening(started))
      const front = await startFront(ownPort, options.rpcPort ?? 0)
      return controls(started, front, controlPort)
    } catch (error) {
      await started.kill()
      // Another process may have taken the port meanwhile.
      if (attempt === ATTEMPTS) throw error
    }
  }
}

/** Resolves when both servers listen. */
async function listening({ child }: BoundProcess): Promise<void> {
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

interface Front {
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
 * Passes calls on to the recorded node, and corrects one response: the node always answers `getrawtransaction` with an
 * object, where zebrad answers verbosity 0 with the hex alone, which lightwalletd's GetMempoolTx needs.
 */
async function startFront(nodePort: number, port: number): Promise<Front> {
  const counts = { calls: 0, polls: 0 }

  async function forward(body: string): Promise<string> {
    const { method, params = [] } = JSON.parse(body) as RpcCall
    counts.calls += 1
    if (method === 'getbestblockhash') counts.polls += 1
    const response = await fetch(`http://127.0.0.1:${nodePort}`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(CALL_MS),
    })
    const text = await response.text()
    if (method !== 'getrawtransaction' || params[1] !== 0) return text
    const answer = JSON.parse(text) as RpcResponse
    return JSON.stringify({ ...answer, result: (answer.result as { hex: string } | null)?.hex ?? null })
  }
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray()).toString()
      response.setHeader('content-type', 'application/json').end(await forward(body))
    } catch {
      // The node closed the connection: so does this.
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

function controls(started: BoundProcess, front: Front, controlPort: number): RecordedNode {
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
    rpcPort: front.port,
    counts: front.counts,
    setTip: (height, branch = 'main') => post('/tip', { height, branch }),
    setMempool: txids => post('/mempool', { txids }),
    setDown: down => post('/down', { down }),
    setError: (method, message) => post('/error', { method, message }),
    async close() {
      await front.close()
      await started.kill()
    },
  }
}
