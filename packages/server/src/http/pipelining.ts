import type { Socket } from 'node:net'
import { AppError } from '../domain/error.ts'
import type { App } from './app.ts'
import { errorBody, httpStatusOf } from './error.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Requests on one connection whose responses are not sent yet. Clients that wait for each response have one. */
export const MAX_PIPELINED = 16

const REJECTION = new AppError('too_many_pipelined_requests', { value: String(MAX_PIPELINED) })

/**
 * Bounds what waits in memory for a connection whose client sends requests without reading the responses. The first
 * request beyond the limit gets 429; later ones are dropped, and the connection closes. It decides before Fastify sees
 * the request, because one packet can contain hundreds.
 */
export function limitPipelining(app: App): void {
  const waiting = new WeakMap<Socket, number>()
  const listeners = app.server.listeners('request')
  app.server.removeAllListeners('request').on('request', (request, response) => {
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > MAX_PIPELINED + 1) return
    waiting.set(socket, count)
    if (count <= MAX_PIPELINED) {
      response.once('finish', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
      for (const listener of listeners) listener.call(app.server, request, response)
    } else {
      abortWithoutStacks(socket)
      response
        .writeHead(httpStatusOf(REJECTION), {
          ...SECURITY_HEADERS,
          'content-type': 'application/json',
          'retry-after': '1',
          connection: 'close',
        })
        .end(JSON.stringify(errorBody(REJECTION, app.publicUrl)))
    }
  })
}

/**
 * When the connection closes, Node aborts each of the hundreds of requests that it has parsed with a separate error.
 * Their stack traces would hold the thread for longer than everything else that such a client can cause.
 */
function abortWithoutStacks(socket: Socket): void {
  const { stackTraceLimit } = Error
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit
  })
}
