import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of a shop, and where browsers find it. */
export interface ShopPage {
  readonly url: string
  /** The `Referer` headers of the requests so far. */
  readonly referrers: readonly (string | undefined)[]
  close(): Promise<void>
}

/** Serves one page at every path of another site than the service: `localhost` instead of 127.0.0.1. */
export async function serveShopPage(html: string, headers: Record<string, string> = {}): Promise<ShopPage> {
  const referrers: (string | undefined)[] = []
  const server = createServer((request, response) => {
    if (request.url === '/favicon.ico') return response.writeHead(204).end()
    referrers.push(request.headers.referer)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    referrers,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
