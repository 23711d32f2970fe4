import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Everything the sandbox serves is on loopback only. */
export const LOOPBACK = '127.0.0.1'

/** Starts listening on loopback and gives the port; 0 takes a free one. Rejects when the port is taken. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Stops listening; resolves when the last connection is gone, so end those first. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close(error => (error === undefined ? resolve() : reject(error)))
  })
}

/** What was asked for; a target that is no URL counts as the root. */
export function requestUrl({ url = '/' }: IncomingMessage): URL {
  const base = `http://${LOOPBACK}`
  return URL.parse(url, base) ?? new URL(base)
}
