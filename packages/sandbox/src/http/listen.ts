import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'

/** All servers of the sandbox listen on loopback only. */
export const LOOPBACK = '127.0.0.1'

/** Listens on loopback and returns the port; 0 selects a free port. Rejects when the port is in use. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Stops listening. Resolves when the last connection is closed, so close the connections as well. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close(error => (error === undefined ? resolve() : reject(error)))
  })
}

/**
 * The open connections of a server that is not of HTTP/1. Destroying them is what the end of a process does: a destroyed
 * session of HTTP/2 that had begun to close waits for its client.
 */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Stops listening and cuts all connections. Resolves when the last connection is closed. */
export async function closeServer(server: HttpServer): Promise<void> {
  const stopped = stopListening(server)
  server.closeAllConnections()
  await stopped
}

/** The URL of a request; an invalid target is treated as `/`. */
export function requestUrl({ url = '/' }: IncomingMessage): URL {
  const base = `http://${LOOPBACK}`
  return URL.parse(url, base) ?? new URL(base)
}
