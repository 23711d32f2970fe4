import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import net from 'node:net'
import type { TestContext } from 'node:test'
import tls from 'node:tls'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import type { HttpClient, HttpRequest, HttpResponse } from '../../../src/ports/http-client.ts'

/** A server that writes its bytes by hand, and a client for it. */
export interface RawServer {
  /** Number of connections that were made. */
  readonly connections: () => number
  /** Number of requests that were read. */
  readonly requests: () => number
  readonly send: (options?: Partial<HttpRequest>) => Promise<HttpResponse>
  /** A request of another client, on a new connection. */
  readonly sendByAnother: () => Promise<HttpResponse>
  /** Closes the client. */
  readonly close: () => void
}

/**
 * @param respond called for each request with the number of requests before it
 * @param certificate for TLS. Default: plain
 */
export async function rawServer(
  t: TestContext,
  respond: (socket: Socket, index: number) => void,
  certificate?: { readonly cert: string; readonly key: string },
): Promise<RawServer> {
  let connections = 0
  let requests = 0
  const accept = (socket: Socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.on('data', () => respond(socket, requests++))
  }
  const server = certificate ? tls.createServer(certificate, accept) : net.createServer(accept)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const [client, another] = [0, 1].map(() =>
    createHttpClient({
      allowPrivate: true,
      resolve: async () => ['127.0.0.1'],
      ...(certificate && { ca: certificate.cert }),
    }),
  ) as [HttpClient, HttpClient]
  t.after(() => {
    client.close()
    another.close()
    server.close()
  })
  const request = { method: 'POST', headers: {}, body: '{}', deadlineMs: 5_000, maxBytes: 10_000 } as const
  const url = `${certificate ? 'https' : 'http'}://hooks.example:${(server.address() as AddressInfo).port}/`
  return {
    connections: () => connections,
    requests: () => requests,
    send: options => client.send({ ...request, url, ...options }),
    sendByAnother: () => another.send({ ...request, url }),
    close: () => client.close(),
  }
}
