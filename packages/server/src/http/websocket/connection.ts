import type { WebSocket } from 'ws'

/** How long a client may take to answer a close frame. */
export const CLOSE_MS = 2_000

/** Close codes of RFC 6455. */
export const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008 } as const

/** A client with more unsent data than this is disconnected. Messages are about 50 bytes. */
const MAX_BUFFERED_BYTES = 64 * 1024
/** Client frames are ignored; a client that sends more than this between two heartbeats is disconnected. */
const MAX_FRAMES = 100

/** A client follows the `status` of an invoice, as the API promises, or all that its checkout `page` shows. */
export type Follows = 'status' | 'page'

/** Tells a page to ask for what has changed. */
export const PAGE_HINT = '{"changed":true}'
/** Tells a page that it is still connected: its script cannot see pings. */
const STILL_CONNECTED = ''

/** An open WebSocket. Its client only receives: frames from it are counted and ignored. */
export class Connection {
  readonly socket: WebSocket
  readonly follows: Follows
  #lastState = ''
  #alive = true
  /** Frames received since the last heartbeat. */
  #framesReceived = 0

  constructor(socket: WebSocket, follows: Follows) {
    this.socket = socket
    this.follows = follows
    socket.on('message', () => this.#countFrame())
    socket.on('ping', () => this.#countFrame())
    socket.on('pong', () => {
      this.#alive = true
      this.#countFrame()
    })
    socket.on('error', () => socket.terminate())
  }

  /** Sends `message`, unless `state` equals the last state sent and nothing else `isNew`. */
  sendState(state: string, message: string, isNew = false): void {
    if (this.#lastState === state && !isNew) return
    this.#lastState = state
    this.send(message)
  }

  /** Disconnects a client that does not read. */
  send(message: string): void {
    if (this.socket.bufferedAmount > MAX_BUFFERED_BYTES) this.socket.terminate()
    else this.socket.send(message)
  }

  /** Pings the client. Disconnects a client that has not responded to the previous ping. */
  checkAlive(): void {
    if (!this.#alive) {
      this.socket.terminate()
      return
    }
    this.#alive = false
    this.#framesReceived = 0
    this.socket.ping()
    if (this.follows === 'page') this.send(STILL_CONNECTED)
  }

  #countFrame(): void {
    this.#framesReceived += 1
    if (this.#framesReceived === MAX_FRAMES) this.socket.close(CLOSE.policy)
    if (this.#framesReceived > 2 * MAX_FRAMES) this.socket.terminate()
  }
}

/** The open WebSockets of the process. */
interface Connections {
  readonly size: number
  /** Those of one client. */
  sizeOf(client: string): number
  /** Counts the socket until it closes, and sends it heartbeats. */
  add(socket: WebSocket, client: string, follows: Follows): Connection
  /** Closes all sockets with code 1001. Terminates those that are still open after two seconds. */
  close(): Promise<void>
}

export function createConnections(heartbeatMs: number): Connections {
  const open = new Set<Connection>()
  const byClient = new Map<string, number>()
  const heartbeats = setInterval(() => {
    for (const connection of open) connection.checkAlive()
  }, heartbeatMs).unref()

  return {
    get size() {
      return open.size
    },

    sizeOf: client => byClient.get(client) ?? 0,

    add(socket, client, follows) {
      const connection = new Connection(socket, follows)
      open.add(connection)
      byClient.set(client, (byClient.get(client) ?? 0) + 1)
      socket.on('close', () => {
        open.delete(connection)
        const left = (byClient.get(client) ?? 0) - 1
        if (left > 0) byClient.set(client, left)
        else byClient.delete(client)
      })
      return connection
    },

    async close() {
      clearInterval(heartbeats)
      const allClosed = Promise.all([...open].map(({ socket }) => new Promise(done => socket.once('close', done))))
      for (const { socket } of open) socket.close(CLOSE.goingAway)
      const timeout = setTimeout(() => {
        for (const { socket } of open) socket.terminate()
      }, CLOSE_MS)
      await allClosed
      clearTimeout(timeout)
    },
  }
}
