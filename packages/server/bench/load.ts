import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { parentPort, Worker, workerData } from 'node:worker_threads'

export interface Load {
  readonly url: string
  /** Complete requests, each with its Content-Length. Every connection sends them in a loop. */
  readonly requests: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Ends after this number of requests. Default: no limit. */
  readonly maxRequests?: number
}

export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses with a status other than 200. */
  readonly failed: number
}

/**
 * Puts load on a server from another thread: keep-alive connections with one request at a time on each. Parses only the
 * status and the length of a response, so that the client uses little CPU time.
 */
export async function load(options: Load): Promise<Measured> {
  const worker = new Worker(new URL(import.meta.url), { workerData: options })
  const [measured] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'error').then(([error]) => Promise.reject(error)),
  ])) as [Measured]
  await worker.terminate()
  return measured
}

/** A request as bytes. */
export function requestText(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): string {
  const all = { host: new URL(url).host, ...headers, ...(body && { 'content-length': String(body.length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

async function run({ url, requests, connections, seconds, maxRequests = Infinity }: Load): Promise<Measured> {
  const times: number[] = []
  let sent = 0
  let failed = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000

  async function connection(number: number): Promise<void> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    for (let next = number; performance.now() < endsAt && sent < maxRequests; next++) {
      sent++
      const sentAt = performance.now()
      socket.write(requests[next % requests.length]!)
      const status = await readResponse(socket)
      if (status !== 200) failed++
      times.push(performance.now() - sentAt)
    }
    socket.destroy()
  }

  await Promise.all(Array.from({ length: connections }, (_, number) => connection(number)))
  const elapsed = (performance.now() - startedAt) / 1000
  times.sort((a, b) => a - b)
  const percentile = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN
  return { perSecond: times.length / elapsed, p50Ms: percentile(0.5), p99Ms: percentile(0.99), failed }
}

/** Reads one response to its end. @returns its status */
function readResponse(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (data: Buffer) => {
      text += data.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
      if (text.length < head + 4 + length) return
      socket.off('data', onData).off('close', onClose)
      resolve(Number(text.slice(9, 12)))
    }
    const onClose = () => reject(new Error('the server closed a connection'))
    socket.on('data', onData).on('close', onClose)
  })
}

if (parentPort) parentPort.postMessage(await run(workerData as Load))
