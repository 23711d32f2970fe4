import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { AppError } from '../../domain/error.ts'
import type { App } from '../app.ts'
import { sendError } from '../error.ts'
import { CLOSE_MS } from './connection.ts'

/** Client messages are ignored, so a small limit suffices. */
const MAX_PAYLOAD_BYTES = 1_024

export interface Upgrades {
  /** Upgrades a GET request to a WebSocket. Responds with 426 if the client did not request an upgrade. */
  accept(request: FastifyRequest, reply: FastifyReply, onSocket: (socket: WebSocket) => void): void
}

interface PendingUpgrade {
  readonly socket: Duplex
  readonly head: Buffer
  readonly response: ServerResponse
}

/**
 * Routes upgrade requests through the same router as all others, so hooks (rate limit, trusted proxies) and errors are
 * the same. The route decides whether to accept.
 */
export function addUpgrades(app: App): Upgrades {
  const pending = new WeakMap<IncomingMessage, PendingUpgrade>()
  // A variable, because the types of ws do not know `closeTimeout` yet.
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    closeTimeout: CLOSE_MS,
  }
  const sockets = new WebSocketServer(options)

  app.server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    // The HTTP server no longer manages the socket, so it must be ended here after a response without an upgrade.
    response.on('finish', () => (socket as Socket).destroySoon())
    pending.set(request, { socket, head, response })
    app.routing(request, response)
  })

  return {
    accept(request, reply, onSocket) {
      const upgrade = pending.get(request.raw)
      if (!upgrade) {
        reply.headers({ upgrade: 'websocket', connection: 'Upgrade' })
        sendError(reply, new AppError('upgrade_required'))
        return
      }
      reply.hijack()
      upgrade.response.detachSocket(upgrade.socket as Parameters<ServerResponse['detachSocket']>[0])
      sockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, onSocket)
    },
  }
}

/** Whether a request is a WebSocket upgrade. Other upgrades are ignored and handled as plain HTTP. */
export function isWebSocketUpgrade(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket'
}
