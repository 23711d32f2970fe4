import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ReceivedForm {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly type: string | undefined
  readonly referrer: string | undefined
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** The page of a shop to which browsers post a key. */
export interface KeyReceiver {
  /** Without a slash at its end; another site than the service. */
  readonly url: string
  readonly received: readonly ReceivedForm[]
  close(): Promise<void>
}

export async function startKeyReceiver(): Promise<KeyReceiver> {
  const received: ReceivedForm[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    if (url !== '/favicon.ico')
      received.push({
        method,
        path: url,
        type: headers['content-type'],
        referrer: headers.referer,
        fields: [...new URLSearchParams(body)],
      })
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title><h1>Connected</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
