import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** WebSocket clients in a child process. */
export interface Watchers {
  /** Resolves when every client has received its first message. */
  readonly ready: Promise<void>
  /** Resolves with the number of clients that received the final message, at the latest `limitMs` after the call. */
  received(limitMs: number): Promise<number>
  close(): Promise<void>
}

/**
 * Opens a WebSocket to each path in a child process, so that each side has its own file descriptor limit. Uses no
 * library: it searches the server's unmasked frames for the expected texts.
 */
export function watch(url: string, paths: readonly string[], first: string, final: string): Watchers {
  const child = fork(import.meta.filename)
  child.send({ url, paths, first, final } satisfies Options)
  const exited = once(child, 'exit')
  const reported = (what: string) =>
    new Promise<number>((resolve, reject) => {
      child.on('message', (message: Report) => message.what === what && resolve(message.count))
      void exited.then(() => reject(new Error('the watcher process has exited')))
    })
  const ready = reported('ready')
  const received = reported('received')
  received.catch(() => undefined)
  return {
    ready: ready.then(() => undefined),
    async received(limitMs) {
      const late = setTimeout(() => child.send('count'), limitMs)
      const count = await received
      clearTimeout(late)
      return count
    },
    async close() {
      child.kill()
      await exited
    },
  }
}

interface Report {
  readonly what: 'ready' | 'received'
  readonly count: number
}

interface Options {
  readonly url: string
  readonly paths: readonly string[]
  readonly first: string
  readonly final: string
}

const OPEN_CONCURRENCY = 100

async function run({ url, paths, first, final }: Options): Promise<void> {
  let received = 0
  const sendCount = () => process.send?.({ what: 'received', count: received } satisfies Report)
  process.on('message', sendCount)
  for (let from = 0; from < paths.length; from += OPEN_CONCURRENCY) {
    const opened = paths.slice(from, from + OPEN_CONCURRENCY).map(path =>
      open(url, path, first, final, () => {
        received += 1
        if (received === paths.length) sendCount()
      }),
    )
    await Promise.all(opened)
  }
  process.send?.({ what: 'ready', count: paths.length } satisfies Report)
}

/** Resolves when the first message arrives. */
async function open(url: string, path: string, first: string, final: string, onFinal: () => void): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const key = 'dGhlIHNhbXBsZSBub25jZQ=='
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  )
  await new Promise<void>(resolve => {
    let text = ''
    socket.on('data', data => {
      text += data.toString('latin1')
      if (text.includes(first)) resolve()
      if (!text.includes(final)) return
      text = ''
      onFinal()
    })
  })
}

if (process.send) process.once('message', options => void run(options as Options))
