import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { recordedFile } from '../../../zcash/test/recording.ts'
import { type BoundProcess, freePort, spawnBound, within } from './bound-process.ts'

const START_MS = 15_000
const CONTROL_MS = 5_000
const ATTEMPTS = 3

/** The chain before and after the reorganisation: `a` ends at the last replaced block. */
export type Branch = 'main' | 'a'

/** A process that answers JSON-RPC as zebrad would, from the recorded chain. It begins at height 1 of `main`. */
export interface RecordedNode {
  readonly rpcPort: number
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
 * @throws when it does not listen within 15 s
 */
export async function startRecordedNode(options: { readonly rpcPort?: number } = {}): Promise<RecordedNode> {
  for (let attempt = 1; ; attempt++) {
    const rpcPort = options.rpcPort ?? (await freePort())
    const controlPort = await freePort()
    const started = spawnBound(process.execPath, [
      fileURLToPath(recordedFile('node.mjs')),
      String(rpcPort),
      String(controlPort),
    ])
    try {
      await within(START_MS, () => `the recorded node did not listen within ${START_MS} ms`, listening(started))
      return controls(started, rpcPort, controlPort)
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

function controls(started: BoundProcess, rpcPort: number, controlPort: number): RecordedNode {
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
    rpcPort,
    setTip: (height, branch = 'main') => post('/tip', { height, branch }),
    setMempool: txids => post('/mempool', { txids }),
    setDown: down => post('/down', { down }),
    setError: (method, message) => post('/error', { method, message }),
    close: () => started.kill(),
  }
}
