/** A worker thread with a webhook receiver that sends without end what its path names. Posts its port. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'

const OK = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

/** By path: the beginning of the response, and the bytes that follow it again and again. */
const RESPONSES = {
  '/one-response': { head: 'HTTP/1.1 204 No Content\r\n\r\n', repeated: Buffer.alloc(0) },
  '/interim': { head: '', repeated: Buffer.from('HTTP/1.1 103 E\r\n\r\n'.repeat(4_000)) },
  '/interim-headers': { head: '', repeated: Buffer.from(`HTTP/1.1 103 E\r\n${'a:\r\n'.repeat(900)}\r\n`.repeat(20)) },
  '/chunks': { head: OK, repeated: Buffer.from('1\r\nx\r\n'.repeat(10_000)) },
  '/trickle': { head: OK, repeated: Buffer.from('1\r\nx\r\n') },
} as const

/** Writes as fast as the service reads; a trickle in packets as small as they can be. */
function send(socket: Socket, { head, repeated }: (typeof RESPONSES)[keyof typeof RESPONSES]): void {
  socket.setNoDelay(true)
  socket.write(head)
  if (repeated.length === 0) return
  const write = () => {
    if (repeated.length > 100) while (!socket.destroyed && socket.write(repeated));
    else for (let i = 0; i < 50 && !socket.destroyed; i++) socket.write(repeated)
  }
  socket.on('drain', write)
  const timer = setInterval(write, 5)
  socket.on('close', () => clearInterval(timer))
  write()
}

const server = createServer(socket => {
  socket.on('error', () => {})
  socket.on('data', data => {
    const path = /^POST (\S+)/.exec(data.toString())?.[1] ?? ''
    if (path in RESPONSES) send(socket, RESPONSES[path as keyof typeof RESPONSES])
    else socket.destroy()
  })
})
await once(server.listen(0, '127.0.0.1'), 'listening')
parentPort?.postMessage((server.address() as AddressInfo).port)
