import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'

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

/** The requests that were due in a period. */
interface Period {
  readonly times: number[]
  readonly open: Set<Promise<void>>
  failed: number
}

export interface Reader extends Disposable {
  /** The requests since the last call, once all of them have ended. The next ones count for the next call. */
  reads(): Promise<Reads>
}

/**
 * Reads a URL 50 times a second from another thread, whether or not earlier responses have arrived. The time of a
 * request counts from when it was due.
 */
export function startReader(target: Target): Reader {
  const worker = new Worker(new URL(import.meta.url), { workerData: target })
  return {
    async reads() {
      const answer = once(worker, 'message')
      worker.postMessage('reads')
      const [reads] = (await answer) as [Reads]
      return reads
    },
    [Symbol.dispose]: () => void worker.terminate(),
  }
}

async function run({ url, headers }: Target, port: MessagePort): Promise<never> {
  const agent = new Agent({ keepAlive: true })
  let period = newPeriod()

  async function read(dueAt: number, { times }: Period): Promise<boolean> {
    try {
      const request = get(url, { agent, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const [response] = await once(request, 'response')
      await once(response.resume(), 'end')
      return response.statusCode === 200
    } catch {
      return false
    } finally {
      times.push(performance.now() - dueAt)
    }
  }

  port.on('message', async () => {
    const ended = period
    period = newPeriod()
    await Promise.all(ended.open)
    port.postMessage(readsOf(ended))
  })
  for (let dueAt = performance.now(); ; dueAt += EVERY_MS) {
    await sleep(Math.max(0, dueAt - performance.now()))
    const current = period
    const reading = read(dueAt, current).then(succeeded => {
      current.open.delete(reading)
      if (!succeeded) current.failed++
    })
    current.open.add(reading)
  }
}

const newPeriod = (): Period => ({ times: [], open: new Set(), failed: 0 })

function readsOf({ times, failed }: Period): Reads {
  times.sort((a, b) => a - b)
  const percentile = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN
  return { count: times.length, failed, p99Ms: percentile(0.99), maxMs: percentile(1) }
}

if (parentPort) await run(workerData as Target, parentPort)
