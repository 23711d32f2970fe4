import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request of a webhook. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A webhook's receiver that does not depend on the version of a sandbox. */
export interface Receiver {
  readonly url: string
  /** The accepted requests, oldest first. */
  readonly accepted: readonly Received[]
  /** The number of requests that it responded to with an error. */
  readonly refused: number
  /** How many accepted requests had an event of this type. */
  count(type: string): number
  /** The status of the following responses. 200 before. */
  respondWith(status: number): void
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const accepted: Received[] = []
  let status = 200
  let refused = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    if (status < 300) accepted.push({ headers, body: Buffer.concat(chunks).toString() })
    else refused++
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/shop`,
    accepted,
    get refused() {
      return refused
    },
    count: type => accepted.filter(({ body }) => JSON.parse(body).type === type).length,
    respondWith(next) {
      status = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
