/** A worker thread with a webhook receiver: /hang never responds, other paths respond at once. Posts its port. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

const server = createServer((request, response) => {
  request.resume()
  if (request.url !== '/hang') response.writeHead(204).end()
})
await once(server.listen(0, '127.0.0.1'), 'listening')
parentPort?.postMessage((server.address() as AddressInfo).port)
