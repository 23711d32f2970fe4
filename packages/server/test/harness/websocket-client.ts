import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A WebSocket client that keeps the received messages. */
export interface WebSocketClient {
  readonly socket: WebSocket
  readonly messages: string[]
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  /** Resolves with the message at this index, starting at 0. */
  message(index: number): Promise<string>
}

/** Subscribes to an invoice over its WebSocket, or as its open checkout page does. */
export function subscribe(url: string, id: string, follows: 'status' | 'page' = 'status'): WebSocketClient {
  const path = follows === 'page' ? `/i/${id}/ws` : `/v1/invoices/${id}/ws`
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`)
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]) => code as number)
  return {
    socket,
    messages,
    closed,
    async message(index) {
      while (messages.length <= index) await Promise.race([once(socket, 'message'), closed.then(failClosed)])
      return messages[index]!
    },
  }

  function failClosed(code: number): never {
    throw new Error(`closed with ${code} after ${messages.length} messages: ${messages.join(' ')}`)
  }
}
