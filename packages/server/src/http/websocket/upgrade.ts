import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App } from '../app.ts'

/** A client's message is never of use, so a small one is big enough. */
const MAX_PAYLOAD_BYTES = 1_024

export interface Upgrades {
  /** Turns a GET into a WebSocket; 426 when the client did not ask for one. */
  accept(request: FastifyRequest, reply: FastifyReply, use: (socket: WebSocket) => void): void
}

interface Waiting {
  readonly socket: Duplex
  readonly head: Buffer
  readonly response: ServerResponse
}

/**
 * Leads requests to upgrade through the same router as all others, so that hooks (rate limit, trusted proxies) and
 * errors are the same; the route decides whether to accept.
 */
export function addUpgrades(app: App): Upgrades {
  const waiting = new WeakMap<IncomingMessage, Waiting>()
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
  })

  app.server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    // The HTTP server has let go of the socket: after an answer that is no upgrade nobody else ends it.
    response.on('finish', () => socket.end())
    waiting.set(request, { socket, head, response })
    app.routing(request, response)
  })

  return {
    accept(request, reply, use) {
      const held = waiting.get(request.raw)
      if (!held) {
        reply
          .code(426)
          .headers({ upgrade: 'websocket', connection: 'Upgrade' })
          .send({ code: 'upgrade_required', message: 'upgrade required', detail: 'open this as a WebSocket' })
        return
      }
      reply.hijack()
      held.response.detachSocket(held.socket as Parameters<ServerResponse['detachSocket']>[0])
      sockets.handleUpgrade(request.raw, held.socket, held.head, use)
    },
  }
}

/** Only what asks for a WebSocket is taken out of plain HTTP; any other wish to upgrade is not heard. */
export function asksForWebSocket(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket'
}
