import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Watchers {
  /** Resolves when every watcher has its first message. */
  readonly ready: Promise<void>
  /** Resolves with how many have been told the final message, once all are or `limitMs` after the call. */
  told(limitMs: number): Promise<number>
  close(): Promise<void>
}

/**
 * Opens a WebSocket to each path, in a process of its own (each end has its own open files) and without a library: it looks for the texts it waits for in
 * the bytes of the unmasked frames that a server sends.
 */
export function watch(url: string, paths: readonly string[], first: string, final: string): Watchers {
  const child = fork(import.meta.filename)
  child.send({ url, paths, first, final } satisfies Job)
  const exited = once(child, 'exit')
  const heard = (what: string) =>
    new Promise<number>((resolve, reject) => {
      child.on('message', (message: Heard) => message.what === what && resolve(message.count))
      void exited.then(() => reject(new Error('the watchers are gone')))
    })
  const ready = heard('ready')
  const told = heard('told')
  told.catch(() => undefined)
  return {
    ready: ready.then(() => undefined),
    async told(limitMs) {
      const late = setTimeout(() => child.send('count'), limitMs)
      const count = await told
      clearTimeout(late)
      return count
    },
    async close() {
      child.kill()
      await exited
    },
  }
}

interface Heard {
  readonly what: 'ready' | 'told'
  readonly count: number
}

interface Job {
  readonly url: string
  readonly paths: readonly string[]
  readonly first: string
  readonly final: string
}

const OPEN_AT_ONCE = 100

async function run({ url, paths, first, final }: Job): Promise<void> {
  let told = 0
  const tell = () => process.send?.({ what: 'told', count: told } satisfies Heard)
  process.on('message', tell)
  for (let from = 0; from < paths.length; from += OPEN_AT_ONCE) {
    const opened = paths.slice(from, from + OPEN_AT_ONCE).map(path =>
      open(url, path, first, final, () => {
        told += 1
        if (told === paths.length) tell()
      }),
    )
    await Promise.all(opened)
  }
  process.send?.({ what: 'ready', count: paths.length } satisfies Heard)
}

/** Resolves at the first message. */
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

if (process.send) process.once('message', job => void run(job as Job))
