import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, Worker, workerData } from 'node:worker_threads'

/** The requests of an honest client. */
export interface Reads {
  readonly count: number
  /** Without a response of status 200. */
  readonly failed: number
  readonly p99Ms: number
  readonly maxMs: number
}

interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const EVERY_MS = 20
/** A request that takes longer has failed. */
const TIMEOUT_MS = 10_000

/**
 * Reads a URL 50 times a second from another thread, whether or not earlier responses have arrived. The time of a
 * request counts from when it was due.
 */
export function startReader(target: Target): { stop(): Promise<Reads> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: target })
  const result = once(worker, 'message')
  return {
    async stop() {
      worker.postMessage('stop')
      const [reads] = (await result) as [Reads]
      await worker.terminate()
      return reads
    },
  }
}

async function run({ url, headers }: Target): Promise<Reads> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const open = new Set<Promise<void>>()
  let failed = 0
  let stopped = false
  parentPort?.once('message', () => {
    stopped = true
  })

  async function read(dueAt: number): Promise<void> {
    try {
      const request = get(url, { agent, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const [response] = await once(request, 'response')
      await once(response.resume(), 'end')
      if (response.statusCode !== 200) failed++
    } catch {
      failed++
    }
    times.push(performance.now() - dueAt)
  }

  for (let dueAt = performance.now(); !stopped; dueAt += EVERY_MS) {
    await sleep(Math.max(0, dueAt - performance.now()))
    const reading = read(dueAt).finally(() => open.delete(reading))
    open.add(reading)
  }
  await Promise.all(open)
  agent.destroy()
  times.sort((a, b) => a - b)
  const percentile = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN
  return { count: times.length, failed, p99Ms: percentile(0.99), maxMs: percentile(1) }
}

if (parentPort) parentPort.postMessage(await run(workerData as Target))
