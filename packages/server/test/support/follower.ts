import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A client of the WebSocket that keeps what it is sent. */
export interface Follower {
  readonly socket: WebSocket
  readonly messages: string[]
  /** The code it was closed with, once it is. */
  readonly closed: Promise<number>
  /** The message of this number, 0 the first. */
  message(number: number): Promise<string>
}

export function follow(url: string, id: string): Follower {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/invoices/${id}/ws`)
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]) => code as number)
  return {
    socket,
    messages,
    closed,
    async message(number) {
      while (messages.length <= number) await Promise.race([once(socket, 'message'), closed.then(failClosed)])
      return messages[number]!
    },
  }

  function failClosed(code: number): never {
    throw new Error(`closed with ${code} after ${messages.length} messages: ${messages.join(' ')}`)
  }
}
